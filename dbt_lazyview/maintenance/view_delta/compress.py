"""Compress: a range of windows becomes its net effect, and its end the only moment in it that can be told (B 5)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from dbt_lazyview.compiler.plan import Unapplied
from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.commit import commit
from dbt_lazyview.maintenance.engine import during
from dbt_lazyview.maintenance.errors import RefreshError
from dbt_lazyview.maintenance.history import rows_written
from dbt_lazyview.maintenance.public import load_shown_state
from dbt_lazyview.maintenance.record import Record
from dbt_lazyview.maintenance.state import State, load_state
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import Node
from dbt_lazyview.maintenance.view_delta.followers import needs_of
from dbt_lazyview.maintenance.view_delta.shown import records_in
from dbt_lazyview.maintenance.view_delta.switch import pin_again
from dbt_lazyview.maintenance.view_delta.windows import COMPRESS, carried_on, cut_time, window_of


@dataclass(frozen=True)
class Compressed:
    """What became of a range."""

    windows: int = 0
    ranges: int = 0
    rows: int = 0  # that are left of it

    @property
    def line(self) -> str:
        """
        For people.

        Example:
            >>> Compressed(30, 1, 12).line, Compressed().line
            ('compress: 30 windows into 1, 12 rows', 'compress: nothing to put together')
        """
        if not self.windows:
            return "compress: nothing to put together"
        return f"compress: {self.windows} windows into {self.ranges}, {self.rows} rows"


def compress(tables: Tables, node: Node, since: int | None, until: int | None) -> Compressed:
    """
    Compress the windows of a view delta that ended after one moment and up to another (epoch milliseconds). Ends that
    somebody goes on from stay.
    """
    found = Compressed()
    while more := _one_range(tables, node, since, until):
        found = Compressed(found.windows + more.windows, found.ranges + 1, found.rows + more.rows)
    return found


def _one_range(tables: Tables, node: Node, since: int | None, until: int | None) -> Compressed | None:
    """Compress the first range that can be, in one commit; whoever was faster is found by its number."""
    state = load_state(tables, node.target.state)
    if state.delta is None or state.delta.newest is None:
        raise no_delta(node)
    records = records_in(tables, state.delta, state.epoch)
    chosen = [each for each in records if (since or 0) < cut_time(each) and (until is None or cut_time(each) <= until)]
    needs = [need for need in needs_of(tables, state) if need.epoch == state.epoch]
    ends = {window for need in needs for window in (need.window, need.end)}
    found = ranges(records, chosen, ends)
    return _compressed(tables, node, state, *found[0]) if found else None


def ranges(
    records: Sequence[Record], chosen: Sequence[Record], ends: Collection[int]
) -> list[tuple[int, Sequence[Record]]]:
    """
    Runs of chosen windows with nobody's end inside, and the window before each run.

    Example:
        >>> from dbt_lazyview.maintenance.record import Settings
        >>> numbered = [Record(n, "", "", 0, {}, {}, Settings("", ""), "", window=n) for n in range(1, 7)]
        >>> [(after, [each.window for each in run]) for after, run in ranges(numbered, numbered[1:], {3})]
        [(1, [2, 3]), (3, [4, 5, 6])]
    """
    found: list[tuple[int, list[Record]]] = []
    before = 0
    is_open = False
    for record in records:
        if record in chosen and is_open:
            found[-1][1].append(record)
        elif record in chosen:
            found.append((before, [record]))
        is_open = record in chosen and record.window not in ends
        before = record.window
    return [(after, run) for after, run in found if len(run) > 1]


def _compressed(tables: Tables, node: Node, state: State, after: int, windows: Sequence[Record]) -> Compressed:
    delta, layout, shown = state.delta, node.view.layout, load_shown_state(tables, state.name)
    assert delta is not None
    end = replace(windows[-1], kind=COMPRESS)
    range_of = Unapplied(sql_name(delta.name), delta.version, state.epoch, after, end.window)
    statement = tables.engine.render(
        "compress_view_delta", layout=layout, delta=sql_name(delta.name), unapplied=range_of, window=window_of(end)
    )
    is_all = state.record is not None and state.record.window == end.window
    record = carried_on(state, COMPRESS)
    with during("compress the view delta"):
        written = commit(tables, delta, statement, replace(record, waiting=0 if is_all else record.waiting))
    pin_again(tables, node, shown, written)
    return Compressed(len(windows), 1, (rows_written(written) or 1) - 1)


def no_delta(node: Node) -> RefreshError:
    """There is nothing to work on."""
    return RefreshError(
        Reason.INVALID_CONFIG,
        f"{sql_name(node.target.name)} has no view delta.",
        "Set apply: later, and refresh it after something changed in its sources.",
    )
