"""A compiled model: its plans, and what it shows and costs."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from sqlglot import exp, parse_one
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers

from dbt_lazyview.compiler.algebra import Limit, Node, only_renames, shared_nodes, walk
from dbt_lazyview.compiler.block import column, identifier, substitute
from dbt_lazyview.compiler.catalog import Column, Name, Table
from dbt_lazyview.compiler.costs import Cost
from dbt_lazyview.compiler.derivation import ALL_ON, Derivation, Options, text
from dbt_lazyview.compiler.dialect import DIALECT
from dbt_lazyview.compiler.effects import Effect, cost_of, effect_of
from dbt_lazyview.compiler.explain import explained
from dbt_lazyview.compiler.folding import build_query, refresh_plan
from dbt_lazyview.compiler.live import AS_OF_NOW, can_merge, live_rows
from dbt_lazyview.compiler.passes.fresh_keys import compared_columns
from dbt_lazyview.compiler.passes.literal_bounds import of_one_type
from dbt_lazyview.compiler.passes.relevance import relevant_rows
from dbt_lazyview.compiler.passes.shared_keys import SharedKeys
from dbt_lazyview.compiler.plan import (
    BuildPlan,
    CaptureDelta,
    PublicView,
    ReadSource,
    RefreshPlan,
    RelevantDelta,
    Source,
    StateLayout,
    StateRead,
    Step,
    Window,
)
from dbt_lazyview.compiler.public_view import public_query, shown_rows
from dbt_lazyview.compiler.reasons import Problem
from dbt_lazyview.compiler.sources import whole_source
from dbt_lazyview.compiler.state import State
from dbt_lazyview.compiler.types import UNCHANGED
from dbt_lazyview.names import COUNT, quoted

NO_STATE = StateRead("", 0)  # most plans never read what is stored
_PLACEHOLDER = "lv_state_of_this_view"
TYPES_WITH_EXTENTS = ("tinyint", "smallint", "int", "bigint", "date")


@dataclass(frozen=True)
class ChangedInputs:
    """Signed rows of what a view groups: a relation over steps, which source changed in each term, and the keys."""

    steps: tuple[Step, ...]
    relation: str  # empty: nothing changed
    columns: tuple[str, ...]
    labels: Mapping[int, str]  # by SSN
    keys: Mapping[str, str]  # columns of the view, and what they are computed by

    @property
    def quoted_columns(self) -> tuple[str, ...]:
        return tuple(quoted(column) for column in self.columns)


@dataclass(frozen=True)
class View:
    """A compiled model."""

    sql: str
    columns: tuple[Column, ...]
    reads: tuple[Source, ...]
    fingerprint: str
    layout: StateLayout
    problems: tuple[Problem, ...]
    auxiliaries: tuple["Auxiliary", ...]  # that it reads
    _query: exp.Query = field(repr=False)  # expanded, over short names
    _root: Node | None = field(repr=False, default=None)
    _outputs: tuple[str, ...] = field(repr=False, default=())
    _state: State | None = field(repr=False, default=None)
    _tables: Mapping[str, Table] = field(repr=False, default_factory=dict)  # behind the short names

    @property
    def sources(self) -> tuple[Source, ...]:
        """The tables whose changes can be followed; one that is read at a moment that the query names has none."""
        return tuple(each for each in self.reads if each.is_versioned and not each.at)

    @property
    def unversioned(self) -> tuple[Source, ...]:
        """The tables of which nobody can tell whether they changed."""
        return tuple(each for each in self.reads if not each.is_versioned)

    @property
    def tables(self) -> dict[str, Table]:
        """What the query itself reads, behind its short names."""
        return {alias: table for alias, table in self._tables.items() if not table.rows}

    @property
    def reads_by_query(self) -> tuple[Name, ...]:
        """The tables that the query itself reads as they are."""
        return tuple(table.name for table in self.tables.values() if table.is_versioned and not table.at)

    @property
    def keys(self) -> tuple[Column, ...]:
        """The columns that tell which stored row a row of the view comes from, as far as the view shows them."""
        shown = zip(self.columns, self._outputs, strict=True) if self._state is not None else ()
        return tuple(column for column, own in shown if self._state is not None and self._state.key_of(own))

    def stored_as(self, name: str) -> str | None:
        """The column of the state that holds a column of the view as it is; None where it is computed from others."""
        own = dict(zip((column.name.lower() for column in self.columns), self._outputs, strict=True))[name.lower()]
        return own if self._state is None else self._state.key_of(own)

    def checked(self, condition: str) -> str | None:
        """
        A condition on the rows of the view, as one on those of its state; None where a LIMIT decides which are shown.
        """
        names = tuple(zip((column.name.lower() for column in self.columns), self._outputs, strict=True))
        read = normalize_identifiers(parse_one(condition, dialect=DIALECT), dialect=DIALECT)
        if self._state is None:
            return text(substitute(read, {name: column(own) for name, own in names}))
        shown = shown_rows(self._state)
        if shown.limit is not None or shown.offset is not None:
            return None
        wanted = substitute(read, {name: shown.block.expression(own) for name, own in names})
        hidden = [_is_not_true(each) for each in shown.block.where]
        return text(exp.or_(*hidden, wanted))

    def build(self, versions: Mapping[Name, int]) -> BuildPlan:
        """Everything from the sources at the given versions."""
        if self._state is None:
            return self._build_unmaintained(versions)
        derivation = self._derivation({name: Window(at, at, changed=False) for name, at in versions.items()}, ALL_ON)
        query = build_query(self._state, derivation)
        return BuildPlan(tuple(derivation.steps.values()), query, self.layout)

    def refresh(
        self, windows: Mapping[Name, Window], options: Options = ALL_ON, state: StateRead = NO_STATE
    ) -> RefreshPlan:
        """What the changes in the windows do to the state."""
        assert self._state is not None, "a view with problems has no incremental plan"
        plan = refresh_plan(self._state, self._derivation(windows, options), state)
        ranges = (of_one_type(each, self._type_of) for each in plan.ranges)
        return replace(plan, ranges=tuple(each for each in ranges if each is not None))

    def relevant_changes(self, windows: Mapping[Name, Window]) -> tuple[RelevantDelta, ...]:
        """What to look at to see whether the changes in the windows touch the view at all."""
        assert self._state is not None, "a view with problems has no incremental plan"
        return self._changes_below(self._state.aggregate.input, windows)

    def shown_changes(self, windows: Mapping[Name, Window]) -> tuple[RelevantDelta, ...]:
        """What to look at to see whether changes of some sources touch what the query itself shows, stored or not."""
        assert self._root is not None, "a view with problems has no tree"
        return self._changes_below(self._root, windows)

    def _changes_below(self, node: Node, windows: Mapping[Name, Window]) -> tuple[RelevantDelta, ...]:
        predicates = relevant_rows(node)
        changed = [each for each in self.sources if each.name in windows and windows[each.name].changed]
        return tuple(
            RelevantDelta(
                CaptureDelta(each.alias, each, windows[each.name], condense=True),
                text(predicate) if (predicate := predicates[each.alias]) else "",
            )
            for each in changed
        )

    def public(self, state: str) -> PublicView:
        """The public view over the state; `state` is a quoted relation, with a version where it is pinned."""
        outputs = tuple(zip(self.columns, self._outputs, strict=True))
        if self._state is None:
            return PublicView(self.columns, _rows_query(self.columns, self.layout, state))
        placeholder = exp.Table(this=identifier(_PLACEHOLDER))
        query = public_query(self._state, placeholder, outputs)
        return PublicView(self.columns, query.replace(f"`{_PLACEHOLDER}`", state))

    def public_changes(self, relation: str, carried: tuple[str, ...]) -> str | None:
        """
        Rows of the public view for some rows of the state, with columns that tell when they were there. None where a
        row's place in the view depends on others (LIMIT).
        """
        if self._state is None or any(isinstance(each, Limit) for each in self._state.on_top):
            return None
        outputs = tuple(zip(self.columns, self._outputs, strict=True))
        return public_query(self._state, exp.Table(this=identifier(relation)), outputs, carried)

    def changed_inputs(self, windows: Mapping[Name, Window]) -> ChangedInputs:
        """The rows that came and went below what is stored: what a change of a group is made of."""
        assert self._state is not None, "a view with problems has no incremental plan"
        derivation, source = self._derivation(windows, ALL_ON), self._state.aggregate.input
        delta = derivation.delta(source)
        relation = derivation.sum(delta, source.columns, "changed_inputs") if delta else ""
        labels = {ssn: block.label for ssn, block in enumerate(delta, 1)}
        behind = {column.name: self._state.key_behind(own) for column, own in self._shown}
        keys = {name: text(each.copy()) for name, each in behind.items() if each is not None}
        return ChangedInputs(tuple(derivation.steps.values()), relation, source.columns, labels, keys)

    @property
    def _shown(self) -> tuple[tuple[Column, str], ...]:
        return tuple(zip(self.columns, self._outputs, strict=True))

    @property
    def shows_all_keys(self) -> bool:
        """Whether a row of the view tells which stored group it comes from."""
        return self._state is not None and not self._state.is_bag and len(self.keys) == len(self._state.keys)

    def live(self, windows: Mapping[Name, Window], read: StateRead) -> tuple[tuple[Step, ...], str] | None:
        """
        The public view with what is pending merged in when it is read, from open windows: steps and a query over them.
        None where changes do not name the keys they touch: only the query itself is right then.
        """
        if self._state is None or not can_merge(self._state):
            return None
        derivation = self._derivation(windows, AS_OF_NOW)
        rows = live_rows(self._state, derivation, read)
        outputs = tuple(zip(self.columns, self._outputs, strict=True))
        query = public_query(self._state, exp.Table(this=identifier(rows)), outputs)
        return tuple(derivation.steps.values()), query

    def query_at(self, versions: Mapping[Name, int]) -> tuple[tuple[Step, ...], str]:
        """The user's own query over the sources at the given versions: what the view must equal."""
        read = {
            alias: table
            for alias, table in self.tables.items()
            if table.at or not table.is_versioned or table.name in versions
        }
        steps = tuple(
            ReadSource(f"lv_{alias}", whole_source(alias, table), versions.get(table.name, 0))
            for alias, table in read.items()
        )
        query = self._query.copy()
        for table in [each for each in query.find_all(exp.Table) if not each.db]:
            if table.name in read and not table.args.get("version"):
                table.set("this", identifier(f"lv_{table.name}"))
            elif table.name in self.tables:  # in a common table expression that nothing reads, or at a computed moment
                table.replace(_aliased(self.tables[table.name], table))
        return steps, f"SELECT * FROM (\n{text(query)}\n) AS q" if query.ctes else text(query)

    def explain(self) -> str:
        """The tree with rules and costs, what a change of each source causes, and warnings."""
        if self._root is None or self._state is None:
            return "\n\n".join([*(each.render() for each in self.problems), text(self._query.copy())])
        kept = [f"{each.name[-1]}, kept for this view:\n\n{each.view.explain()}" for each in self.auxiliaries]
        return "\n\n".join([explained(self._root, self._state, self.effects), *kept])

    @cached_property
    def costs(self) -> tuple[tuple[Node, Cost], ...]:
        """Every operator of the tree, with what its upkeep costs."""
        assert self._root is not None, "a view with problems has no tree"
        assert self._state is not None, "a view with problems has no incremental plan"
        state = self._state
        return tuple((node, cost_of(node, state, self.effects)) for node in walk(self._root) if not only_renames(node))

    @cached_property
    def effects(self) -> tuple[Effect, ...]:
        """What a change of each source alone would cause."""
        assert self._state is not None, "a view with problems has no incremental plan"
        found = []
        for source in dict.fromkeys(each.name for each in self.sources):
            windows = {each.name: Window(0, 1, changed=each.name == source) for each in self.sources}
            found.append(effect_of(source[-1], self._state, self._derivation(windows, ALL_ON)))
        return tuple(found)

    @cached_property
    def compared_columns(self) -> Mapping[Name, tuple[str, ...]]:
        """The columns of sources that joins compare, of types whose extents can be told from each other."""
        found = compared_columns(self._state.aggregate) if self._state is not None else set()
        named = {each.alias: each for each in self.sources}
        columns: dict[Name, tuple[str, ...]] = {}
        for alias, own in sorted(found):
            source = named.get(alias)
            if source is not None and self._type_of(source, own) in TYPES_WITH_EXTENTS:
                columns[source.name] = (*columns.get(source.name, ()), own)
        return columns

    def _type_of(self, source: Source, column: str) -> str:
        return next(each.type for each in self._tables[source.alias].columns if each.name == column)

    @cached_property
    def _shared(self) -> frozenset[int]:
        return shared_nodes(self._state.aggregate) if self._state is not None else frozenset()

    @cached_property
    def _shared_keys(self) -> SharedKeys:
        types = {(alias, each.name): each.type for alias, table in self._tables.items() for each in table.columns}
        return SharedKeys(lambda alias, own: types[alias, own])

    def _derivation(self, windows: Mapping[Name, Window], options: Options) -> Derivation:
        stability = self._state.stability if self._state is not None else None
        return Derivation(
            {each.alias: each for each in self.reads},
            {each.alias: windows[each.name] if each in self.sources else UNCHANGED for each in self.reads},
            options,
            stability,
            self._shared,
            self._shared_keys,
        )

    def _build_unmaintained(self, versions: Mapping[Name, int]) -> BuildPlan:
        steps, query = self.query_at(versions)
        names = ", ".join(key.quoted for key in self.layout.keys)
        rows = f"SELECT {names}, CAST(1 AS BIGINT) AS {COUNT}\nFROM (\n{query}\n) AS q ({names})"
        return BuildPlan(steps, rows, self.layout)


@dataclass(frozen=True)
class Auxiliary:
    """An inner aggregate of a view, kept as a view of its own that only its owner reads."""

    name: Name
    view: View


def _is_not_true(predicate: exp.Expr) -> exp.Expr:
    return exp.Coalesce(this=exp.Not(this=exp.Paren(this=predicate.copy())), expressions=[exp.true()])


def digest(meaning: str) -> str:
    """A short fingerprint."""
    return hashlib.sha256(meaning.encode()).hexdigest()[:32]


def _aliased(table: Table, place: exp.Table) -> exp.Table:
    real = exp.to_table(table.sql, dialect=DIALECT, alias=place.alias_or_name)
    real.set("version", place.args.get("version"))
    return real


def _rows_query(columns: tuple[Column, ...], layout: StateLayout, state: str) -> str:
    outputs = ", ".join(
        f"s.{key.quoted} AS {text(identifier(c.name))}" for key, c in zip(layout.keys, columns, strict=True)
    )
    return f"SELECT {outputs}\nFROM {state} AS s\nLATERAL VIEW EXPLODE(SEQUENCE(1, s.{COUNT})) lv_copies AS lv_copy"
