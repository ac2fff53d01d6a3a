"""Audit: why a number changed between two times; what each window did to a group, and the rows behind that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dbt_lazyview.maintenance.attempt import Attempt
from dbt_lazyview.maintenance.engine import Engine
from dbt_lazyview.maintenance.record import Record
from dbt_lazyview.maintenance.refresh import begin
from dbt_lazyview.maintenance.state import State, load_state
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import Node, Target
from dbt_lazyview.maintenance.until import unreachable
from dbt_lazyview.maintenance.view_delta.changes import changes_query, literals, state_at
from dbt_lazyview.maintenance.view_delta.compress import no_delta
from dbt_lazyview.maintenance.view_delta.roll import told_time
from dbt_lazyview.maintenance.view_delta.shown import records_in
from dbt_lazyview.maintenance.view_delta.windows import cut_time

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Audit:
    """What happened to a group, oldest first; and the rows of sources that came and went for it in all that time."""

    since: int
    until: int
    changes: Rows
    rows: Rows  # with `changed`: the source that changed
    unread: str = ""  # why there are no rows

    @property
    def text(self) -> str:
        head = f"from {told_time(self.since)} to {told_time(self.until)}"
        changes = [f"  {each['lv_commit_time']} {each['lv_change_type']}: {_told(each)}" for each in self.changes]
        rows = [f"  {each['lv_weight']:+d} by {each['changed']}: {_told(each)}" for each in self.rows]
        behind = [self.unread] if self.unread else rows or ["  none"]
        return "\n".join([head, *(changes or ["  no change"]), "rows behind it:", *behind])


def audit(engine: Engine, target: Target, group: Mapping[str, object], since: int | None, until: int | None) -> Audit:
    """The windows that ended between two moments (epoch milliseconds), for the rows of a view with certain values."""
    attempt = begin(engine, target, captures=False)
    tables, node, state = attempt.tables, attempt.node, load_state(attempt.tables, target.state)
    if state.delta is None or state.delta.newest is None or state.record is None or state.distrust:
        raise no_delta(node)
    first, last = _ends(tables, node, state, since, until)
    before = state_at(tables, state, first.window)
    if before is None:
        raise unreachable(
            f"{sql_name(target.name)} as of {told_time(cut_time(first))} can no longer be read.", "Begin later: since."
        )
    query = changes_query(tables, node, before, last.window, literals(tables, node, group))
    changes = sorted(engine.query(query), key=_order)
    rows, unread = _rows_behind(attempt, before, (first, last), group)
    return Audit(cut_time(first), cut_time(last), changes, rows, unread)


def _order(row: Mapping[str, Any]) -> tuple[int, bool]:
    """By window; what was there before comes first."""
    return row["lv_window"], row["lv_change_type"] != "update_preimage"


def _rows_behind(
    attempt: Attempt, before: State, ends: tuple[Record, Record], group: Mapping[str, object]
) -> tuple[Rows, str]:
    """What came and went below the group between two records; or why that cannot be told."""
    node, (first, last), engine = attempt.node, ends, attempt.tables.engine
    if node.parents:
        return [], "  not told: the view reads states of other views"
    planner = attempt.planner(node, {})
    reads = {name: last.reads[sql_name(name)] for name in planner.reads}
    windows, obstacles = replace(planner, state=replace(before, record=first), reads=reads).windows()
    if obstacles:
        return [], f"  not told: changes of {obstacles[0].source} can no longer be read ({obstacles[0].reason.word})"
    inputs = node.view.changed_inputs(windows)
    wanted = {inputs.keys[each]: group[each] for each in group if each in inputs.keys}
    found = engine.query(engine.render("rows_behind", inputs=inputs, conditions=wanted)) if inputs.relation else []
    return [{"changed": inputs.labels[row.pop("lv_ssn")], **row} for row in found], ""


def _ends(tables: Tables, node: Node, state: State, since: int | None, until: int | None) -> tuple[Record, Record]:
    """The records at both ends: the last one not after each moment."""
    assert state.delta is not None
    stored = [state.own.record] if state.own.record and state.own.record.window == 0 else []
    records: Sequence[Record] = [*stored, *records_in(tables, state.delta, state.epoch)]
    first = [each for each in records if since is None or cut_time(each) <= since]
    last = [each for each in records if until is None or cut_time(each) <= until]
    if not first or not last:
        raise unreachable(
            f"The view delta of {sql_name(node.target.name)} does not reach back that far.",
            f"It begins at {told_time(cut_time(records[0]))}: ask for a later time."
            if records
            else "It is empty: refresh the view first.",
        )
    return (records[0] if since is None else first[-1]), last[-1]


def _told(row: Mapping[str, Any]) -> str:
    hidden = ("lv_weight", "changed", "lv_change_type", "lv_window", "lv_commit_time")
    return ", ".join(f"{name} = {value}" for name, value in row.items() if name not in hidden)
