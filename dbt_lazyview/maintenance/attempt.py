"""One try to bring a view to a cut: parents first, groups together, each view once."""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.arrival import Arrival, outcome_of, told_of
from dbt_lazyview.maintenance.carry_out import (
    carry_out,
    drop_unread,
    failures_told,
    follow_definition,
    look_at_key,
)
from dbt_lazyview.maintenance.commit import LostRace, races_noticed
from dbt_lazyview.maintenance.constraints import follow_constraints
from dbt_lazyview.maintenance.decide import NOOP
from dbt_lazyview.maintenance.definition import LATER
from dbt_lazyview.maintenance.errors import RefreshError, stays, unreadable
from dbt_lazyview.maintenance.groups import Convoy, is_read_by
from dbt_lazyview.maintenance.history import Commit
from dbt_lazyview.maintenance.housekeeping import keep_house
from dbt_lazyview.maintenance.keys import refuse_unusable
from dbt_lazyview.maintenance.outcome import ROLL, Outcome
from dbt_lazyview.maintenance.plan import Plan, Request
from dbt_lazyview.maintenance.planning import Planner, with_schemas
from dbt_lazyview.maintenance.policies import CHILD, GROUP
from dbt_lazyview.maintenance.probes import Cut
from dbt_lazyview.maintenance.public import load_shown_state
from dbt_lazyview.maintenance.record import Position, Settings
from dbt_lazyview.maintenance.registered import register
from dbt_lazyview.maintenance.splitting import next_stop
from dbt_lazyview.maintenance.state import NO_VERSION, State, load_state
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import NOT_BUILT, Node
from dbt_lazyview.maintenance.until import Until, already_past, cut_until
from dbt_lazyview.maintenance.view_delta.apply import apply
from dbt_lazyview.maintenance.view_delta.settle import (
    applied_as_shown,
    expecting_delta,
    rolled_and_applied,
    settled,
    with_applied,
)
from dbt_lazyview.maintenance.view_delta.switch import show


