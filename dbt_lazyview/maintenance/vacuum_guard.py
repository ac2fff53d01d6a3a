"""How far VACUUM may go on each source without cutting off a lazy view from the changes it still needs."""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.retention import files_kept_seconds
from dbt_lazyview.maintenance.status import Status
from dbt_lazyview.maintenance.tables import Tables

HOUR = 3600 * 1000
MARGIN = 1  # hours, for refreshes that are under way


@dataclass(frozen=True)
class Guard:
    """One source: the hours that VACUUM has to retain, and for whom."""

    source: Name
    hours: int
    needed_by: tuple[Name, ...]  # views that are behind, the one that needs most first
    table_keeps: int  # hours that VACUUM retains if none are given

    @property
    def is_plain_vacuum_safe(self) -> bool:
        return self.table_keeps >= self.hours

    @property
    def line(self) -> str:
        """
        The guard as people read it.

        Example:
            >>> print(Guard(("x", "t"), 31, (("x", "v"),), 168).line)
            x.t: RETAIN 31 HOURS or more, because of x.v; VACUUM alone retains 168 hours: safe
        """
        why = (
            f"because of {', '.join(_short(each) for each in self.needed_by)}"
            if self.needed_by
            else "no view is behind"
        )
        judged = "safe" if self.is_plain_vacuum_safe else "NOT SAFE, refresh first"
        short = f"{_short(self.source)}: RETAIN {self.hours} HOURS or more, {why}"
        return f"{short}; VACUUM alone retains {self.table_keeps} hours: {judged}"


def guards(tables: Tables, statuses: Iterable[Status], now: int) -> list[Guard]:
    """What each base table has to keep for the views over it; `now` in epoch milliseconds."""
    needs: dict[Name, dict[Name, int]] = {}
    for status in statuses:
        for pending in [each for each in status.task.sources if not each.is_copy]:
            behind = {} if pending.superseded is None else {status.view: pending.superseded}
            needs.setdefault(pending.source, {}).update(behind)
    return [_guard(tables, source, needs[source], now) for source in sorted(needs)]


def _guard(tables: Tables, source: Name, needs: dict[Name, int], now: int) -> Guard:
    behind = tuple(sorted(needs, key=lambda view: needs[view]))
    hours = math.ceil((now - needs[behind[0]]) / HOUR) if behind else 0
    detail = tables.source(source)
    keeps = files_kept_seconds(detail.properties if detail else {})
    return Guard(source, hours + MARGIN, behind, int(keeps // 3600))


def as_lines(found: Sequence[Guard]) -> str:
    return "\n".join(each.line for each in found) or "No lazy view is built."


def as_json(found: Sequence[Guard]) -> str:
    return json.dumps([_facts(each) for each in found], indent=2)


def _facts(guard: Guard) -> dict[str, object]:
    return {
        "source": ".".join(guard.source),
        "retain_hours": guard.hours,
        "needed_by": [".".join(each) for each in guard.needed_by],
        "table_keeps_hours": guard.table_keeps,
        "is_plain_vacuum_safe": guard.is_plain_vacuum_safe,
    }


def _short(name: Name) -> str:
    return ".".join(name[-2:])
