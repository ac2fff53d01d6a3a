"""Queries: WITH, set operations, SELECT; each gives a relation with named columns."""

from sqlglot import exp

from dbt_lazyview.compiler.algebra import Limit, Node, Project, Sort
from dbt_lazyview.compiler.block import column
from dbt_lazyview.compiler.lowering.aggregation import aggregate_select
from dbt_lazyview.compiler.lowering.generators import generate_in_select, lateral_view
from dbt_lazyview.compiler.lowering.relations import constant_rows, lower_from
from dbt_lazyview.compiler.lowering.scope import Environment, Flatten, Lowered, Scope, Unsupported, lowered_column
from dbt_lazyview.compiler.lowering.set_operations import combine, distinct
from dbt_lazyview.compiler.lowering.subqueries import Subqueries, filter_where
from dbt_lazyview.compiler.lowering.windows import compute_windows, with_named_windows
from dbt_lazyview.compiler.reasons import Reason


def lower_query(query: exp.Expr, environment: Environment, *, is_root: bool = False) -> Lowered:
    """Lower any query; order without limit only matters at the root."""
    inside = _with(query, environment)
    if isinstance(query, exp.Subquery):
        inner = lower_query(query.this, inside, is_root=is_root)
        return _ordered(query, inner, inside, is_root)
    if isinstance(query, exp.SetOperation):
        branches = [lower_query(each, inside) for each in (query.this, query.expression)]
        return _ordered(query, combine(query, branches, inside), inside, is_root)
    if isinstance(query, exp.Select):
        return _select(query, inside, is_root)
    if isinstance(query, exp.Values):
        return constant_rows(query, inside)
    raise Unsupported(query, f"{type(query).__name__.upper()} as a query")


def _with(query: exp.Expr, environment: Environment) -> Environment:
    clause = query.args.get("with_")
    if clause is None:
        return environment
    if clause.args.get("recursive"):
        raise Unsupported(clause, "a recursive CTE", Reason.RECURSIVE)
    for cte in clause.expressions:
        lowered = lower_query(cte.this, environment).renamed(list(cte.alias_column_names))
        environment = environment.with_ctes({**environment.ctes, cte.alias: lowered})
    return environment


def _select(query: exp.Select, environment: Environment, is_root: bool) -> Lowered:
    _refuse_clauses(query)
    node, scope = lower_from(query, environment, lower_query)
    for lateral in query.args.get("laterals") or []:
        node, scope = lateral_view(lateral, node, scope, environment)
    if query.args.get("where") is not None:
        node = filter_where(query.args["where"].this, node, scope.flat, environment, lower_query)
    early = Subqueries(node, scope.flat, environment, lower_query)
    grouped, flatten = aggregate_select(early.inside_aggregates(query), early.node, scope, environment, lower_query)
    late = Subqueries(grouped, flatten, environment, lower_query)
    replaced = with_named_windows(late.in_select_and_order(early.query))
    node, flatten = compute_windows(replaced, late.node, flatten, environment)
    node = generate_in_select(replaced, node, flatten, environment)
    return _projected(replaced, node, flatten, environment, is_root)


def _projected(query: exp.Select, node: Node, flatten: Flatten, environment: Environment, is_root: bool) -> Lowered:
    outputs = [(each.alias_or_name, flatten(each.unalias().unnest())) for each in query.expressions]
    columns = [(environment.names.column(name), each) for name, each in outputs]
    order = _OrderKeys(
        {name: own for (name, _), (own, _) in zip(outputs, columns, strict=True)}, columns, flatten, environment
    )
    keys = [key for each in _order_of(query, is_root) for key in order.keys(each)]
    node = Project(node, (*columns, *order.hidden))
    if query.args.get("distinct"):
        if query.args["distinct"].args.get("on"):
            raise Unsupported(query, "DISTINCT ON")
        node = distinct(node, [own for own, _ in columns], environment)
        columns = list(zip(node.columns, (each for _, each in columns), strict=True))
        keys = [_moved(key, dict(zip(order.names(), node.columns, strict=False))) for key in keys]
    node = _sorted_and_limited(query, node, keys)
    if order.hidden:
        node = Project(node, tuple((own, column(own)) for own, _ in columns))
    return Lowered(node, tuple((name, own) for (name, _), (own, _) in zip(outputs, columns, strict=True)))


