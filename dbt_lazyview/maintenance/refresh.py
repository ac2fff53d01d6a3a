"""One refresh: load, probe, plan, commit, confirm. Kill it anywhere: the view is at the old cut or at the new one."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace

from dbt_lazyview.compiler.auxiliaries import auxiliary_name
from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.commit import LostRace, commit, races_noticed
from dbt_lazyview.maintenance.cut import take_cut
from dbt_lazyview.maintenance.decide import INCREMENTAL, NOOP, Decision, why_refused
from dbt_lazyview.maintenance.definition import DIFF, to_properties
from dbt_lazyview.maintenance.engine import Engine, EngineError, during
from dbt_lazyview.maintenance.errors import RefreshError, failed, lost, refused, stays, unreadable
from dbt_lazyview.maintenance.failures import why_unreadable
from dbt_lazyview.maintenance.groups import Convoy, Members, gather, is_read_by, no_members
from dbt_lazyview.maintenance.history import Commit, rows_written
from dbt_lazyview.maintenance.housekeeping import keep_house
from dbt_lazyview.maintenance.keys import refuse_unusable, violated, violations
from dbt_lazyview.maintenance.limits import check_limit
from dbt_lazyview.maintenance.mixing import check_mixing
from dbt_lazyview.maintenance.outcome import Outcome, combined
from dbt_lazyview.maintenance.planning import Plan, Planner, Request, with_schemas
from dbt_lazyview.maintenance.policies import CHILD, GROUP
from dbt_lazyview.maintenance.probes import Cut, Probes
from dbt_lazyview.maintenance.public import (
    Publication,
    load_shown_state,
    note_key,
    pin,
    pinned_publication,
    publication,
    publish,
    published,
    run,
    switch,
)
from dbt_lazyview.maintenance.record import Position, Settings
from dbt_lazyview.maintenance.relevance import touch_nothing
from dbt_lazyview.maintenance.settings import SETTINGS_FOR_FEW_ROWS, having_set, read_settings
from dbt_lazyview.maintenance.splitting import next_stop
from dbt_lazyview.maintenance.staging import staged
from dbt_lazyview.maintenance.state import NO_VERSION, State, load_state
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import NOT_BUILT, Node, Target, resolve, state_name
from dbt_lazyview.maintenance.until import already_past, cut_until
from dbt_lazyview.maintenance.windows import CutPassed

ATTEMPTS = 5
NO_PARTITIONS = "[]"  # of a state


def refresh(
    engine: Engine,
    target: Target,
    request: Request = Request(),  # noqa: B008
    probes: Probes | None = None,
    members: Members = no_members,
) -> Outcome:
    """
    Bring a lazy view, the lazy views it reads, and the view groups of all of them to one new cut; by several cuts where
    that is too much at once.
    """
    parts = [refresh_part(engine, target, request, probes, members)]
    while parts[-1].is_part:
        parts.append(refresh_part(engine, target, request, probes, members))
    return combined(parts)


def refresh_part(engine: Engine, target: Target, request: Request, probes: Probes | None, members: Members) -> Outcome:
    """Bring a view to a cut; whoever loses a race looks again."""
    may_stop, earlier = True, dict[Name, Outcome]()
    for _ in range(ATTEMPTS):
        with failures_told(target, "look at the view and its sources"):
            attempt = begin(engine, target, probes, request, members)
            attempt = attempt.shortened(request) if may_stop else attempt
        try:
            outcome = attempt.arrive(request)
            done = earlier.get(target.state, outcome) if outcome.kind == NOOP else outcome
            return replace(done, companions=outcome.companions, is_part=attempt.is_part)
        except (LostRace, CutPassed, ParentReplaced) as problem:
            if request.until and isinstance(problem, CutPassed):
                raise already_past(target.name, request.until) from None
            may_stop = not isinstance(problem, CutPassed)  # a parent may be past the point to stop at
            attempt.tables.probes.forget()
            earlier |= {name: each.outcome for name, each in attempt.arrived.items() if each.outcome.kind != NOOP}
    raise lost(target.name, ATTEMPTS)


def begin(
    engine: Engine,
    target: Target,
    probes: Probes | None = None,
    request: Request = Request(),  # noqa: B008
    members: Members = no_members,
    captures: bool = True,
) -> "Attempt":
    """Compile the view and probe its base tables; `probes` are shared with other refreshes."""
    settings = read_settings(engine)
    tables = Tables(engine, settings.time_zone, probes or Probes())
    node = resolve(tables, target, captures)
    check_mixing(node)
    convoy = gather(tables, node, members, request.is_due)
    state = load_state(tables, target.state)
    known = state.record.cut if state.record else {}
    until, bases = request.until, convoy.bases
    cut = cut_until(tables, bases, until) if until else take_cut(tables, bases, known)
    return Attempt(tables, settings, node, convoy, cut, {target.state: state})


class ParentReplaced(Exception):
    """A parent got other columns on the way: the view has to be compiled again."""


@dataclass(frozen=True)
class Arrival:
    """A view at the cut: the version of its state that stands for it."""

    position: Position
    outcome: Outcome
    cut: Mapping[str, Position]  # what its record says it stands for
    since: int = NO_VERSION  # version of the state that carried the record before


@dataclass(frozen=True)
class Attempt:
    """One try to bring a view to a cut, parents first."""

    tables: Tables
    settings: Settings
    node: Node
    convoy: Convoy
    cut: Cut
    states: dict[Name, State] = field(default_factory=dict)
    arrived: dict[Name, Arrival] = field(default_factory=dict)
    under_way: set[str] = field(default_factory=set)  # groups
    replaced: set[Name] = field(default_factory=set)  # states that are new tables now
    is_part: bool = False  # more is pending than was wanted at once

    def shortened(self, request: Request) -> "Attempt":
        """The attempt to go part of the way, if all of it is too much at once and goes by changes anyway."""
        state, definition = self.states[self.node.target.state], self.node.target.definition
        goes_by_changes = state.record and not state.distrust and state.record.fingerprint == self.node.view.fingerprint
        if request.full_refresh or request.until or not goes_by_changes or not self.convoy.root_moves:
            return self
        stop = next_stop(self.tables, state, self.cut, definition.max_changes)
        return replace(self, cut=cut_until(self.tables, self.convoy.bases, stop), is_part=True) if stop else self

    def arrive(self, request: Request) -> Outcome:
        """Bring the view asked for to the cut, with its group; one in a group of snapshots may have to stay."""
        if not self.convoy.root_moves:
            return self.as_shown(self.node).outcome
        if self.node.group is None:
            return self.bring(self.node, request).outcome
        companions = self.bring_group(self.node.group, request)
        return replace(self.arrived[self.node.target.state].outcome, companions=companions)

    def bring(self, node: Node, request: Request) -> Arrival:
        """Bring one view to the cut, after its parents; each view once."""
        name = node.target.state
        if name not in self.arrived:
            parents = {parent: self.bring_parent(each, request) for parent, each in node.parents.items()}
            self.arrived[name] = self.refresh_one(node, request, parents)
            if node.group is None:
                self.keep_house(node)
            if node.target.is_auxiliary:
                pass  # its owner was compiled with it
            elif node.group is None:
                self.recompile_readers([node], (self.node, *self.convoy.members))
            else:
                self.show_replaced(node, self.convoy.groups[node.group])
        return self.arrived[name]

    def bring_parent(self, node: Node, request: Request) -> Arrival:
        """Bring a parent to the cut, with its group; a snapshot stays where it is, an auxiliary does as its owner."""
        if node.target.is_auxiliary:
            return self.bring(node, request)
        if not self.convoy.moves(node):
            return self.as_shown(node)
        if node.group and node.group not in self.under_way:
            self.bring_group(node.group, Request(trigger=GROUP))
        return self.bring(node, Request(trigger=GROUP if node.group else CHILD))

    def bring_group(self, group: str, request: Request) -> tuple[Outcome, ...]:
        """Bring all views of a group to the cut, and only then let them show it; what happened to the others."""
        self.under_way.add(group)
        members = self.convoy.groups[group]
        try:
            for member in members:
                is_asked_for = member is self.node
                self.bring(member, request if is_asked_for else Request(trigger=GROUP))
        except RefreshError as problem:
            raise stays(group, problem) from problem
        self.show(members)
        for member in members:
            self.keep_house(member)
        self.recompile_readers(members, (self.node, *self.convoy.members))
        others = [self.arrived[each.target.state].outcome for each in members if each is not self.node]
        return tuple(outcome for outcome in others if outcome.kind != NOOP)

    def show(self, members: Sequence[Node]) -> None:
        """
        The switch: every public view at its new version. Two refreshers may switch at the same time, each to the
        versions it knows: whoever finds that there are newer ones looks again.
        """
        engine = self.tables.engine
        at = {each.target.state: self.arrived[each.target.state].position for each in members}
        with failures_told(self.node.target, "let the views of the group show their new rows"), races_noticed():
            wanted = [pinned_publication(engine, each, at[each.target.state].version) for each in members]
            switched = switch(engine, wanted)
        for name in switched:
            self.tables.probes.forget_relation(name)
        heads = {name: self.tables.detail(name) for name in at if switched}
        if any(head is None or head.modified != at[name].timestamp for name, head in heads.items()):
            raise LostRace

    def show_replaced(self, node: Node, members: Sequence[Node]) -> None:
        """A new definition that others of the group read is shown at once: they cannot be compiled before."""
        try:
            self.recompile_readers([node], members)
        except ParentReplaced:
            self.show([node])
            raise

    def as_shown(self, node: Node) -> Arrival:
        """A view as its readers find it."""
        state = load_shown_state(self.tables, node.target.state)
        if state.distrust:
            raise unreadable(node.target.name, state.distrust)
        refuse_unusable(self.tables.engine, node, state.version)
        return self.standing(node, state)

    def standing(self, node: Node, state: State) -> Arrival:
        """A view where it is; an auxiliary that is not built yet, where it will be."""
        if state.newest is None:
            return Arrival(Position(0, 0, ""), Outcome(sql_name(node.target.name), NOOP), {})
        noop = Plan(Decision(NOOP), state)
        return self.arrival(noop, None, Outcome(sql_name(node.target.name), NOOP))

    def refresh_one(self, node: Node, request: Request, parents: dict[Name, Arrival]) -> Arrival:
        started = time.time()
        with failures_told(node.target, "plan the refresh"):
            planner = self.planner(node, parents)
            plan, written, statements = self.carry_out(planner, request, started)
        with failures_told(node.target, "let the view show its new rows"), races_noticed():
            statements += self.follow_definition(node, plan)
            if plan.replaces_state:
                self.replaced.add(node.target.state)
                statements += self.drop_unread(node)
            if node.group is None and not node.target.is_auxiliary:
                statements += self.publish(publication(self.tables.engine, node, plan.stands_for.reads))
            statements += self.look_at_key(node, written or plan.state.newest)
        seconds = time.time() - started
        outcome = _outcome(node, plan, written, statements, seconds, told_of(node, parents))
        return self.arrival(plan, written, outcome)

    def drop_unread(self, node: Node) -> int:
        """Drop the auxiliary states of an earlier definition; they are numbered without gaps."""
        if node.target.is_auxiliary:
            return 0
        read, number, statements = node.auxiliaries, 1, 0
        while (name := state_name(auxiliary_name(node.target.name, number))) in read or self.tables.detail(name):
            if name not in read:
                statements += run(self.tables.engine, drop(self.tables.engine, name))
            number += 1
        return statements

    def look_at_key(self, node: Node, at: Commit | None) -> int:
        """
        Look for rows with the same key, once per version of the state; that they are unique is noted with the public
        view afterwards, so that whoever dies in between leaves no doubt. A group does not show what is not usable.
        """
        engine, name = self.tables.engine, node.target.name
        if not node.target.definition.unique_key or at is None or published(engine, name).checked_version == at.version:
            return 0
        found = violations(engine, node, at.version)
        noted = note_key(engine, name, at.version, is_unique=not found) if node.group is None else 0
        if found:
            raise violated(node, found)
        return noted

    def keep_house(self, node: Node) -> None:
        """Once a view shows what was written: look after the files of its state."""
        arrival = self.arrived[node.target.state]
        if arrival.outcome.record is None:
            return
        chores = keep_house(self.tables.engine, node.target, arrival.since, arrival.position.version)
        self.arrived[node.target.state] = replace(arrival, outcome=replace(arrival.outcome, chores=chores))

    def recompile_readers(self, nodes: Sequence[Node], readers: Sequence[Node]) -> None:
        """Begin again if some of these views are other relations now than when their readers were compiled."""
        replaced = [each.target.state for each in nodes if each.target.state in self.replaced]
        if any(is_read_by(reader, state) for reader in readers for state in replaced):
            raise ParentReplaced

    def planner(self, node: Node, parents: dict[Name, Arrival]) -> Planner:
        name, node = node.target.state, self.with_built(node)
        state = self.states.pop(name, None) or load_state(self.tables, name)
        positions = {each: parents[each].position if each in parents else self.cut[each] for each in node.details}
        inherited = {table: at for parent in parents.values() for table, at in parent.cut.items()}
        return Planner(
            self.tables,
            self.settings,
            node,
            state,
            self.cut,
            with_schemas(positions, node),
            self.convoy.bases_of(node),
            inherited,
        )

    def with_built(self, node: Node) -> Node:
        """The node with the details of auxiliaries that were built just now."""
        missing = [name for name, detail in node.details.items() if detail is NOT_BUILT]
        built = {name: detail for name in missing if (detail := self.tables.detail(name))}
        return replace(node, details={**node.details, **built}) if built else node

    def carry_out(self, planner: Planner, request: Request, started: float) -> tuple[Plan, Commit | None, int]:
        """Run the plan; where the changes turn out unreadable, recompute instead."""
        plan = self.relevant(planner, checked(planner.plan(request), planner))
        for other_way in self.other_ways(planner, request):
            plan = stamped(plan, request, started)
            try:
                return plan, *self.write(plan)
            except EngineError as error:
                reason = why_unreadable(error)
                if plan.decision.kind != INCREMENTAL or reason is None:
                    raise
                plan = checked(other_way(reason), planner)
        raise AssertionError("a full refresh is the last way")

    def other_ways(self, planner: Planner, request: Request) -> Iterator[Callable[[Reason], Plan]]:
        """What to do instead, each time that changes turn out unreadable."""
        if planner.node.target.definition.capture == DIFF:
            yield lambda _: planner.compared()
        while True:
            yield lambda reason: planner.plan(request, unreadable=reason)

    def relevant(self, planner: Planner, plan: Plan) -> Plan:
        """The plan, or one that leaves the rows as they are, where the changes do not touch them."""
        if plan.decision.kind != INCREMENTAL or not touch_nothing(self.tables, planner.node, planner.windows()[0]):
            return plan
        return planner.advanced(Decision(NOOP, Reason.CHANGES_IRRELEVANT), plan.record.changes if plan.record else None)

    def write(self, plan: Plan) -> tuple[Commit | None, int]:
        if plan.record is None:
            return None, 0
        pinned = pin(self.tables.engine, plan.state) if plan.replaces_state else 0
        settings = SETTINGS_FOR_FEW_ROWS if plan.is_small else {}
        with ExitStack() as stages:
            with during("compute the changes"):
                stages.enter_context(having_set(self.tables.engine, settings))
                stages.enter_context(staged(self.tables.engine, plan.stages))
            written = commit(self.tables, plan.state, plan.statement, plan.record)
        return written, pinned + len(plan.stages) + 1

    def follow_definition(self, node: Node, plan: Plan) -> int:
        """Let the state remember a definition that gives the same rows by other words or configs."""
        if plan.replaces_state or plan.state.definition == node.target.definition:
            return 0
        return run(self.tables.engine, remember(self.tables.engine, node))

    def publish(self, wanted: Publication) -> int:
        """Let the public view be what it should; what was seen under its name before is no longer true then."""
        statements = publish(self.tables.engine, wanted)
        if statements:
            self.tables.probes.forget_relation(wanted.name)
        return statements

    def arrival(self, plan: Plan, written: Commit | None, outcome: Outcome) -> Arrival:
        """Where children find the state: the version just written, or the one loaded, which holds the same rows."""
        at = written or plan.state.newest
        assert at is not None
        table_id = plan.state.detail.id if plan.state.detail else ""
        position = Position(at.version, at.timestamp, table_id, partitions=NO_PARTITIONS)
        since = plan.state.recorded.version if plan.state.recorded else NO_VERSION
        return Arrival(position, outcome, plan.stands_for.cut, since)


def told_of(node: Node, parents: Mapping[Name, Arrival]) -> tuple[Outcome, ...]:
    """What happened to the parents that a user knows."""
    arrived = [(parents[name].outcome, parent.target.is_auxiliary) for name, parent in node.parents.items()]
    return tuple(each for outcome, hidden in arrived for each in (outcome.parents if hidden else (outcome,)))


@contextmanager
def failures_told(target: Target, step: str) -> Iterator[None]:
    """Errors of the engine as a refresh that failed: of which view, in which step."""
    try:
        with during(step):
            yield
    except EngineError as error:
        raise failed(target.name, error) from error


def checked(plan: Plan, planner: Planner) -> Plan:
    """The plan, unless the view's refresh mode forbids it, or its limit."""
    node = planner.node
    reason = why_refused(plan.decision, node.target.definition.refresh_mode, node.problems)
    if reason:
        raise refused(node.target.name, reason, plan.decision.about, node.problems)
    check_limit(planner, plan)
    return plan


