"""The stages of the compiler: parse, expand, rewrite, qualify, lower, keep used columns, decide what to store."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from sqlglot import exp
from sqlglot.optimizer.qualify import qualify

from dbt_lazyview.compiler.algebra import Node, Project, Scan, walk
from dbt_lazyview.compiler.block import column, identifier
from dbt_lazyview.compiler.catalog import Catalog, Column, Name, Table
from dbt_lazyview.compiler.column_checks import described_columns, refuse_bad_columns, refuse_incomparable
from dbt_lazyview.compiler.costs import Cost
from dbt_lazyview.compiler.derivation import ALL_ON, Derivation, Options, text
from dbt_lazyview.compiler.determinism import non_deterministic_calls
from dbt_lazyview.compiler.dialect import DIALECT
from dbt_lazyview.compiler.effects import Effect, cost_of, effect_of
from dbt_lazyview.compiler.expand import Expanded, expand_views, read_query
from dbt_lazyview.compiler.explain import explained, only_renames
from dbt_lazyview.compiler.folding import build_query, refresh_plan
from dbt_lazyview.compiler.live import AS_OF_NOW, can_merge, live_rows
from dbt_lazyview.compiler.lowering.limits import replace_limits
from dbt_lazyview.compiler.lowering.query import lower_query
from dbt_lazyview.compiler.lowering.scope import Environment, Lowered, Unsupported
from dbt_lazyview.compiler.parse import position, source_line, without_positions
from dbt_lazyview.compiler.passes.certain_matches import with_certain_matches
from dbt_lazyview.compiler.passes.literal_bounds import of_one_type
from dbt_lazyview.compiler.passes.relevance import relevant_rows
from dbt_lazyview.compiler.passes.used_columns import keep_used_columns
from dbt_lazyview.compiler.plan import (
    BuildPlan,
    CaptureDelta,
    PublicView,
    ReadSource,
    RefreshPlan,
    RelevantDelta,
    Source,
    StateColumn,
    StateLayout,
    StateRead,
    Step,
    Window,
)
from dbt_lazyview.compiler.public_view import public_query
from dbt_lazyview.compiler.reasons import Problem
from dbt_lazyview.compiler.rewriting.context import Context
from dbt_lazyview.compiler.rewriting.generators import with_named_generators
from dbt_lazyview.compiler.rewriting.stars import without_inner_stars
from dbt_lazyview.compiler.rewriting.time_windows import with_generated_windows
from dbt_lazyview.compiler.state import State, split_root, stored_state
from dbt_lazyview.compiler.types import UNCHANGED, TypeReader
from dbt_lazyview.compiler.user_functions import problems_of
from dbt_lazyview.names import COUNT

NO_STATE = StateRead("", 0)  # most plans never read what is stored
LAYOUT_VERSION = 2  # part of the fingerprint: raise it when the same query is stored differently


@dataclass(frozen=True)
class View:
    """A compiled model."""

    sql: str
    columns: tuple[Column, ...]
    reads: tuple[Source, ...]
    fingerprint: str
    layout: StateLayout
    problems: tuple[Problem, ...]
    _query: exp.Query = field(repr=False)  # expanded, over short names
    _root: Node | None = field(repr=False, default=None)
    _outputs: tuple[str, ...] = field(repr=False, default=())
    _state: State | None = field(repr=False, default=None)
    _tables: Mapping[str, Table] = field(repr=False, default_factory=dict)  # behind the short names

    @property
    def sources(self) -> tuple[Source, ...]:
        """The tables that may change; one that is read at a moment that the query names does not."""
        return tuple(each for each in self.reads if not each.at)

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

    def live(self, windows: Mapping[Name, Window], state: str) -> tuple[tuple[Step, ...], str] | None:
        """
        The public view with what is pending merged in when it is read, from open windows: steps and a query over them.
        None where changes do not name the keys they touch: only the query itself is right then.
        """
        if self._state is None or not can_merge(self._state):
            return None
        derivation = self._derivation(windows, AS_OF_NOW)
        rows = live_rows(self._state, derivation, StateRead(state, None))
        outputs = tuple(zip(self.columns, self._outputs, strict=True))
        query = public_query(self._state, exp.Table(this=identifier(rows)), outputs)
        return tuple(derivation.steps.values()), query

    def query_at(self, versions: Mapping[Name, int]) -> tuple[tuple[Step, ...], str]:
        """The user's own query over the sources at the given versions: what the view must equal."""
        read = {alias: table for alias, table in self._tables.items() if table.at or table.name in versions}
        steps = tuple(
            ReadSource(f"lv_{alias}", _whole(alias, table), versions.get(table.name, 0))
            for alias, table in read.items()
        )
        query = self._query.copy()
        for table in [each for each in query.find_all(exp.Table) if not each.db]:
            if table.name in read and not table.args.get("version"):
                table.set("this", identifier(f"lv_{table.name}"))
            elif table.name in self._tables:  # in a common table expression that nothing reads, or at a computed moment
                table.replace(_aliased(self._tables[table.name], table))
        return steps, text(query)

    def explain(self) -> str:
        """The tree with rules and costs, what a change of each source causes, and warnings."""
        if self._root is None or self._state is None:
            return "\n\n".join([*(each.render() for each in self.problems), text(self._query.copy())])
        return explained(self._root, self._state, self.effects)

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

    def _type_of(self, source: Source, column: str) -> str:
        return next(each.type for each in self._tables[source.alias].columns if each.name == column)

    def _derivation(self, windows: Mapping[Name, Window], options: Options) -> Derivation:
        stability = self._state.stability if self._state is not None else None
        return Derivation(
            {each.alias: each for each in self.reads},
            {each.alias: UNCHANGED if each.at else windows[each.name] for each in self.reads},
            options,
            stability,
        )

    def _build_unmaintained(self, versions: Mapping[Name, int]) -> BuildPlan:
        steps, query = self.query_at(versions)
        names = ", ".join(key.quoted for key in self.layout.keys)
        rows = f"SELECT {names}, CAST(1 AS BIGINT) AS {COUNT}\nFROM (\n{query}\n) AS q ({names})"
        return BuildPlan(steps, rows, self.layout)