class ParentReplaced(Exception):
    """A parent got other columns on the way: the view has to be compiled again."""


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
            if node.group is not None:
                self.show_replaced(node, self.convoy.groups[node.group])
            else:
                self.keep_house(node)
                if not node.target.is_auxiliary:  # which its owner was compiled with
                    self.recompile_readers([node], (self.node, *self.convoy.members))
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
        self.pin_again(members)
        self.recompile_readers(members, (self.node, *self.convoy.members))
        others = [self.arrived[each.target.state].outcome for each in members if each is not self.node]
        return tuple(outcome for outcome in others if outcome.kind != NOOP)

    def show(self, members: Sequence[Node]) -> None:
        """The switch: every public view at its new version."""
        arrived = [(each, self.arrived[each.target.state].state) for each in members]
        with failures_told(self.node.target, "let the views of the group show their new rows"), races_noticed():
            show(self.tables, [(node, state) for node, state in arrived if state])

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
        refuse_unusable(self.tables.engine, node, state)
        return self.standing(node, applied_as_shown(self.tables, node, state) if state.unapplied else state)

    def standing(self, node: Node, state: State) -> Arrival:
        """A view where it is; an auxiliary that is not built yet, where it will be."""
        if state.newest is None:
            return Arrival(Position(0, 0, ""), Outcome(sql_name(node.target.name), NOOP), {})
        return self.arrival(state, Outcome(sql_name(node.target.name), NOOP), state.version)

    def refresh_one(self, node: Node, request: Request, parents: dict[Name, Arrival]) -> Arrival:
        started = time.time()
        with failures_told(node.target, "plan the refresh"):
            self.apply_what_is_unwanted(node, request)
            planner = self.planner(node, parents)
            plan, written, statements = carry_out(self.tables, planner, request, started)
        with failures_told(node.target, "let the view show its new rows"), races_noticed():
            state, applied = settled(self.tables, node, plan, written, request.trigger, self.is_read(node))
            constrained = follow_constraints(self.tables.engine, node, plan)
            altered = follow_definition(self.tables.engine, node, plan)
            statements += constrained + altered
            if plan.replaces_state:
                self.replaced.add(node.target.state)
                statements += drop_unread(self.tables, node)
            if constrained + altered and state.delta:
                state = load_state(self.tables, node.target.state)
            if node.group is None and not node.target.is_auxiliary:
                statements += show(self.tables, [(node, state)])
            statements += look_at_key(self.tables.engine, node, state) + self.register_with_parents(node)
        seconds = time.time() - started
        outcome = outcome_of(node, plan, written, statements, seconds, told_of(node, parents))
        since = plan.state.own.recorded.version if plan.state.own.recorded else NO_VERSION
        outcome = replace(outcome, is_altered=altered > 0)
        is_untouched = plan.into is not None and applied is None
        return self.arrival(state, with_applied(outcome, applied), state.version if is_untouched else since, plan)

    def is_read(self, node: Node) -> bool:
        """Whether somebody on the way reads the stored rows of a view."""
        return any(is_read_by(each, node.target.state) for each in (self.node, *self.convoy.members))

    def roll(self, request: Request, until: Until) -> Outcome:
        """
        Show the view, and those of its group, as they were at the cut, which they are past; what is over by then is
        applied, the rest stays.
        """
        started = time.time()
        members = self.convoy.groups[self.node.group] if self.node.group else (self.node,)
        rolled = [(each, *self.rolled(each, request, until)) for each in members]
        statements = show(self.tables, [(node, state) for node, state, _ in rolled])
        statements += sum(look_at_key(self.tables.engine, node, state) for node, state, _ in rolled)
        applied = next(applied for node, _, applied in rolled if node is self.node)
        outcome = Outcome(sql_name(self.node.target.name), ROLL, statements=statements)
        return replace(with_applied(outcome, applied), seconds=time.time() - started)

    def rolled(self, node: Node, request: Request, until: Until) -> tuple[State, Commit | None]:
        """A view as it was at the cut."""
        state = load_state(self.tables, node.target.state)
        if state.distrust or state.record is None or state.record.fingerprint != node.view.fingerprint:
            raise already_past(node.target.name, until)
        if node.target.definition.apply != LATER:
            raise already_past(node.target.name, until)
        planner = self.planner(node, {name: self.as_shown(each) for name, each in node.parents.items()})
        return rolled_and_applied(self.tables, planner, state, until, request.trigger)

    def apply_what_is_unwanted(self, node: Node, request: Request) -> None:
        """A model that wants no view delta any more gets rid of what is in it first."""
        if node.target.definition.apply == LATER or node.target.is_auxiliary:
            return
        state = self.states.pop(node.target.state, None) or load_state(self.tables, node.target.state)
        is_left = state.unapplied is not None and not state.distrust and state.record is not None
        if is_left and state.record and state.record.fingerprint == node.view.fingerprint:
            apply(self.tables, node, state, state.record, request.trigger)
            state = load_state(self.tables, node.target.state)
        self.states[node.target.state] = state

    def register_with_parents(self, node: Node) -> int:
        """Let the states that a view reads say so: their history is kept for it."""
        read = [each for each in node.parents.values() if not each.target.is_auxiliary]
        ours = [each.target.state for each in read if not self.convoy.elsewhere(each.target)]
        return sum(register(self.tables.engine, name, node.details[name], node.target.state) for name in ours)

    def keep_house(self, node: Node) -> None:
        """Once a view shows what was written: look after the files of its state."""
        arrival = self.arrived[node.target.state]
        if arrival.outcome.record is None:
            return
        versions = (arrival.since, arrival.position.version)
        chores = keep_house(self.tables, node.target, *versions, has_only_new_files=arrival.has_only_new_files)
        self.arrived[node.target.state] = replace(arrival, outcome=replace(arrival.outcome, chores=chores))

    def pin_again(self, members: Sequence[Node]) -> None:
        """Housekeeping leaves new versions with the same rows, and Delta does not keep the one before for long."""
        tidied = [each for each in members if self.arrived[each.target.state].outcome.chores]
        found = [(each, load_state(self.tables, each.target.state)) for each in tidied]
        same = [(each, state) for each, state in found if state.record == self.arrived[state.name].record]
        with suppress(LostRace):
            show(self.tables, same)

    def recompile_readers(self, nodes: Sequence[Node], readers: Sequence[Node]) -> None:
        """Begin again if some of these views are other relations now than when their readers were compiled."""
        replaced = [each.target.state for each in nodes if each.target.state in self.replaced]
        if any(is_read_by(reader, state) for reader in readers for state in replaced):
            raise ParentReplaced

    def planner(self, node: Node, parents: dict[Name, Arrival]) -> Planner:
        name, node = node.target.state, self.with_built(node)
        state = self.states.pop(name, None) or load_state(self.tables, name)
        state = expecting_delta(self.tables, node, state)
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
            self.is_part,
        )

    def with_built(self, node: Node) -> Node:
        """The node with the details of auxiliaries that were built just now."""
        missing = [name for name, detail in node.details.items() if detail is NOT_BUILT]
        built = {name: detail for name in missing if (detail := self.tables.detail(name))}
        return replace(node, details={**node.details, **built}) if built else node

    def arrival(self, state: State, outcome: Outcome, since: int, plan: Plan | None = None) -> Arrival:
        """Where children find the state: the version just written, or the one loaded, which holds the same rows."""
        assert state.newest is not None
        assert state.record is not None
        table_id = state.detail.id if state.detail else ""
        is_replaced = plan is not None and plan.replaces_state
        partitions = None if is_replaced or not state.detail else state.detail.partitions
        position = Position(state.version, state.newest.timestamp, table_id, partitions=partitions)
        is_fresh = plan is not None and plan.leaves_only_new_files
        return Arrival(position, outcome, state.record.cut, since, state, is_fresh)
