"""
Extents: between which values those columns lie that joins compare, so that changes under fresh keys need not be joined
with what was there before (compiler/passes/fresh_keys.py).

A row that is in a table was there at the version of the record, or is in a file that some commit added since. So the
extent of a column, once known, is carried from record to record by the statistics of the files that came, whatever came
with them and whatever went. Where these do not tell, nothing is known, until it is asked for again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.plan import Window
from dbt_lazyview.maintenance.engine import Engine
from dbt_lazyview.maintenance.statistics import Ends, Statistics, extents_of, outermost
from dbt_lazyview.maintenance.tables import sql_name

Recorded = Mapping[str, Mapping[str, Ends]]  # by quoted table, by column
NOTHING_RECORDED: Recorded = {}


@dataclass(frozen=True)
class Extents:
    """What is known of the columns of a view's sources at the version of its record."""

    engine: Engine
    statistics: Statistics
    columns: Mapping[Name, tuple[str, ...]]
    recorded: Recorded

    def told(self, windows: Mapping[Name, Window]) -> dict[Name, Window]:
        """The windows with what is known of their rows, where several sources changed that are joined."""
        if not self._is_question(windows):
            return dict(windows)
        return {name: self._told(name, window) for name, window in windows.items()}

    def carried(self, windows: Mapping[Name, Window]) -> dict[str, dict[str, Ends]]:
        """What is known after the windows, for the next record."""
        found = {sql_name(name): self._carried(name, windows[name]) for name in self.columns if name in windows}
        return {name: extents for name, extents in found.items() if extents}

    def learned(self, windows: Mapping[Name, Window]) -> dict[str, dict[str, Ends]]:
        """The same, and what can be learnt about sources that changed together, of which nothing was known."""
        carried = self.carried(windows)
        if not self._is_question(windows) or self.engine.shortcuts is None:
            return carried
        missing = [each for each in self._changed(windows) if sql_name(each) not in carried]
        asked = {
            sql_name(name): self.engine.shortcuts.extents(name, windows[name].upto, self.columns[name])
            for name in missing
        }
        return {**carried, **{name: dict(extents) for name, extents in asked.items() if extents}}

    def _is_question(self, windows: Mapping[Name, Window]) -> bool:
        changed = self._changed(windows)
        return len(changed) > 1 and any(windows[each].insert_only for each in changed)

    def _changed(self, windows: Mapping[Name, Window]) -> list[Name]:
        return [name for name in self.columns if name in windows and windows[name].changed]

    def _told(self, name: Name, window: Window) -> Window:
        before = list(self.recorded.get(sql_name(name), {}).items())
        columns = self.columns.get(name, ()) if window.insert_only else ()
        came = [(column, self.statistics.ends(name, window, column)) for column in columns]
        return replace(window, before=extents_of(before), came=extents_of(came))

    def _carried(self, name: Name, window: Window) -> dict[str, Ends]:
        known = self.recorded.get(sql_name(name), {})
        if not window.changed:
            return {column: (low, high) for column, (low, high) in known.items()}
        files = self.statistics.files(name, window) if known else None
        if files is None:
            return {}
        grown = {
            column: outermost([(low, high), self.statistics.ends(name, window, column)] if files else [(low, high)])
            for column, (low, high) in known.items()
        }
        return {column: ends for column, ends in grown.items() if ends is not None}
