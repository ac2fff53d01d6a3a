"""Point in time: a view is rolled to an earlier moment than its view delta already tells of (B 1.2, 4.8, 5)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timezone

from dbt_lazyview.compiler.derivation import ALL_ON
from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.commit import commit
from dbt_lazyview.maintenance.constraints import check_constraints
from dbt_lazyview.maintenance.decide import INCREMENTAL, Decision
from dbt_lazyview.maintenance.engine import EngineError, during
from dbt_lazyview.maintenance.errors import RefreshError
from dbt_lazyview.maintenance.failures import why_unreadable
from dbt_lazyview.maintenance.history import effect_of
from dbt_lazyview.maintenance.plan import Plan
from dbt_lazyview.maintenance.planning import Planner
from dbt_lazyview.maintenance.probes import Cut
from dbt_lazyview.maintenance.record import Position, Record
from dbt_lazyview.maintenance.staging import staged
from dbt_lazyview.maintenance.state import State
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import Node
from dbt_lazyview.maintenance.until import Until, already_past, unreachable
from dbt_lazyview.maintenance.view_delta.shown import records_in
from dbt_lazyview.maintenance.view_delta.windows import COMPRESS, POINT, cut_time
from dbt_lazyview.maintenance.windows import is_same_version

PAST, THERE, BEFORE = "past", "there", "before"


def where(tables: Tables, record: Record, cut: Cut) -> str:
    """Whether what a record stands for is before a cut, which may be that of a group, past it, or the same rows."""
    own = {name: at for name, at in cut.items() if sql_name(name) in record.cut}
    found = [_where(tables, record.cut[sql_name(name)], at, name) for name, at in own.items()]
    return PAST if PAST in found else BEFORE if BEFORE in found else THERE


def _where(tables: Tables, recorded: Position, now: Position, name: tuple[str, ...]) -> str:
    if is_same_version(recorded, now):
        return THERE
    low, high = sorted((recorded.version, now.version))
    commits = tables.commits_between(name, low, high)
    if not effect_of([each for each in commits if low < each.version <= high]).changed:
        return THERE
    return PAST if recorded.version > now.version else BEFORE


def stop_before(tables: Tables, view: Node, state: State, cut: Cut, until: Until) -> tuple[Record, bool]:
    """
    The newest record of a state or its view delta that is not past a cut, and whether it is there; the next one tells
    whether a moment after it can be told from others.
    """
    records = [*([state.own.record] if state.own.record else []), *records_after(tables, state)]
    places = [where(tables, each, cut) for each in records]
    reached = [number for number, place in enumerate(places) if place != PAST]
    if not reached:
        raise already_past(view.target.name, until)
    stop = reached[-1]
    is_there = places[stop] == THERE
    if not is_there and stop + 1 < len(records) and records[stop + 1].kind == COMPRESS:
        raise compressed(view, until, records[stop + 1])
    return records[stop], is_there


def records_after(tables: Tables, state: State) -> Sequence[Record]:
    """The records of the windows that are not applied, oldest first."""
    if state.delta is None or state.delta.newest is None or state.own.record is None:
        return ()
    found = records_in(tables, state.delta, state.epoch)
    return [each for each in found if each.window > state.own.record.window]


def rolled(tables: Tables, planner: Planner, state: State, until: Until) -> State:
    """The state as it was at a cut, to be shown: after a window, or after one more that leads there."""
    stop, is_there = stop_before(tables, planner.node, state, planner.cut, until)
    at_stop = replace(state, base=state.own, record=stop, is_past=True)
    if is_there:
        return at_stop
    if planner.node.parents:
        raise _only_ends(planner.node, until, stop)
    return _known_point(tables, planner, at_stop) or _new_point(tables, planner, at_stop, until)


def _known_point(tables: Tables, planner: Planner, at_stop: State) -> State | None:
    """A window that leads to the cut already."""
    assert at_stop.delta is not None
    assert at_stop.record is not None
    if at_stop.delta.newest is None:
        return None
    for record in records_in(tables, at_stop.delta, None):
        is_after = record.kind == POINT and record.window == at_stop.record.window
        if is_after and where(tables, record, planner.cut) == THERE:
            return replace(at_stop, record=record, point=record.epoch)
    return None


def _new_point(tables: Tables, planner: Planner, at_stop: State, until: Until) -> State:
    """Propagate from the end of a window to the cut, beside the windows that go on from there."""
    planner = replace(planner, state=at_stop, is_point=True)
    windows, obstacles = planner.windows()
    if obstacles:
        raise _unreadable(planner.node, until, obstacles[0].reason)
    try:
        plan = planner.incremental(Decision(INCREMENTAL), windows, ALL_ON)
        return _appended(tables, plan, at_stop)
    except EngineError as error:
        reason = why_unreadable(error)
        if reason is None:
            raise
        raise _unreadable(planner.node, until, reason) from error


def _appended(tables: Tables, plan: Plan, at_stop: State) -> State:
    assert plan.into is not None
    assert plan.record is not None
    with during("compute the changes"), staged(tables.engine, plan.stages):
        check_constraints(tables.engine, plan)
        written = commit(tables, plan.into, plan.statement, plan.record)
    delta = replace(plan.into, newest=written, record=plan.record, recorded=written, last_task=plan.record.task)
    found = [each for each in records_in(tables, delta, None) if each.kind == POINT]
    return replace(at_stop, record=found[-1], point=found[-1].epoch, delta=delta)


def compressed(view: Node, until: Until, record: Record) -> RefreshError:
    name, end = sql_name(view.target.name), told_time(cut_time(record))
    return unreachable(
        f"{name} cannot be rolled to {until.told}: that is inside a range of its view delta that was compressed, which "
        f"ends at {end}.\n  Only its net effect is known (B 5).",
        "Choose that time, or one outside of the range.",
    )


def _only_ends(view: Node, until: Until, stop: Record) -> RefreshError:
    name, before = sql_name(view.target.name), told_time(cut_time(stop))
    return unreachable(
        f"{name} cannot be rolled to {until.told}: it reads states of other views, which are past that time.",
        f"Roll it to the end of a window; the last one before is at {before}.",
    )


def _unreadable(view: Node, until: Until, reason: Reason) -> RefreshError:
    return unreachable(
        f"{sql_name(view.target.name)} cannot be rolled to {until.told}: that lies between two windows of its view "
        f"delta, and the changes of a source in between cannot be read any more ({reason.word}).",
        "Choose the end of a window.",
    )


def told_time(milliseconds: int) -> str:
    """
    A moment for people, with its zone.

    Example:
        >>> told_time(1767225600000)
        '2026-01-01 00:00:00.000+00:00'
    """
    return datetime.fromtimestamp(milliseconds / 1000, timezone.utc).isoformat(sep=" ", timespec="milliseconds")
