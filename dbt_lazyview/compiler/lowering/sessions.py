"""
GROUP BY SESSION_WINDOW(ts, gap): rows form a session while each comes before the end of what is known of it.

Within the other keys, a row opens a session if all earlier ones have ended; a session is known by its first moment.
"""

from sqlglot import exp

from dbt_lazyview.compiler.algebra import Filter, Node, Project, Window
from dbt_lazyview.compiler.block import case_when, column
from dbt_lazyview.compiler.functions import arguments, function_name, is_aggregate
from dbt_lazyview.compiler.lowering.scope import Environment, Scope, Unsupported

_SESSION = "lv_session"  # a relation with the session of each row
_MICROSECOND = exp.Interval(this=exp.Literal.string("1"), unit=exp.Var(this="MICROSECOND"))
_NOTHING = exp.Interval(this=exp.Literal.string("0"), unit=exp.Var(this="SECOND"))


def is_session(expression: exp.Expr) -> bool:
    return function_name(expression) == "session_window"


def find_sessions(
    query: exp.Select, keys: list[exp.Expr], node: Node, scope: Scope, environment: Environment
) -> tuple[Node, Scope]:
    """The input with the session of each row; calls in the query and among its keys then read it."""
    calls = [each for each in keys if is_session(each)]
    if any(each != calls[0] for each in calls):
        raise Unsupported(calls[1], "more than one SESSION_WINDOW in a SELECT")
    if not calls:
        return node, scope
    if len(keys) < len(query.args["group"].expressions):
        raise Unsupported(calls[0], "SESSION_WINDOW beside grouping sets")
    call, others = calls[0].copy(), [scope.flat(each) for each in keys if not is_session(each)]
    node, start, end = _with_sessions(node, scope, call, others, environment)
    by_session = [column("start", _SESSION) if is_session(each) else each.copy() for each in keys]
    query.set("group", exp.Group(expressions=by_session))
    for found in [each for each in query.find_all(exp.Func) if each == call]:
        if _is_in_aggregate(found):
            raise Unsupported(found, "an aggregate of SESSION_WINDOW")
        found.replace(_session())
    return node, Scope({**scope.relations, _SESSION: {"start": start, "end": end}}, scope.outer)


def _with_sessions(
    node: Node, scope: Scope, call: exp.Expr, keys: list[exp.Expr], environment: Environment
) -> tuple[Node, str, str]:
    time, gap = (scope.flat(each) for each in arguments(call))
    names = environment.names.column
    start, end, before, opening, session = map(names, ("start", "end", "before", "opening", "session"))
    length = gap if isinstance(gap, exp.Interval) else exp.Cast(this=gap, to=exp.DataType.build("interval"))
    timed = _extended(
        node,
        {
            start: exp.Add(this=exp.Paren(this=time.copy()), expression=_NOTHING.copy()),  # a moment, if it is a date
            end: exp.Add(this=exp.Paren(this=time), expression=length),
        },
    )
    counted = Filter(timed, exp.GT(this=column(end), expression=column(start)))  # not NULL, and of some length
    earlier = exp.WindowSpec(
        kind="RANGE", start="UNBOUNDED", start_side="PRECEDING", end=_MICROSECOND.copy(), end_side="PRECEDING"
    )
    known = Window(counted, tuple(keys), ((before, _over(column(end), keys, start, earlier)),))
    is_first = exp.Or(
        this=exp.Is(this=column(before), expression=exp.Null()),
        expression=exp.GT(this=column(start), expression=column(before)),
    )
    opened = _extended(known, {opening: case_when(is_first, column(start))})
    return Window(opened, tuple(keys), ((session, _over(column(opening), keys, start, None)),)), session, end


def _over(argument: exp.Expr, keys: list[exp.Expr], order: str, spec: exp.WindowSpec | None) -> exp.Window:
    return exp.Window(
        this=exp.Max(this=argument),
        partition_by=[each.copy() for each in keys],
        order=exp.Order(expressions=[exp.Ordered(this=column(order))]),
        spec=spec,
        over="OVER",
    )


def _is_in_aggregate(call: exp.Expr) -> bool:
    above = call.find_ancestor(exp.Func, exp.Select)
    return isinstance(above, exp.Func) and (is_aggregate(above) or _is_in_aggregate(above))


def _session() -> exp.Expr:
    """A session as Spark shows it."""
    names = [exp.Literal.string(each) for each in ("start", "end")]
    last = exp.Max(this=column("end", _SESSION))
    return exp.Anonymous(this="NAMED_STRUCT", expressions=[names[0], column("start", _SESSION), names[1], last])


def _extended(node: Node, more: dict[str, exp.Expr]) -> Node:
    return Project(node, (*((name, column(name)) for name in node.columns), *more.items()))
