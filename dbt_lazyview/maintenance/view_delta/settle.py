"""After a refresh of a view with a view delta: what waits is applied if that is due, and the public view shows all."""

from contextlib import suppress
from dataclasses import replace

from dbt_lazyview.maintenance.commit import LostRace
from dbt_lazyview.maintenance.constraints import has_other_constraints
from dbt_lazyview.maintenance.decide import NOOP
from dbt_lazyview.maintenance.definition import LATER
from dbt_lazyview.maintenance.engine import EngineError
from dbt_lazyview.maintenance.errors import RefreshError
from dbt_lazyview.maintenance.history import Commit, rows_written
from dbt_lazyview.maintenance.housekeeping import is_due as is_chore_due
from dbt_lazyview.maintenance.outcome import Outcome
from dbt_lazyview.maintenance.plan import Plan
from dbt_lazyview.maintenance.planning import Planner
from dbt_lazyview.maintenance.policies import CHILD, OPERATION
from dbt_lazyview.maintenance.record import from_json
from dbt_lazyview.maintenance.state import State, delta_name, load_delta, load_own_state, load_state, with_delta
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import Node
from dbt_lazyview.maintenance.until import Until, unreachable
from dbt_lazyview.maintenance.view_delta.apply import APPLY, apply, is_due
from dbt_lazyview.maintenance.view_delta.prune import prune
from dbt_lazyview.maintenance.view_delta.roll import rolled
from dbt_lazyview.maintenance.view_delta.shown import record_of


def expecting_delta(tables: Tables, node: Node, state: State) -> State:
    """The state of a model that wants a view delta now; there may still be one from earlier."""
    if node.target.definition.apply != LATER or state.record is None or state.delta is not None:
        return state
    return with_delta(state, load_delta(tables, state.name))


def settled(
    tables: Tables, node: Node, plan: Plan, written: Commit | None, trigger: str, is_read: bool
) -> tuple[State, Commit | None]:
    """
    The state once a plan is carried out, and the commit by which what waited was applied; `is_read`: lazy views read
    its stored rows next, which have to stand for what the plan stands for then.
    """
    if plan.state.delta is None and node.target.definition.apply != LATER:
        return replace(plan.state, newest=written or plan.state.newest, record=plan.stands_for), None
    if plan.into and written:
        keep_delta(tables, node, plan.into.version, written.version)
    state = load_state(tables, node.target.state) if written else plan.state
    if written and plan.into is None and _has_fallen_behind(plan.state, state):
        raise LostRace
    is_needed = is_read or has_other_constraints(plan, node)  # which Delta looks for in stored rows
    if state.record is None or state.distrust or not is_due(tables, node, state, trigger, is_needed):
        return _standing_for(plan, state) if is_read else state, None
    applied = apply(tables, node, state, state.record, trigger)
    state = load_state(tables, node.target.state)
    return _standing_for(plan, state) if is_read else state, applied


def _has_fallen_behind(before: State, now: State) -> bool:
    """
    Whether somebody propagated to the state that was there before while this one was computed: it may stand for less
    than the view shows, and has to follow before it is shown.
    """
    newest, known = now.delta.record if now.delta else None, before.record.window if before.record else 0
    return newest is not None and newest.epoch == before.epoch and newest.window > known


def _standing_for(plan: Plan, state: State) -> State:
    """The state, unless somebody else applied more meanwhile: its readers would claim less than they read."""
    if state.own.record is None or state.own.record.cut != plan.stands_for.cut:
        raise LostRace
    return state


def keep_delta(tables: Tables, node: Node, before: int, after: int) -> None:
    """
    Every so many windows: put the small files of a view delta together, and delete windows that nobody needs. Before
    the public view is pinned to what is there then; and no reason for a refresh to fail.
    """
    definition, delta = node.target.definition, sql_name(delta_name(node.target.state))
    with suppress(EngineError, LostRace):
        if is_chore_due(definition.vacuum_every, before, after):
            prune(tables, node)
            tables.engine.execute(tables.engine.render("vacuum_table", relation=delta))
        if is_chore_due(definition.compact_every, before, after):
            tables.engine.execute(tables.engine.render("optimize_table", relation=delta))


def rolled_and_applied(
    tables: Tables, planner: Planner, state: State, until: Until, trigger: str
) -> tuple[State, Commit | None]:
    """The state as it was at a moment; windows that are over by then are applied, if that is due."""
    shown = rolled(tables, planner, state, until)
    if trigger not in (OPERATION, CHILD):
        return shown, None
    return with_windows_applied(tables, planner.node, shown, trigger)


def with_windows_applied(tables: Tables, node: Node, shown: State, trigger: str) -> tuple[State, Commit | None]:
    """The same rows, with the windows before a point in the table itself."""
    stop = replace(shown, point="")
    if stop.unapplied is None:
        return shown, None
    record = record_of(tables, stop, stop.unapplied.upto)
    assert record is not None
    applied = apply(tables, node, stop, record, trigger)
    own = replace(shown.own, newest=applied, record=from_json(applied.metadata), recorded=applied)
    return replace(shown, newest=applied, base=own), applied


def applied_as_shown(tables: Tables, node: Node, state: State) -> State:
    """A view that others read as it is: they read stored rows, so what it shows is applied first, and no more."""
    if state.point or state.record is None:
        raise _between(node)
    applied = apply(tables, node, state, state.record, CHILD)
    return load_own_state(tables, state.name, at=applied.version)


def with_applied(outcome: Outcome, applied: Commit | None) -> Outcome:
    """The outcome, with what applying did."""
    if applied is None:
        return outcome
    record = from_json(applied.metadata)
    strategy = record.strategy if record else ""
    if outcome.kind != NOOP:
        told = f"{outcome.strategy}, applied by {strategy}"
        return replace(outcome, strategy=told, statements=outcome.statements + 1)
    rows, statements = rows_written(applied), outcome.statements + 1
    return replace(outcome, kind=APPLY, strategy=strategy, rows_changed=rows, statements=statements, record=record)


def _between(node: Node) -> RefreshError:
    return unreachable(
        f"{sql_name(node.target.name)} shows a moment between two windows of its view delta, and lazy views read "
        "stored rows.",
        "Refresh it to now, or to the end of a window, first.",
    )