def stamped(plan: Plan, request: Request, started: float) -> Plan:
    """The plan, with what set it off in its record."""
    if plan.record is None:
        return plan
    return replace(plan, record=replace(plan.record, trigger=request.trigger, started=round(started * 1000)))


def drop(engine: Engine, name: Name) -> str:
    """The statement that drops a state."""
    return engine.render("drop_table", relation=sql_name(name))


def remember(engine: Engine, node: Node) -> str:
    """The statement that stores a definition with its state."""
    properties = to_properties(node.target.definition, node.view.fingerprint)
    return engine.render("set_properties", relation=sql_name(node.target.state), properties=properties)


def _outcome(
    node: Node, plan: Plan, written: Commit | None, statements: int, seconds: float, parents: tuple[Outcome, ...]
) -> Outcome:
    decision, record = plan.decision, plan.record
    return Outcome(
        view=sql_name(node.target.name),
        kind=decision.kind,
        reason=decision.reason.word if decision.reason else "",
        changes=record.changes if record else 0,
        rows_changed=rows_written(written) if written else 0,
        statements=statements,
        strategy=record.strategy if record else "",
        seconds=seconds,
        parents=tuple(parent for parent in parents if parent.kind != NOOP),
        policy=node.target.definition.policy,
        refresh_mode=node.target.definition.refresh_mode,
        state_bytes=plan.state.detail.size if plan.state.detail else 0,
        record=record,
    )
