"""The stages of the compiler: parse, expand, rewrite, qualify, lower, keep used columns, decide what to store."""

from dataclasses import dataclass

from sqlglot import exp
from sqlglot.optimizer.qualify import qualify

from dbt_lazyview.compiler.algebra import Node, Project
from dbt_lazyview.compiler.auxiliaries import Auxiliaries
from dbt_lazyview.compiler.block import column
from dbt_lazyview.compiler.catalog import Catalog, Column, Name
from dbt_lazyview.compiler.column_checks import described_columns, refuse_bad_columns, refuse_incomparable
from dbt_lazyview.compiler.determinism import non_deterministic_calls
from dbt_lazyview.compiler.dialect import DIALECT
from dbt_lazyview.compiler.expand import Expanded, expand_views, read_query
from dbt_lazyview.compiler.lowering.limits import replace_limits
from dbt_lazyview.compiler.lowering.query import lower_query
from dbt_lazyview.compiler.lowering.scope import Environment, Lowered, Unsupported
from dbt_lazyview.compiler.parse import position, source_line, without_positions
from dbt_lazyview.compiler.passes.certain_matches import with_certain_matches
from dbt_lazyview.compiler.passes.used_columns import keep_used_columns
from dbt_lazyview.compiler.plan import (
    StateColumn,
    StateLayout,
)
from dbt_lazyview.compiler.reasons import Problem
from dbt_lazyview.compiler.rewriting.context import Context
from dbt_lazyview.compiler.rewriting.generators import with_named_generators
from dbt_lazyview.compiler.rewriting.stars import without_inner_stars
from dbt_lazyview.compiler.rewriting.time_windows import with_generated_windows
from dbt_lazyview.compiler.sources import used_sources, whole_source
from dbt_lazyview.compiler.state import split_root, stored_state
from dbt_lazyview.compiler.types import TypeReader
from dbt_lazyview.compiler.user_functions import problems_of
from dbt_lazyview.compiler.view import Auxiliary, View, digest
from dbt_lazyview.names import COUNT, quoted

LAYOUT_VERSION = 2  # part of the fingerprint: raise it when the same query is stored differently


def compile_view(sql: str, catalog: Catalog, exact: bool = False, owner: Name | None = None) -> View:
    """
    Compile a model; raises `ModelError` with all its problems where it cannot be a view at all.

    `exact`: sums of floating-point numbers are computed again for every affected group, and never added to.
    `owner`: the name of the model, if it may have auxiliary states, under names made from its own.
    """
    expanded = expand_views(read_query(sql), catalog, sql)
    columns = described_columns(sql, catalog)
    refuse_bad_columns(columns, expanded.tables)
    try:
        problems = non_deterministic_calls(expanded.query, sql) + problems_of(expanded.functions, sql)
        if not problems:
            return _maintained(_Model(sql, columns, expanded, catalog, exact, owner))
    except Unsupported:
        problems = (_unsupported(expanded, columns, catalog, sql),)
    return _unmaintained(sql, columns, expanded, problems)


@dataclass(frozen=True)
class _Model:
    sql: str
    columns: tuple[Column, ...]
    expanded: Expanded
    catalog: Catalog
    exact: bool
    owner: Name | None


def _maintained(model: _Model) -> View:
    expanded, tables = model.expanded, dict(model.expanded.tables)
    query = without_positions(_qualified(expanded, model.catalog))  # copied a thousand times from here on
    environment = Environment(expanded.tables)
    lowered = lower_query(query, environment, is_root=True)
    outputs = tuple(own for _, own in lowered.outputs)
    root = with_certain_matches(_ranked(_projected_exactly(lowered), environment))
    root = keep_used_columns(root, outputs)
    sources = used_sources(root, tables)
    refuse_incomparable(expanded.query, model.columns, sources, tables)
    types = TypeReader(tables, sources, model.catalog)
    state = stored_state(root, types, model.exact)
    fingerprint = _fingerprint(expanded, model.columns, model.exact)
    auxiliaries: tuple[Auxiliary, ...] = ()
    if model.owner:
        maker = Auxiliaries(model.owner, fingerprint, expanded.query, tables, model.catalog, model.exact)
        over_states = maker.taken_out(root, state, types)
        if over_states is not root:
            root, tables, auxiliaries = over_states, maker.tables, maker.read_by(over_states)
            sources = used_sources(root, tables)
            state = stored_state(root, TypeReader(tables, sources, model.catalog), model.exact)
            fingerprint = digest(f"{fingerprint} over auxiliary states")
    return View(
        model.sql, model.columns, sources, fingerprint, state.layout, (), auxiliaries, expanded.query, root, outputs,
        state, tables,
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
    sources = tuple(whole_source(alias, table) for alias, table in expanded.tables.items())
    keys = tuple(StateColumn(f"c_{number + 1}", is_key=True) for number in range(len(columns)))
    layout = StateLayout((*keys, StateColumn(COUNT, is_key=False)))
    outputs = tuple(key.name for key in keys)
    return View(
        sql, columns, sources, _fingerprint(expanded, columns), layout, problems, (), expanded.query, _outputs=outputs,
        _tables=expanded.tables,
    )  # fmt: skip


def _qualified(expanded: Expanded, catalog: Catalog) -> exp.Query:
    """Without shorthand, and with every column under its relation's name."""
    context = Context(catalog, expanded.tables)
    plain = with_generated_windows(without_inner_stars(expanded.query.copy(), context))
    plain = with_named_generators(plain, context)
    schema: dict[str, object] = {  # quoted, because sqlglot reads the names as SQL
        quoted(alias): {quoted(column.name): column.type for column in table.columns}
        for alias, table in expanded.tables.items()
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
        refuse_incomparable(expanded.query, columns, used_sources(root, expanded.tables), expanded.tables)
    except Unsupported as construct:
        return construct
    raise AssertionError("what had no rule has none the second time")


def _fingerprint(expanded: Expanded, columns: tuple[Column, ...], exact: bool = False) -> str:
    """Of the meaning: comments and white space are no change; a view redefined upstream is one."""
    query = expanded.query.sql(dialect=DIALECT, comments=False, normalize_functions="upper")
    tables = [f"{alias}={'.'.join(table.name)} {table.at}".rstrip() for alias, table in expanded.tables.items()]
    names = [f"{column.name} {column.type}" for column in columns]
    functions = [f"{'.'.join(each.name)}: {each.definition}" for each in expanded.functions]
    return digest("\n".join([str(LAYOUT_VERSION), *["exact"] * exact, query, *tables, *names, *functions]))