_PLACEHOLDER = "lv_state_of_this_view"


def compile_view(sql: str, catalog: Catalog, exact: bool = False) -> View:
    """
    Compile a model; raises `ModelError` with all its problems where it cannot be a view at all.

    `exact`: sums of floating-point numbers are computed again for every affected group, and never added to.
    """
    expanded = expand_views(read_query(sql), catalog, sql)
    columns = described_columns(sql, catalog)
    refuse_bad_columns(columns, expanded.tables)
    try:
        problems = non_deterministic_calls(expanded.query, sql) + problems_of(expanded.functions, sql)
        if not problems:
            return _maintained(sql, columns, expanded, catalog, exact)
    except Unsupported:
        problems = (_unsupported(expanded, columns, catalog, sql),)
    return _unmaintained(sql, columns, expanded, problems)


def _maintained(sql: str, columns: tuple[Column, ...], expanded: Expanded, catalog: Catalog, exact: bool) -> View:
    query = without_positions(_qualified(expanded, catalog))  # copied a thousand times from here on
    environment = Environment(expanded.tables)
    lowered = lower_query(query, environment, is_root=True)
    outputs = tuple(own for _, own in lowered.outputs)
    root = with_certain_matches(_ranked(_projected_exactly(lowered), environment))
    root = keep_used_columns(root, outputs)
    sources = _sources(root, expanded.tables)
    refuse_incomparable(expanded.query, columns, sources, expanded.tables)
    state = stored_state(root, TypeReader(expanded.tables, sources, catalog), exact)
    fingerprint = _fingerprint(expanded, columns, exact)
    return View(
        sql, columns, sources, fingerprint, state.layout, (), expanded.query, root, outputs, state, expanded.tables
    )  # fmt: skip


def _projected_exactly(lowered: Lowered) -> Node:
    outputs = tuple(own for _, own in lowered.outputs)
    if lowered.node.columns == outputs:
        return lowered.node
    return Project(lowered.node, tuple((own, column(own)) for own in outputs))


def _ranked(root: Node, environment: Environment) -> Node:
    """Every LIMIT that the public view cannot apply becomes a filter on row numbers."""
    _, on_top = split_root(root)
    return replace_limits(root, {id(each) for each in on_top}, environment)


