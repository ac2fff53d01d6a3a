"""Queries: WITH, set operations, SELECT; each gives a relation with named columns."""

from collections.abc import Mapping

from sqlglot import exp

from dbt_lazyview.compiler.algebra import Aggregate, Filter, Generate, Limit, Node, Project, Sort, UnionAll
from dbt_lazyview.compiler.block import column
from dbt_lazyview.compiler.lowering.aggregation import aggregate_select
from dbt_lazyview.compiler.lowering.relations import lower_from
from dbt_lazyview.compiler.lowering.scope import Context, Lowered, Scope, Unsupported
from dbt_lazyview.compiler.reasons import Reason

Ctes = Mapping[str, Lowered]


def lower_query(query: exp.Expression, context: Context, ctes: Ctes, *, is_root: bool = False) -> Lowered:
    """Lower any query; order without limit only matters at the root."""
    visible = _with(query, context, ctes)
    if isinstance(query, exp.Subquery):
        inner = lower_query(query.this, context, visible, is_root=is_root)
        return _ordered(query, inner, context, is_root)
    if isinstance(query, exp.SetOperation):
        return _ordered(query, _set_operation(query, context, visible), context, is_root)
    if isinstance(query, exp.Select):
        return _select(query, context, visible, is_root)
    raise Unsupported(query, f"{type(query).__name__.upper()} as a query")


def _with(query: exp.Expression, context: Context, ctes: Ctes) -> Ctes:
    clause = query.args.get("with_")
    if clause is None:
        return ctes
    if clause.args.get("recursive"):
        raise Unsupported(clause, "a recursive CTE", Reason.RECURSIVE)
    visible = dict(ctes)
    for cte in clause.expressions:
        visible[cte.alias] = _renamed(lower_query(cte.this, context, visible), cte)
    return visible


def _renamed(lowered: Lowered, holder: exp.Expression) -> Lowered:
    names = holder.alias_column_names
    if not names:
        return lowered
    return Lowered(lowered.node, tuple((name, own) for name, (_, own) in zip(names, lowered.outputs, strict=True)))


def _set_operation(query: exp.SetOperation, context: Context, ctes: Ctes) -> Lowered:
    if not isinstance(query, exp.Union) or query.args.get("by_name"):
        raise Unsupported(query, type(query).__name__.upper())
    branches = [lower_query(each, context, ctes) for each in (query.this, query.expression)]
    names = tuple(name for name, _ in branches[0].outputs)
    own = tuple(context.names.column(name) for name in names)
    node: Node = UnionAll(tuple(_exactly(each) for each in branches), own)
    if query.args.get("distinct"):
        node = Aggregate(node, keys=tuple((context.names.column(each), column(each)) for each in own), aggregates=())
    return Lowered(node, tuple(zip(names, node.columns, strict=True)))


def _exactly(lowered: Lowered) -> Node:
    """A node whose columns are the outputs, in their order."""
    wanted = tuple(own for _, own in lowered.outputs)
    if lowered.node.columns == wanted and len(set(wanted)) == len(wanted):
        return lowered.node
    return Project(lowered.node, tuple((own, column(own)) for own in wanted))


def _select(query: exp.Select, context: Context, ctes: Ctes, is_root: bool) -> Lowered:
    _refuse_clauses(query)
    node, scope = lower_from(query, context, ctes, lower_query)
    for lateral in query.args.get("laterals") or []:
        node, scope = _lateral_view(lateral, node, scope, context)
    where = query.args.get("where")
    if where is not None:
        node = Filter(node, scope.flat(_refuse_subqueries(where.this)))
    select = [_refuse_subqueries(each) for each in query.expressions]
    node, flatten = aggregate_select(query, select, node, scope, context)
    return _projected(query, select, node, flatten, context, is_root)


