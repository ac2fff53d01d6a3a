"""GROUP BY, grouping sets, HAVING and aggregates in the select list."""

from collections.abc import Callable
from itertools import combinations

from sqlglot import exp

from dbt_lazyview.compiler.algebra import Aggregate, Node, Project, UnionAll
from dbt_lazyview.compiler.block import column
from dbt_lazyview.compiler.functions import function_name, is_aggregate
from dbt_lazyview.compiler.lowering.scope import Environment, Flatten, Lowered, Scope, Unsupported, is_lowered
from dbt_lazyview.compiler.lowering.sessions import find_sessions
from dbt_lazyview.compiler.lowering.subqueries import filter_where

LowerQuery = Callable[..., Lowered]
Keys = list[tuple[str, exp.Expr]]

_WRAPPERS = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)

_SETS = (exp.Rollup, exp.Cube, exp.GroupingSets)


def aggregate_select(
    query: exp.Select, node: Node, scope: Scope, environment: Environment, lower_query: LowerQuery
) -> tuple[Node, Flatten]:
    """The grouped input, and how the select list's expressions read from it; without grouping, the input itself."""
    group, having = query.args.get("group"), query.args.get("having")
    places = [*query.expressions, *_order(query), *([query.args["qualify"]] if query.args.get("qualify") else [])]
    if group is None and having is None and not any(aggregate_calls(each) for each in places):
        return node, scope.flat
    node, scope = find_sessions(query, _plain_keys(group, query.expressions), node, scope, environment)
    keys, sets = _keys(query.args.get("group"), query.expressions, scope, environment)
    grouping = _Grouping(environment, scope, keys)
    for each in (*places, *([having.this] if having is not None else [])):
        for call in aggregate_calls(each):
            grouping.aggregate(call)
    grouped = _grouped(node, keys, grouping, sets, environment)
    if having is not None:
        grouped = filter_where(having.this, grouped, grouping.flat, environment, lower_query)
    return grouped, grouping.flat


def aggregate_calls(expression: exp.Expr) -> list[exp.Expr]:
    """The outermost aggregate calls; a window function is none, but its arguments may hold some."""
    if isinstance(expression, exp.Query):
        return []
    if isinstance(expression, exp.Window):
        call = _called(expression.this)
        inside = [
            *call.iter_expressions(),
            *(each for each in expression.iter_expressions() if each is not expression.this),
        ]
        return [found for each in inside for found in aggregate_calls(each)]
    if is_aggregate(expression) or (isinstance(expression, _WRAPPERS) and is_aggregate(_called(expression))):
        return [expression]
    return [found for each in expression.iter_expressions() for found in aggregate_calls(each)]


class _Grouping:
    """Reads expressions over groups: keys and aggregates become columns."""

    def __init__(self, environment: Environment, scope: Scope, keys: Keys) -> None:
        self.environment, self.scope, self.keys = environment, scope, keys
        self.aggregates: list[tuple[str, exp.Expr]] = []

    def flat(self, expression: exp.Expr) -> exp.Expr:
        """The expression over the group's columns; the largest parts that are keys are taken first."""
        if is_lowered(expression):
            return self.scope.flat(expression)
        key = self._key(expression)
        if key is not None:
            return column(key)
        if isinstance(expression, exp.Window):
            return self._window(expression)
        if aggregate_calls(expression) == [expression]:
            return column(self.aggregate(expression))
        if isinstance(expression, exp.Column):
            return self._outer(expression)
        return self._parts(expression)

    def aggregate(self, call: exp.Expr) -> str:
        """The column of an aggregate call."""
        flat = self.scope.flat(call)
        for name, known in self.aggregates:
            if known == flat:
                return name
        name = self.environment.names.column(
            f"{function_name(_called(call)) or 'aggregate'}_{len(self.aggregates) + 1}"
        )
        self.aggregates.append((name, flat))
        return name

    def _window(self, window: exp.Window) -> exp.Expr:
        """The function itself is not an aggregate of the groups; everything in it is read over them."""
        result = window.copy()
        for part, copied in zip(window.iter_expressions(), list(result.iter_expressions()), strict=True):
            copied.replace(self._parts_below_call(part) if part is window.this else self.flat(part))
        return result

    def _parts_below_call(self, call: exp.Expr) -> exp.Expr:
        if isinstance(call, _WRAPPERS):
            result = call.copy()
            result.set("this", self._parts_below_call(call.this))
            if isinstance(call, exp.Filter):
                result.set("expression", self.flat(call.expression))
            return result
        return self._parts(call)

    def _parts(self, expression: exp.Expr) -> exp.Expr:
        result = expression.copy()
        for part, copied in zip(expression.iter_expressions(), list(result.iter_expressions()), strict=True):
            copied.replace(self.flat(part))
        return result

    def _outer(self, node: exp.Column) -> exp.Expr:
        if self.scope.outer is not None and node.table not in self.scope.relations:
            return self.scope.outer(node)
        raise Unsupported(node, f"column {node.name}, which is neither grouped nor aggregated")

    def _key(self, expression: exp.Expr) -> str | None:
        if aggregate_calls(expression) or expression.find(exp.Window, exp.Query):
            return None
        try:
            flat = self.scope.flat(expression)
        except Unsupported:
            return None
        return next((name for name, key in self.keys if key == flat), None)