def _unmaintained(sql: str, columns: tuple[Column, ...], expanded: Expanded, problems: tuple[Problem, ...]) -> View:
    sources = tuple(_whole(alias, table) for alias, table in expanded.tables.items())
    keys = tuple(StateColumn(f"c_{number + 1}", is_key=True) for number in range(len(columns)))
    layout = StateLayout((*keys, StateColumn(COUNT, is_key=False)))
    outputs = tuple(key.name for key in keys)
    return View(
        sql, columns, sources, _fingerprint(expanded, columns), layout, problems, expanded.query, _outputs=outputs,
        _tables=expanded.tables,
    )  # fmt: skip


def _whole(alias: str, table: Table) -> Source:
    """A table with all its columns."""
    return Source(table.name, alias, tuple(each.name for each in table.columns), table.at)


def _aliased(table: Table, place: exp.Table) -> exp.Table:
    real = exp.to_table(table.sql, dialect=DIALECT, alias=place.alias_or_name)
    real.set("version", place.args.get("version"))
    return real


def _qualified(expanded: Expanded, catalog: Catalog) -> exp.Query:
    """Without shorthand, and with every column under its relation's name."""
    context = Context(catalog, expanded.tables)
    plain = with_generated_windows(without_inner_stars(expanded.query.copy(), context))
    plain = with_named_generators(plain, context)
    schema: dict[str, object] = {
        alias: {column.name: column.type for column in table.columns} for alias, table in expanded.tables.items()
    }
    try:
        query = qualify(
            plain,
            schema=schema,
            dialect=DIALECT,
            validate_qualify_columns=False,
            expand_alias_refs=True,
        )
    except Exception as error:  # sqlglot raises several kinds; each means the same to us
        raise Unsupported(expanded.query, f"this query ({error})") from None
    assert isinstance(query, exp.Query)
    return query


def _sources(root: Node, tables: Mapping[str, Table]) -> tuple[Source, ...]:
    used: dict[str, set[str]] = {}
    for node in walk(root):
        if isinstance(node, Scan):
            used.setdefault(node.source, set()).update(own for _, own in node.reads)
    return tuple(
        replace(whole, columns=tuple(each for each in whole.columns if each in columns))
        for alias, columns in used.items()
        for whole in [_whole(alias, tables[alias])]
    )


def _unsupported(expanded: Expanded, columns: tuple[Column, ...], catalog: Catalog, sql: str) -> Problem:
    """The construct without a rule, and where it stands."""
    construct = _first_unsupported(expanded, columns, catalog)
    line, column, length = position(construct.node)
    what = f"There is no incremental rule for {construct.what}."
    return Problem(
        construct.reason,
        what,
        "The view would have to be recomputed from all rows at every refresh.",
        "Rewrite this part, or set refresh_mode: full (or auto) for this model.",
        line,
        column,
        length,
        source_line(sql, line),
    )


def _first_unsupported(expanded: Expanded, columns: tuple[Column, ...], catalog: Catalog) -> Unsupported:
    try:
        environment = Environment(expanded.tables)
        lowered = lower_query(_qualified(expanded, catalog), environment, is_root=True)
        root = _ranked(_projected_exactly(lowered), environment)
        refuse_incomparable(expanded.query, columns, _sources(root, expanded.tables), expanded.tables)
    except Unsupported as construct:
        return construct
    raise AssertionError("what had no rule has none the second time")


def _rows_query(columns: tuple[Column, ...], layout: StateLayout, state: str) -> str:
    outputs = ", ".join(
        f"s.{key.quoted} AS {text(identifier(c.name))}" for key, c in zip(layout.keys, columns, strict=True)
    )
    return f"SELECT {outputs}\nFROM {state} AS s\nLATERAL VIEW EXPLODE(SEQUENCE(1, s.{COUNT})) lv_copies AS lv_copy"


def _fingerprint(expanded: Expanded, columns: tuple[Column, ...], exact: bool = False) -> str:
    """Of the meaning: comments and white space are no change; a view redefined upstream is one."""
    query = expanded.query.sql(dialect=DIALECT, comments=False, normalize_functions="upper")
    tables = [f"{alias}={'.'.join(table.name)} {table.at}".rstrip() for alias, table in expanded.tables.items()]
    names = [f"{column.name} {column.type}" for column in columns]
    functions = [f"{'.'.join(each.name)}: {each.definition}" for each in expanded.functions]
    return hashlib.sha256(
        "\n".join([str(LAYOUT_VERSION), *["exact"] * exact, query, *tables, *names, *functions]).encode()
    ).hexdigest()[:32]