def _moved(key: exp.Ordered, renamed: dict[str, str]) -> exp.Ordered:
    moved = key.copy()
    moved.set("this", column(renamed[key.this.name]))
    return moved


class _OrderKeys:
    """ORDER BY an output, an expression that is one, or something that travels as a hidden column."""

    def __init__(
        self, by_name: dict[str, str], columns: list[tuple[str, exp.Expr]], flatten: Flatten, environment: Environment
    ) -> None:
        self.by_name, self.columns, self.flatten, self.environment = by_name, columns, flatten, environment
        self.hidden: list[tuple[str, exp.Expr]] = []

    def names(self) -> list[str]:
        return [own for own, _ in self.columns]

    def keys(self, ordered: exp.Ordered) -> list[exp.Ordered]:
        """One key; for ORDER BY ALL one for every output."""
        is_all = isinstance(ordered.this, exp.Var) and ordered.this.name.upper() == "ALL"
        return [_ordered_by(own, ordered) for own in (self.names() if is_all else [self._column(ordered.this)])]

    def _column(self, wanted: exp.Expr) -> str:
        if isinstance(wanted, exp.Column) and not wanted.table and wanted.name in self.by_name:
            return self.by_name[wanted.name]
        if isinstance(wanted, exp.Literal) and wanted.is_int:
            return self.columns[int(wanted.name) - 1][0]
        flat = self.flatten(self._over_columns(wanted))
        for name, known in (*self.columns, *self.hidden):
            if known == flat:
                return name
        own = self.environment.names.column("order_key")
        self.hidden.append((own, flat))
        return own

    def _over_columns(self, wanted: exp.Expr) -> exp.Expr:
        """Names of outputs inside an expression (ORDER BY total + 1) are read as what they stand for."""
        values = dict(self.columns)
        result = wanted.copy()
        for node in list(result.find_all(exp.Column)):
            if not node.table and node.name in self.by_name:
                meaning = values[self.by_name[node.name]].copy()
                for each in [meaning] if isinstance(meaning, exp.Column) else list(meaning.find_all(exp.Column)):
                    each.set("table", lowered_column("").args["table"])
                node.replace(exp.Paren(this=meaning))
        return result


def _ordered_by(own: str, like: exp.Ordered) -> exp.Ordered:
    key = like.copy()
    key.set("this", column(own))
    return key


def _order_of(query: exp.Expr, is_root: bool) -> list[exp.Ordered]:
    order = query.args.get("order")
    if order is None or not (is_root or query.args.get("limit") or query.args.get("offset")):
        return []
    return list(order.expressions)


def _ordered(query: exp.Expr, lowered: Lowered, environment: Environment, is_root: bool) -> Lowered:
    """ORDER BY and LIMIT around a set operation or a parenthesis: over its outputs only."""
    by_name = lowered.named()
    columns: list[tuple[str, exp.Expr]] = [(own, column(own)) for own in lowered.columns]
    order = _OrderKeys(by_name, columns, Scope({}).flat, environment)
    keys = [key for each in _order_of(query, is_root) for key in order.keys(each)]
    node = Project(lowered.node, (*columns, *order.hidden)) if order.hidden else lowered.node
    node = _sorted_and_limited(query, node, keys)
    return Lowered(Project(node, tuple(columns)) if order.hidden else node, lowered.outputs)


def _sorted_and_limited(query: exp.Expr, node: Node, order: list[exp.Ordered]) -> Node:
    if order:
        node = Sort(node, tuple(order))
    limit, offset = query.args.get("limit"), query.args.get("offset")
    if limit is not None or offset is not None:
        node = Limit(
            node, limit.expression if limit is not None else None, offset.expression if offset is not None else None
        )
    return node


def _refuse_clauses(query: exp.Select) -> None:
    """Clauses without a meaning for rows (DISTRIBUTE BY, SORT BY, CLUSTER BY) are passed over."""
    for clause, what in (("connect", "CONNECT BY"), ("match", "MATCH_RECOGNIZE")):
        if query.args.get(clause):
            raise Unsupported(query, what)