def _grouped(
    node: Node, keys: Keys, grouping: _Grouping, sets: list[list[str]] | None, environment: Environment
) -> Node:
    calls = [
        (name, call) for name, call in grouping.aggregates if function_name(call) not in ("grouping", "grouping_id")
    ]
    marks = [(name, call) for name, call in grouping.aggregates if (name, call) not in calls]
    if sets is None:
        return Aggregate(node, tuple(keys), tuple(calls))
    names = (*(name for name, _ in keys), *(name for name, _ in calls), *(name for name, _ in marks))
    branches = tuple(_one_set(node, keys, calls, marks, chosen, environment) for chosen in sets)
    return UnionAll(branches, names)


def _one_set(node: Node, keys: Keys, calls: Keys, marks: Keys, chosen: list[str], environment: Environment) -> Node:
    """GROUP BY one of the grouping sets; the other keys are NULL."""
    renamed = {name: environment.names.column(name) for name, _ in (*keys, *calls)}
    aggregate = Aggregate(
        node,
        tuple((renamed[name], each) for name, each in keys if name in chosen),
        tuple((renamed[name], each.copy()) for name, each in calls),
    )
    outputs: list[tuple[str, exp.Expr]] = [
        (environment.names.column(name), column(renamed[name]) if name in chosen else exp.Null()) for name, _ in keys
    ]
    outputs += [(environment.names.column(name), column(renamed[name])) for name, _ in calls]
    outputs += [(environment.names.column(name), _mark(call, keys, chosen)) for name, call in marks]
    return Project(aggregate, tuple(outputs))


def _mark(call: exp.Expr, keys: Keys, chosen: list[str]) -> exp.Expr:
    """GROUPING and GROUPING_ID are constants of a grouping set."""
    asked = [each for each in call.iter_expressions() if not isinstance(each, exp.Identifier)] or [
        each for _, each in keys
    ]
    bits = "".join("0" if name in chosen else "1" for each in asked for name, key in keys if key == each)
    kind = "tinyint" if function_name(call) == "grouping" else "bigint"
    return exp.cast(exp.Literal.number(int(bits or "0", 2)), kind)


def _keys(
    group: exp.Group | None, select: list[exp.Expr], scope: Scope, environment: Environment
) -> tuple[Keys, list[list[str]] | None]:
    keys: Keys = []
    if group is None:
        return keys, None

    def name_of(wanted: exp.Expr) -> str:
        flat = scope.flat(wanted)
        known = next((name for name, each in keys if each == flat), None)
        if known is None:
            known = environment.names.column(wanted.name if isinstance(wanted, exp.Column) else "key")
            keys.append((known, flat))
        return known

    def name_at(wanted: exp.Expr) -> str:
        return name_of(_by_position(wanted, select))

    clauses = [each for each in group.expressions if isinstance(each, _SETS)]
    plain = _plain_keys(group, select)
    for kind in (exp.Rollup, exp.Cube):  # GROUP BY a, b WITH ROLLUP
        if group.args.get(kind.key):
            clauses, plain = [kind(expressions=plain)], []
    sets = [[name_of(each) for each in plain]]
    for clause in clauses:
        sets = [
            before + chosen
            for before in sets
            for chosen in _expanded(clause, lambda each: name_of(_by_position(each, select)))
        ]
    return keys, sets if clauses else None


def _plain_keys(group: exp.Group | None, select: list[exp.Expr]) -> list[exp.Expr]:
    """What is grouped by outside of grouping sets, as it stands in the query."""
    if group is None:
        return []
    if group.args.get("all"):
        return [each.unalias() for each in select if not aggregate_calls(each)]
    return [_by_position(each, select) for each in group.expressions if not isinstance(each, _SETS)]


def _expanded(clause: exp.Expr, name_of: Callable[[exp.Expr], str]) -> list[list[str]]:
    """The grouping sets of one clause."""
    if isinstance(clause, (exp.Rollup, exp.Cube)):
        parts = [_names(each, name_of) for each in clause.expressions]
        if isinstance(clause, exp.Rollup):
            chosen = [parts[:length] for length in range(len(parts), -1, -1)]
        else:
            chosen = [list(each) for size in range(len(parts), -1, -1) for each in combinations(parts, size)]
        return [[name for part in each for name in part] for each in chosen]
    if isinstance(clause, exp.GroupingSets):
        return [found for each in clause.expressions for found in _member(each, name_of)]
    raise Unsupported(clause, "this GROUP BY")


def _member(each: exp.Expr, name_of: Callable[[exp.Expr], str]) -> list[list[str]]:
    return _expanded(each, name_of) if isinstance(each, _SETS) else [_names(each, name_of)]


def _names(part: exp.Expr, name_of: Callable[[exp.Expr], str]) -> list[str]:
    if isinstance(part, exp.Tuple):
        return [name_of(each) for each in part.expressions]
    return [name_of(part.this if isinstance(part, exp.Paren) else part)]


def _by_position(key: exp.Expr, select: list[exp.Expr]) -> exp.Expr:
    if isinstance(key, exp.Literal) and key.is_int:
        return select[int(key.name) - 1].unalias()
    return key


def _order(query: exp.Select) -> list[exp.Expr]:
    order = query.args.get("order")
    keys = [each.this for each in order.expressions] if order is not None else []
    return [each for each in keys if not (isinstance(each, exp.Column) and not each.table)]


def _called(call: exp.Expr) -> exp.Expr:
    while isinstance(call, _WRAPPERS):
        call = call.this
    return call