def _projected(query, select, node, flatten, context, is_root):  # type: ignore[no-untyped-def]
    outputs = [(each.alias_or_name, flatten(each.unalias())) for each in select]
    columns = [(context.names.column(name), each) for name, each in outputs]
    by_name = {name: own for (name, _), (own, _) in zip(outputs, columns, strict=True)}
    hidden: list[tuple[str, exp.Expression]] = []
    order = [_order_key(each, by_name, columns, hidden, flatten, context) for each in _order_of(query, is_root)]
    node = Project(node, (*columns, *hidden))
    if query.args.get("distinct"):
        if query.args["distinct"].args.get("on"):
            raise Unsupported(query, "DISTINCT ON")
        node = Aggregate(node, keys=tuple((own, column(own)) for own, _ in columns), aggregates=())
    node = _sorted_and_limited(query, node, order)
    if hidden:
        node = Project(node, tuple((own, column(own)) for own, _ in columns))
    return Lowered(node, tuple((name, own) for (name, _), (own, _) in zip(outputs, columns, strict=True)))


def _order_of(query: exp.Expression, is_root: bool) -> list[exp.Ordered]:
    order = query.args.get("order")
    if order is None or not (is_root or query.args.get("limit") or query.args.get("offset")):
        return []
    return list(order.expressions)


def _order_key(each, by_name, columns, hidden, flatten, context):  # type: ignore[no-untyped-def]
    """ORDER BY an output, an expression that is one, or something that travels as a hidden column."""
    wanted = each.this
    if isinstance(wanted, exp.Column) and not wanted.table and wanted.name in by_name:
        own = by_name[wanted.name]
    else:
        flat = flatten(wanted)
        own = next((name for name, known in (*columns, *hidden) if known == flat), None)
        if own is None:
            own = context.names.column("order_key")
            hidden.append((own, flat))
    key = each.copy()
    key.set("this", column(own))
    return key


def _ordered(query: exp.Expression, lowered: Lowered, context: Context, is_root: bool) -> Lowered:
    """ORDER BY and LIMIT around a set operation or a parenthesis."""
    names = lowered.named()
    keys = []
    for each in _order_of(query, is_root):
        if not (isinstance(each.this, exp.Column) and each.this.name in names):
            raise Unsupported(each, "ORDER BY an expression after a set operation")
        key = each.copy()
        key.set("this", column(names[each.this.name]))
        keys.append(key)
    return Lowered(_sorted_and_limited(query, lowered.node, keys), lowered.outputs)


def _sorted_and_limited(query: exp.Expression, node: Node, order: list[exp.Ordered]) -> Node:
    if order:
        node = Sort(node, tuple(order))
    limit, offset = query.args.get("limit"), query.args.get("offset")
    if limit is not None or offset is not None:
        node = Limit(node, limit.expression if limit is not None else None, offset.expression if offset is not None else None)
    return node


def _lateral_view(lateral: exp.Lateral, node: Node, scope: Scope, context: Context) -> tuple[Node, Scope]:
    alias = lateral.args["alias"]
    names = [each.name for each in alias.args.get("columns") or []]
    own = tuple(context.names.column(name, alias.name) for name in names)
    if not names:
        raise Unsupported(lateral, "LATERAL VIEW without column names")
    generated = Generate(node, scope.flat(lateral.this), own, bool(lateral.args.get("outer")))
    relations = {**scope.relations, alias.name: dict(zip(names, own, strict=True))}
    return generated, Scope(relations)


def _refuse_subqueries(expression: exp.Expression) -> exp.Expression:
    found = expression.find(exp.Subquery, exp.Exists, exp.Query)
    if found is not None:
        raise Unsupported(found, "a subquery inside an expression")
    window = expression.find(exp.Window)
    if window is not None:
        raise Unsupported(window, "a window function")
    return expression


def _refuse_clauses(query: exp.Select) -> None:
    for clause, what in (("qualify", "QUALIFY"), ("windows", "WINDOW"), ("sample", "TABLESAMPLE"), ("cluster", "CLUSTER BY"), ("distribute", "DISTRIBUTE BY"), ("sort", "SORT BY"), ("connect", "CONNECT BY"), ("match", "MATCH_RECOGNIZE")):  # fmt: skip
        if query.args.get(clause):
            raise Unsupported(query, what)
