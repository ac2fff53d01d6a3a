"""Plan: from a view, its state and a cut to a decision and the one statement that carries it out. Writes nothing."""

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from dbt_lazyview.compiler.catalog import Name, Table
from dbt_lazyview.compiler.derivation import Options
from dbt_lazyview.compiler.passes.broadcast_hints import are_few
from dbt_lazyview.compiler.passes.staging import with_change_staged
from dbt_lazyview.compiler.plan import Among, RefreshPlan, StateRead, Window
from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.adoption import adopted
from dbt_lazyview.maintenance.affected import Affected
from dbt_lazyview.maintenance.bounds import extents_of_keys, within_bounds
from dbt_lazyview.maintenance.column_changes import restored_version
from dbt_lazyview.maintenance.cut_over import (
    AllAtOnce,
    changes_in,
    foreseen,
    is_question,
    is_too_much,
    learned,
    noted,
    pending_in,
)
from dbt_lazyview.maintenance.decide import (
    APPEND,
    FULL,
    INCREMENTAL,
    LARGE_STATE,
    MERGE,
    NOOP,
    REWRITE,
    Decision,
    Situation,
    choose_strategy,
    decide,
    should_advance,
)  # fmt: skip
from dbt_lazyview.maintenance.definition import LATER
from dbt_lazyview.maintenance.extents import NOTHING_RECORDED, Extents
from dbt_lazyview.maintenance.history import Commit
from dbt_lazyview.maintenance.large_states import keys_of_whole_numbers
from dbt_lazyview.maintenance.plan import Check, LargeMerge, Plan, Request
from dbt_lazyview.maintenance.probes import Cut
from dbt_lazyview.maintenance.public import PREVIEW, published
from dbt_lazyview.maintenance.record import Estimate, Experience, Position, Record, Settings
from dbt_lazyview.maintenance.registered import registered
from dbt_lazyview.maintenance.state import State
from dbt_lazyview.maintenance.statistics import Statistics
from dbt_lazyview.maintenance.storage import checked_conditions, is_stored_elsewhere, refuse_move, storage_of
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import Node
from dbt_lazyview.maintenance.view_delta.windows import point_record, window_of, window_record
from dbt_lazyview.maintenance.windows import Obstacle, as_diff, follow, is_same_version
from dbt_lazyview.names import AFFECTED_ROWS, quoted


