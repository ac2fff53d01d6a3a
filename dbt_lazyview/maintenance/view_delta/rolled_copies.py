"""Copies of a view at other times (B 1.2): yesterday's close, last month's books; all fed by one view delta."""

import time
import uuid
from dataclasses import dataclass, replace

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.reasons import ModelError, Problem, Reason
from dbt_lazyview.maintenance.arrival import Arrival
from dbt_lazyview.maintenance.attempt import Attempt
from dbt_lazyview.maintenance.carry_out import show_view
from dbt_lazyview.maintenance.commit import commit
from dbt_lazyview.maintenance.definition import MATERIALIZED
from dbt_lazyview.maintenance.engine import Engine, during
from dbt_lazyview.maintenance.history import rows_written
from dbt_lazyview.maintenance.plan import Request
from dbt_lazyview.maintenance.policies import OPERATION, RUN
from dbt_lazyview.maintenance.public import publication
from dbt_lazyview.maintenance.record import Record
from dbt_lazyview.maintenance.refresh import begin, refresh
from dbt_lazyview.maintenance.registered import register
from dbt_lazyview.maintenance.state import State, load_state, with_delta
from dbt_lazyview.maintenance.tables import sql_name
from dbt_lazyview.maintenance.tree import Node, Target
from dbt_lazyview.maintenance.until import Until
from dbt_lazyview.maintenance.view_delta.compress import no_delta
from dbt_lazyview.maintenance.view_delta.followers import load_follower
from dbt_lazyview.maintenance.view_delta.roll import BEFORE, rolled, told_time, where
from dbt_lazyview.maintenance.view_delta.rows import rows_at
from dbt_lazyview.maintenance.view_delta.settle import with_windows_applied
from dbt_lazyview.maintenance.view_delta.shown import record_of
from dbt_lazyview.maintenance.view_delta.windows import POINT, cut_time
from dbt_lazyview.names import PROPERTY_ROLLED

COPY = "copy"


@dataclass(frozen=True)
class Rolled:
    """What became of a copy."""

    copy: str
    kind: str  # copied, rolled, or nothing to do
    time: int
    rows: int | None

    @property
    def line(self) -> str:
        told = "" if self.rows is None else f", {self.rows} rows"
        return f"{self.copy} {self.kind}: as of {told_time(self.time)}{told}"


def roll_copy(engine: Engine, target: Target, copy: Name, until: Until | None) -> Rolled:
    """Bring a copy of a view to a moment, from where it is; one that is not there, or cannot go on, is copied anew."""
    attempt = begin(engine, target, request=Request(until=until))
    state = load_state(attempt.tables, target.state)
    if until and state.record and where(attempt.tables, state.record, attempt.cut) == BEFORE:
        refresh(engine, target, Request(trigger=RUN))  # the view delta has to reach beyond that moment
        attempt = begin(engine, target, request=Request(until=until))
        state = load_state(attempt.tables, target.state)
    if state.delta is None or state.delta.newest is None or state.record is None:
        raise no_delta(attempt.node)
    return _rolled(attempt, state, copy, until)


def _rolled(attempt: Attempt, state: State, copy: Name, until: Until | None) -> Rolled:
    tables, node = attempt.tables, as_copy(attempt.node, copy)
    found = load_follower(tables, node.target.state)
    if found.detail is not None and PROPERTY_ROLLED not in found.detail.properties:
        raise ModelError((_foreign(node.target.state),))
    is_of_state = found.record is not None and found.record.epoch == state.epoch and not found.distrust
    goes_on = is_of_state and found.record is not None and found.record.window >= state.pruned
    own = with_delta(found, state.delta) if goes_on and state.delta else state
    shown = _at(attempt, own, until)
    if goes_on:
        shown, applied = with_windows_applied(tables, node, shown, OPERATION)
        rows = rows_written(applied) if applied else None
    else:
        shown, rows = _copied(attempt, node, shown, found)
    show_view(tables, publication(tables.engine, node, replace(shown, is_past=True)))
    assert shown.record is not None
    kind = "copied" if not goes_on else "rolled" if rows is not None else "shown"
    return Rolled(".".join(copy[-2:]), kind, cut_time(shown.record), rows)


def _at(attempt: Attempt, state: State, until: Until | None) -> State:
    """A state and its view delta at a moment, or at the newest window."""
    if until is None:
        return state
    planner = replace(attempt.planner(attempt.node, _standing(attempt)), state=state)
    return rolled(attempt.tables, planner, state, until)


def _standing(attempt: Attempt) -> dict[Name, Arrival]:
    return {name: attempt.as_shown(each) for name, each in attempt.node.parents.items()}


def _copied(attempt: Attempt, node: Node, shown: State, found: State) -> tuple[State, int | None]:
    """Store the rows of the view at the end of a window; a point after it stays in the view delta."""
    engine, stop = attempt.tables.engine, replace(shown, point="")
    record = copy_record(attempt, stop, found)
    rows = rows_at(engine, node.view.layout, stop)
    properties = {PROPERTY_ROLLED: sql_name(shown.name)}
    statement = engine.render(
        "create_rolled_copy",
        copy=sql_name(node.target.state),
        layout=node.view.layout,
        rows=rows,
        properties=properties,
    )
    assert shown.delta is not None
    with during("copy the view"):
        register(engine, shown.delta.name, shown.delta.detail, node.target.state)
        written = commit(attempt.tables, found, statement, record)
    own = replace(found, newest=written, record=record, recorded=written)
    return replace(own, base=own, delta=shown.delta, record=shown.record, point=shown.point), rows_written(written)


def copy_record(attempt: Attempt, stop: State, found: State) -> Record:
    """A copy stands for the end of a window."""
    assert stop.record is not None
    record = stop.record
    if stop.record.kind == POINT:
        found_end = record_of(attempt.tables, stop, stop.record.window)
        record = found_end or stop.own.record or record
    return replace(
        record, task=found.next_task, token=uuid.uuid4().hex, kind=COPY, onto=found.version, epoch=stop.epoch,
        window=record.window, waiting=0, started=round(time.time() * 1000),
    )  # fmt: skip


def as_copy(node: Node, copy: Name) -> Node:
    """The view under the name of a copy."""
    own = node.target.definition
    definition = replace(own, is_parent=False, unique_key=(), view_group=None, read=MATERIALIZED, constraints={})
    return replace(node, target=Target(copy, definition))


def _foreign(name: Name) -> Problem:
    return Problem(
        Reason.RESERVED_NAME, f"{sql_name(name)} exists and is not a copy of a lazy view.",
        "A copy stores its rows in a table of this name, and this one belongs to somebody else.",
        "Choose another name for the copy.",
    )  # fmt: skip
