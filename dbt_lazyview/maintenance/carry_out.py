"""One view of a refresh: its plan is carried out, and what follows from it for its public view and its properties."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import count, takewhile

from dbt_lazyview.compiler.auxiliaries import auxiliary_name
from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.commit import commit
from dbt_lazyview.maintenance.constraints import check_constraints
from dbt_lazyview.maintenance.decide import INCREMENTAL, NOOP, WRITES_ALL, Decision, why_refused
from dbt_lazyview.maintenance.definition import DIFF, LATER
from dbt_lazyview.maintenance.engine import Engine, EngineError, during
from dbt_lazyview.maintenance.errors import failed, refused
from dbt_lazyview.maintenance.failures import is_overflow, why_unreadable
from dbt_lazyview.maintenance.history import Commit
from dbt_lazyview.maintenance.keys import violated, violations
from dbt_lazyview.maintenance.large_states import statement_of
from dbt_lazyview.maintenance.limits import check_limit
from dbt_lazyview.maintenance.plan import Plan, Request
from dbt_lazyview.maintenance.planning import Planner
from dbt_lazyview.maintenance.public import (
    Publication,
    note_key,
    pin,
    publish,
    published,
    run,
)
from dbt_lazyview.maintenance.relevance import is_worth_a_look, may_touch_nothing, touch_nothing
from dbt_lazyview.maintenance.settings import AS_IN_UTC, JUST_SEEN, SETTINGS_FOR_FEW_ROWS, WHOLE_TABLE, having_set
from dbt_lazyview.maintenance.staging import staged
from dbt_lazyview.maintenance.state import State
from dbt_lazyview.maintenance.storage import alterations
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import Node, Target, state_name
from dbt_lazyview.maintenance.view_delta.table import check_epoch, prepare_delta

DELETION_VECTORS = "delta.enableDeletionVectors"


def carry_out(tables: Tables, planner: Planner, request: Request, started: float) -> tuple[Plan, Commit | None, int]:
    """Run the plan; another one where sums overflow, or the changes turn out unreadable."""
    plan = _checked(planner.plan(request), planner)
    plan = _relevant(tables, planner, plan) if request.options.skip_irrelevant else plan
    dropped = drop_unread(tables, planner.node) if _may_have_left_some(plan) else 0
    other_ways = _other_ways(planner, request)
    dropped += remember_first(tables.engine, planner.node, plan)
    while True:
        plan = _stamped(plan, request, started)
        try:
            written, statements = _write(tables, plan)
            return plan, written, dropped + statements
        except EngineError as error:
            if plan.decision.kind != INCREMENTAL:
                raise
            if plan.checks_sums and is_overflow(error):
                plan = planner.without_checks(request.options)
            else:
                plan = _checked(_instead(other_ways, error), planner)


def follow_definition(engine: Engine, node: Node, plan: Plan) -> int:
    """Let the state remember a definition that gives the same rows by other words or configs."""
    stored, wanted = plan.state.definition, node.target.definition
    if plan.replaces_state or stored == wanted:
        return 0
    statements = alterations(engine, node.target.state, stored or wanted, wanted, node.view)
    return sum(run(engine, statement) for statement in statements)


def remember_first(engine: Engine, node: Node, plan: Plan) -> int:
    """
    Let the state say that there is a view delta before there is one: whoever finds the delta's rows must look for them.
    """
    stored = plan.state.definition
    if plan.into is None or stored is None or stored.apply == LATER:
        return 0
    return follow_definition(engine, node, plan)


def show_view(tables: Tables, wanted: Publication) -> int:
    """Let the public view be what it should; what was seen under its name before is no longer true then."""
    statements = publish(tables.engine, wanted)
    if statements:
        tables.probes.forget_relation(wanted.name)
    return statements


def look_at_key(engine: Engine, node: Node, state: State) -> int:
    """
    Look for rows with the same key, once per version of the state; that they are unique is noted with the public
    view afterwards, so that whoever dies in between leaves no doubt. A group does not show what is not usable.
    """
    name, at = node.target.name, state.version
    if state.unapplied and state.record:
        at = state.record.window  # a number that no version will ever be
    if not node.target.definition.unique_key or published(engine, name).checked_version == at:
        return 0
    found = violations(engine, node, state)
    noted = note_key(engine, name, at, is_unique=not found) if node.group is None else 0
    if found:
        raise violated(node, found)
    return noted


def drop_unread(tables: Tables, node: Node) -> int:
    """Drop the auxiliary states of an earlier definition, the last one first: they are numbered without gaps."""
    if node.target.is_auxiliary:
        return 0
    numbered = (state_name(auxiliary_name(node.target.name, number)) for number in count(1))
    found = takewhile(lambda name: name in node.auxiliaries or tables.detail(name) is not None, numbered)
    unread = [name for name in found if name not in node.auxiliaries]
    return sum(run(tables.engine, _drop(tables.engine, name)) for name in reversed(unread))


def _may_have_left_some(plan: Plan) -> bool:
    """
    Whether something is to be written to a state that was computed from all rows last: whoever did that may have been
    killed before the auxiliary states of the definition before were dropped.
    """
    last = plan.state.record
    return plan.record is not None and not plan.replaces_state and last is not None and last.kind in WRITES_ALL


@contextmanager
def failures_told(target: Target, step: str) -> Iterator[None]:
    """Errors of the engine as a refresh that failed: of which view, in which step."""
    try:
        with during(step, target.name):
            yield
    except EngineError as error:
        raise failed(target.name, error) from error


def _instead(other_ways: Iterator[Callable[[Reason], Plan]], error: EngineError) -> Plan:
    """What to do after changes could not be read; the error itself where something else failed."""
    reason = why_unreadable(error)
    if reason is None:
        raise error
    return next(other_ways)(reason)


def _other_ways(planner: Planner, request: Request) -> Iterator[Callable[[Reason], Plan]]:
    """What to do instead, each time that changes turn out unreadable."""
    if planner.node.target.definition.capture == DIFF:
        yield lambda _: planner.compared(request.options)
    while True:
        yield lambda reason: planner.plan(request, unreadable=reason)


def _relevant(tables: Tables, planner: Planner, plan: Plan) -> Plan:
    """The plan, or one that leaves the rows as they are, where the changes do not touch them."""
    if plan.decision.kind != INCREMENTAL or plan.record is None:
        return plan
    deltas = may_touch_nothing(planner.node, planner.windows()[0])
    if not deltas:
        return plan
    known = plan.record.experience
    if not is_worth_a_look(known.touched) or not touch_nothing(tables, deltas):
        return plan.noting(experience=replace(known, touched=known.touched + 1))
    advanced = planner.advanced(Decision(NOOP, Reason.CHANGES_IRRELEVANT), plan.record.changes)
    return advanced.noting(experience=replace(known, touched=0))


def _write(tables: Tables, plan: Plan) -> tuple[Commit | None, int]:
    if plan.record is None:
        return None, 0
    pinned = pin(tables.engine, plan.state) if plan.replaces_state else 0
    pinned += prepare_delta(tables, plan.state, plan.into) if plan.into else 0
    pinned += _mark_deletions(tables.engine, plan.state) if plan.large_merge else 0
    settings = {**(SETTINGS_FOR_FEW_ROWS if plan.is_small else {}), **_settings_of_writer(tables.engine, plan)}
    with ExitStack() as stages:
        with during("compute the changes"):
            stages.enter_context(having_set(tables.engine, settings))
            stages.enter_context(staged(tables.engine, plan.stages))
            check_constraints(tables.engine, plan)
            statement = statement_of(tables.engine, plan)
        written = commit(tables, plan.into or plan.state, statement, plan.record, plan.affected)
    if plan.into:
        check_epoch(tables, plan.state)
    return written, pinned + len(plan.stages) + 1


def _mark_deletions(engine: Engine, state: State) -> int:
    """Let rows of a state that got large be marked as deleted, instead of writing all others of their files anew."""
    if state.detail is None or state.detail.properties.get(DELETION_VECTORS) == "true":
        return 0
    properties = {DELETION_VECTORS: "true"}
    return run(engine, engine.render("set_properties", relation=sql_name(state.name), properties=properties))


def _settings_of_writer(engine: Engine, plan: Plan) -> dict[str, str]:
    """What the statement that commits is run with, whatever it computes."""
    has_partitions = plan.state.detail is not None and plan.state.detail.partitions != "[]"
    settings = WHOLE_TABLE if has_partitions else {}
    if not engine.shortcuts:
        return settings
    may_have_partitions = has_partitions or plan.replaces_state
    return {**settings, **JUST_SEEN, **({} if may_have_partitions else AS_IN_UTC)}


def _checked(plan: Plan, planner: Planner) -> Plan:
    """The plan, unless the view's refresh mode forbids it, or its limit."""
    node = planner.node
    reason = why_refused(plan.decision, node.target.definition.refresh_mode, node.problems)
    if reason:
        raise refused(node.target.name, reason, plan.decision.about, node.problems)
    check_limit(planner, plan)
    return plan


def _stamped(plan: Plan, request: Request, started: float) -> Plan:
    """The plan, with what set it off in its record."""
    if plan.record is None:
        return plan
    return replace(plan, record=replace(plan.record, trigger=request.trigger, started=round(started * 1000)))


def _drop(engine: Engine, name: Name) -> str:
    """The statement that drops a state."""
    return engine.render("drop_table", relation=sql_name(name))
