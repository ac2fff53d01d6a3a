"""GROUP BY, HAVING and aggregates in the select list."""

from collections.abc import Callable

from sqlglot import exp

from dbt_lazyview.compiler.algebra import Aggregate, Expressions, Filter, Node
from dbt_lazyview.compiler.block import column
from dbt_lazyview.compiler.functions import is_aggregate
from dbt_lazyview.compiler.lowering.scope import Context, Scope, Unsupported

Flatten = Callable[[exp.Expression], exp.Expression]


def aggregate_select(
    query: exp.Select, select: list[exp.Expression], node: Node, scope: Scope, context: Context
) -> tuple[Node, Flatten]:
    """The grouped input, and how the select list's expressions read from it; without grouping, the input itself."""
    group, having = query.args.get("group"), query.args.get("having")
    if group is None and having is None and not any(_aggregates(each) for each in (*select, *_order(query))):
        return node, scope.flat
    grouping = _Grouping(context, scope, _keys(group, select, scope, context))
    flat_having = grouping.flat(having.this) if having is not None else None
    for each in (*select, *_order(query)):
        if not (isinstance(each, exp.Column) and not each.table):  # an output's name, not an expression
            grouping.flat(each.unalias())
    grouped: Node = Aggregate(node, grouping.keys, tuple(grouping.aggregates))
    if flat_having is not None:
        grouped = Filter(grouped, flat_having)
    return grouped, grouping.flat


class _Grouping:
    """Reads expressions over groups: keys and aggregates become columns."""

    def __init__(self, context: Context, scope: Scope, keys: Expressions) -> None:
        self.context, self.scope, self.keys = context, scope, keys
        self.aggregates: list[tuple[str, exp.Expression]] = []

    def flat(self, expression: exp.Expression) -> exp.Expression:
        """The expression over the group's columns; the largest parts that are keys are taken first."""
        key = self._key(expression)
        if key is not None:
            return column(key)
        if _is_aggregate_call(expression):
            return column(self._aggregate(expression))
        if isinstance(expression, exp.Column):
            raise Unsupported(expression, f"column {expression.name}, which is neither grouped nor aggregated")
        result = expression.copy()
        for node, copied in zip(_children(expression), _children(result), strict=True):
            copied.replace(self.flat(node))
        return result

    def _key(self, expression: exp.Expression) -> str | None:
        if expression.find(exp.Column) is None:
            return None
        try:
            flat = self.scope.flat(expression) if not expression.find(exp.AggFunc) else None
        except Unsupported:
            return None
        return next((name for name, key in self.keys if key == flat), None)

    def _aggregate(self, call: exp.Expression) -> str:
        flat = self.scope.flat(call)
        for name, known in self.aggregates:
            if known == flat:
                return name
        name = self.context.names.column(f"{_word(call)}_{len(self.aggregates) + 1}")
        self.aggregates.append((name, flat))
        return name


def _keys(group: exp.Group | None, select: list[exp.Expression], scope: Scope, context: Context) -> Expressions:
    if group is None:
        return ()
    for clause in ("grouping_sets", "cube", "rollup", "totals"):
        if group.args.get(clause):
            raise Unsupported(group, clause.upper().replace("_", " "))
    wanted = list(group.expressions)
    if group.args.get("all"):
        wanted = [each.unalias() for each in select if not _aggregates(each)]
    keys: list[tuple[str, exp.Expression]] = []
    for each in wanted:
        flat = scope.flat(_by_position(each, select))
        if all(flat != known for _, known in keys):
            keys.append((context.names.column(each.name if isinstance(each, exp.Column) else "key"), flat))
    return tuple(keys)


def _by_position(key: exp.Expression, select: list[exp.Expression]) -> exp.Expression:
    if isinstance(key, exp.Literal) and key.is_int:
        return select[int(key.name) - 1].unalias()
    return key


def _order(query: exp.Select) -> list[exp.Expression]:
    order = query.args.get("order")
    return [each.this for each in order.expressions] if order is not None else []


def _aggregates(expression: exp.Expression) -> bool:
    return any(is_aggregate(each) for each in expression.walk(prune=lambda node: isinstance(node, exp.Query)))


def _is_aggregate_call(expression: exp.Expression) -> bool:
    return is_aggregate(expression) or (isinstance(expression, (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)) and _aggregates(expression.this))  # fmt: skip


def _children(expression: exp.Expression) -> list[exp.Expression]:
    return list(expression.iter_expressions())


def _word(call: exp.Expression) -> str:
    inner = call
    while not isinstance(inner, exp.Func) and isinstance(inner.this, exp.Expression):
        inner = inner.this
    return inner.sql_name().lower() if isinstance(inner, exp.Func) and not isinstance(inner, exp.Anonymous) else "aggregate"