@dataclass(frozen=True)
class Planner:
    """Plans one view against its cut: `reads` is the version of every source, parents' states included."""

    tables: Tables
    settings: Settings
    node: Node
    state: State
    cut: Cut
    reads: Mapping[Name, Position]
    bases: Collection[Name]  # tables under the view that the cut is about
    inherited: Mapping[str, Position] = field(default_factory=dict)  # the cuts its parents stand for
    is_part: bool = False  # the cut is only on the way to where the view shall be
    is_point: bool = False  # the cut is between two windows of the view delta, which stay

    def plan(self, request: Request, unreadable: Reason | None = None) -> Plan:
        """Decide and write down; `unreadable` is why an incremental statement failed just now."""
        refuse_move(self.state.name, self.state.definition, self.node.target.definition)
        windows, obstacles = self.windows()
        situation = self.situation(request, windows, obstacles)
        decision = Decision(FULL, unreadable) if unreadable else decide(situation)
        if decision.kind == NOOP:
            return self.noop(decision)
        estimate = self.estimate(windows) if decision.kind == INCREMENTAL else None
        if estimate and is_too_much(estimate):
            if self.is_part:
                raise AllAtOnce
            decision = Decision(FULL, Reason.DELTA_TOO_LARGE)
        if decision.kind != INCREMENTAL:
            return self.full(decision).noting(estimate=estimate, **noted(windows))
        return self.incremental(decision, windows, request.options).noting(estimate=estimate, **noted(windows))

    def windows(self) -> tuple[dict[Name, Window], tuple[Obstacle, ...]]:
        """What happened to every source since the record; nothing where there is no record to start from."""
        return self._windows

    @cached_property
    def _windows(self) -> tuple[dict[Name, Window], tuple[Obstacle, ...]]:
        recorded = self.state.record.reads if self.state.record and not self.state.distrust else {}
        recorded = {**recorded, **(self.adopted or {})}
        found = {name: self.follow(name, recorded[sql_name(name)]) for name in self.reads if sql_name(name) in recorded}
        sizes = {name: detail.size for name, detail in self.node.details.items()}
        windows = {name: replace(each, bytes=sizes[name]) for name, each in found.items() if isinstance(each, Window)}
        return windows, tuple(
            Obstacle(each, sql_name(name)) for name, each in found.items() if isinstance(each, Reason)
        )

    def follow(self, name: Name, recorded: Position) -> Window | Reason:
        now, location = self.reads[name], self.node.details[name].location
        commits = () if is_same_version(recorded, now) else self.commits(name, recorded.version, now.version)
        return follow(recorded, now, commits, location, self.node.used[name])

    def commits(self, name: Name, one: int, other: int) -> tuple[Commit, ...]:
        """The commits between two versions; down to the one that a table was restored to, for its columns."""
        found = self.tables.commits_between(name, one, other)
        restored = restored_version(each for each in found if each.version > one)
        return found if restored is None or restored >= one else self.tables.commits_between(name, restored, other)

    def estimate(self, windows: Mapping[Name, Window]) -> Estimate | None:
        """What both ways would cost, where that is a question, and the choice is ours."""
        definition, pending = self.node.target.definition, pending_in(windows)
        is_ours = definition.refresh_mode == "auto" and definition.full_refresh_limit is None
        if not is_ours or pending is None or not is_question(self.experience, pending, self.source_bytes):
            return None
        return foreseen(self.experience, pending, self.source_rows, self.source_bytes)

    @cached_property
    def experience(self) -> Experience:
        ended = self.state.recorded.timestamp if self.state.recorded else 0
        return learned(self.state.record, ended)

    @cached_property
    def statistics(self) -> Statistics:
        return Statistics(self.tables.engine)

    @cached_property
    def extents(self) -> Extents:
        recorded = self.state.record.extents if self.state.record and not self.state.distrust else NOTHING_RECORDED
        return Extents(self.tables.engine, self.statistics, self.node.view.compared_columns, recorded)

    @property
    def source_bytes(self) -> int:
        return sum(each.size for each in self.node.details.values())

    def source_rows(self) -> int:
        """How many rows all sources have; Delta tells from its log."""
        return sum(self.rows_of(name) for name in self.reads)

    def rows_of(self, name: Name) -> int:
        engine, version = self.tables.engine, self.reads[name].version
        told = engine.shortcuts.row_count(name, version) if engine.shortcuts else None
        if told is not None:
            return told
        relation = self.render("pinned_state", state=sql_name(name), version=version)
        return int(engine.query(self.render("count_rows", relation=relation))[0]["rows"])

    def situation(self, request: Request, windows: Mapping[Name, Window], obstacles: tuple[Obstacle, ...]) -> Situation:
        record, definition = self.state.record, self.node.target.definition
        return Situation(
            definition.refresh_mode,
            self.distrust(),
            request.full_refresh,
            request.is_due,
            definition_changed=self.means_something_else() and not self.is_due_to(obstacles),
            settings_changed=bool(record and record.settings != self.settings),
            problems=self.node.problems,
            obstacles=obstacles,
            windows=windows,
        )

    def means_something_else(self) -> bool:
        """Whether the query is not the one behind the stored rows (its own words changed, or a view it reads), or
        these have to go elsewhere."""
        return (self.is_another and self.adopted is None) or is_stored_elsewhere(
            self.state.definition, self.node.target.definition
        )

    @property
    def is_another(self) -> bool:
        return self.state.record is not None and self.state.record.fingerprint != self.node.view.fingerprint

    @cached_property
    def adopted(self) -> Mapping[str, Position] | None:
        """Where to go on in sources that are clones of those behind the stored rows; None: they are other rows."""
        record, stored = self.state.record, self.state.definition
        if not self.is_another or self.state.distrust or record is None or stored is None:
            return None
        return adopted(self.tables, self.node, stored, record)

    def is_due_to(self, obstacles: tuple[Obstacle, ...]) -> bool:
        """Whether the same words mean something else only because a source is another one now."""
        stored = self.state.definition
        return bool(obstacles) and stored is not None and stored.sql == self.node.target.definition.sql

    def distrust(self) -> Reason | None:
        """A missing state is a first build unless its public view is still there."""
        is_missing = self.state.distrust is Reason.STATE_MISSING
        if is_missing and published(self.tables.engine, self.node.target.name).digest in (None, PREVIEW):
            return Reason.FIRST_BUILD
        return self.state.distrust

    def compared(self, options: Options) -> Plan:
        """From the rows of every source that changed, at both ends of its window: for feeds that cannot be read."""
        windows, _ = self.windows()
        both_ends = {name: as_diff(each) if each.changed else each for name, each in windows.items()}
        return self.incremental(Decision(INCREMENTAL), both_ends, options)

    def without_checks(self, options: Options) -> Plan:
        """Sums that may overflow are computed again from the rows of their groups."""
        unchecked = replace(options, checked_sums=False)
        return self.incremental(Decision(INCREMENTAL), self.windows()[0], unchecked)

    def noop(self, decision: Decision) -> Plan:
        """Nothing to write, except that now and then the record follows versions without data changes."""
        record = self.state.record
        assert record is not None
        if self.adopted is None and not should_advance(record.reads, _keyed(self.reads)):
            return Plan(decision, self.state)
        return self.advanced(decision, 0)

    def advanced(self, decision: Decision, changes: int | None) -> Plan:
        """A commit without rows: the record moves on, the rows stay."""
        if self.state.unapplied:
            return self.appended(Plan(decision, self.state), changes)
        statement = self.render("advance_record", state=sql_name(self.state.name))
        return Plan(decision, self.state, statement, self.record(decision, changes, ""))

    def incremental(self, decision: Decision, windows: Mapping[Name, Window], options: Options) -> Plan:
        assert self.state.detail is not None
        options = replace(options, checked_sums=False) if self.defers else options  # whoever adds up later cannot mend
        read = StateRead(sql_name(self.state.name), self.state.version, self.state.unapplied)
        plan = self.node.view.refresh(self.extents.told(windows), options, read)
        affected = self.affected(plan)
        strategy = choose_strategy(self.state.detail.size, self.node.target.definition.is_parent, affected)
        plan = within_bounds(plan, self.tables.engine, self.statistics, self.node.details, self.state.detail)
        changes = changes_in(windows)
        planned = Plan(
            decision, self.state, stages=plan.stages, is_small=are_few(changes), checks_sums=options.checked_sums,
        )  # fmt: skip
        if self.defers:
            return self.appended(replace(planned, check=self.check(plan, read)), changes, plan)
        planned = replace(planned, record=self.record(decision, changes, strategy))
        if strategy == MERGE and planned.is_small and self.state.detail.size >= LARGE_STATE:
            return self.merged_into_large(planned, with_change_staged(plan), read)
        by_query = affected if strategy in (APPEND, REWRITE) else None
        return replace(planned, statement=self.applied(plan, read, strategy), affected=by_query)

    def affected(self, plan: RefreshPlan) -> Affected | None:
        """The files of the state that may hold rows which the change is about, where that is known for nothing."""
        shortcuts, detail = self.tables.engine.shortcuts, self.state.detail
        if shortcuts is None or self.defers or detail is None or not detail.has_change_feed:
            return None
        return shortcuts.affected(self.state.name, self.state.version, extents_of_keys(plan, self.statistics))

    def merged_into_large(self, planned: Plan, plan: RefreshPlan, read: StateRead) -> Plan:
        """How many rows the change has is known once it was computed; few of them are broadcast."""

        def of_few(among: Among | None) -> str:
            return self.applied(replace(plan, among=among), read, MERGE, is_few=True)

        stored = self.tables.engine.catalog().relation(self.state.name, None)
        columns = stored.columns if isinstance(stored, Table) else ()
        merge = LargeMerge(plan.stages[-1].relation, keys_of_whole_numbers(plan.layout, columns), of_few)
        return replace(planned, stages=plan.stages, statement=self.applied(plan, read, MERGE), large_merge=merge)

    def applied(self, plan: RefreshPlan, read: StateRead, strategy: str, is_few: bool = False) -> str:
        stored = quoted(AFFECTED_ROWS) if strategy == REWRITE else read.relation
        return self.render(
            "refresh_state", plan=plan, state=stored, strategy=strategy, state_version=self.state.version,
            is_few=is_few,
        )  # fmt: skip

    def check(self, plan: RefreshPlan, read: StateRead) -> Check | None:
        """The contract of a model, for rows that do not get into its state yet."""
        conditions = checked_conditions(self.node.target.definition, self.node.view)
        if not conditions:
            return None
        arguments = {"plan": plan, "read": read, "conditions": list(conditions.values())}
        return Check(tuple(conditions), self.render("broken_constraints", **arguments))

    @property
    def defers(self) -> bool:
        """Whether changes are propagated only, and applied later."""
        return self.node.target.definition.apply == LATER

    def appended(self, planned: Plan, changes: int | None, plan: RefreshPlan | None = None) -> Plan:
        """Propagate: a window more in the view delta; without a plan one that changes nothing."""
        into = self.state.delta
        assert into is not None
        record = window_record(self.record(planned.decision, changes, APPEND), self.state)
        window = window_of(record)
        if self.is_point:
            record, window = point_record(record, self.state)
        arguments = {"delta": sql_name(into.name), "window": window}
        layout = self.node.view.layout
        statement = (
            self.render("append_view_delta", plan=plan, **arguments)
            if plan
            else self.render("append_empty_window", layout=layout, **arguments)
        )
        return replace(planned, statement=statement, record=record, into=into)

    def full(self, decision: Decision) -> Plan:
        """Recompute: in place where the state can stay the table it is, for the sake of those who read its changes."""
        build = self.node.view.build({name: position.version for name, position in self.reads.items()})
        query = self.render("steps_as_query", steps=build.steps, query=build.query)
        in_place = decision.kind == FULL and self.keeps_table(query)
        before = registered(self.state.detail.properties if self.state.detail else {})
        storage = storage_of(self.node.target.definition, self.node.view, self.state.name)
        storage = replace(storage, properties={**before, **storage.properties})
        statement = self.render(
            "build_state", plan=build, state=sql_name(self.state.name), storage=storage, exists=in_place
        )
        return Plan(decision, self.state, statement, self.record(decision, None, ""), replaces_state=not in_place)

    def keeps_table(self, query: str) -> bool:
        if self.state.detail is None or self.state.definition != self.node.target.definition:
            return False
        catalog = self.tables.engine.catalog()
        stored = catalog.relation(self.state.name, None)
        return isinstance(stored, Table) and stored.columns == catalog.describe(query)

    def record(self, decision: Decision, changes: int | None, strategy: str) -> Record:
        reason = decision.reason.word if decision.reason else ""
        own = self.state.own.record
        windows = self.windows()[0]
        extents = self.extents.learned(windows) if decision.kind == INCREMENTAL else self.extents.carried(windows)
        goes_on = (self.state.epoch, own.window) if decision.kind == NOOP and own else ("", 0)
        return Record(
            self.state.next_task, uuid.uuid4().hex, decision.kind, self.state.version,
            {**self.inherited, **_keyed({name: self.cut[name] for name in self.bases})}, _keyed(self.reads),
            self.settings, self.node.view.fingerprint, reason, strategy, changes,
            source_bytes=self.source_bytes, experience=self.experience, epoch=goes_on[0], window=goes_on[1],
            extents=extents,
        )  # fmt: skip

    def render(self, macro: str, **arguments: object) -> str:
        return self.tables.engine.render(macro, **arguments)


def with_schemas(reads: Mapping[Name, Position], node: Node) -> dict[Name, Position]:
    """Positions of a view's sources, with what their columns look like now."""
    return {name: replace(position, schema=node.schemas[name]) for name, position in reads.items()}


def _keyed(positions: Mapping[Name, Position]) -> dict[str, Position]:
    return {sql_name(name): position for name, position in positions.items()}
