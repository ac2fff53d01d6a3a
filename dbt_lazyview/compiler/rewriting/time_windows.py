"""
Windows of time: WINDOW(ts, '1 hour') gives a row for each window that it falls into, as a generator does.

Spark lets it stand inside a generator as well, and cuts the time there as everywhere: rows without a time are left out.
"""

from sqlglot import exp

from dbt_lazyview.compiler.functions import arguments, function_name
from dbt_lazyview.compiler.lowering.scope import Unsupported

_RELATION, _COLUMN = "lv_time", "window"  # the name that Spark gives to the column
_SESSION = "session_window"


def with_generated_windows(query: exp.Query) -> exp.Query:
    """Each SELECT that cuts time reads the windows from a LATERAL VIEW."""
    for select in list(query.find_all(exp.Select)):
        calls = [
            each for each in select.find_all(exp.Func) if _is_window(each, "window") and _select_of(each) is select
        ]
        if calls:
            _generate(select, calls)
        _write_out_sessions(select)
    for call in list(query.find_all(exp.Func)):
        if _is_window(call, "window_time"):
            call.replace(_last_moment(arguments(call)[0]))
    return query


def _is_window(call: exp.Expr, name: str) -> bool:
    return function_name(call) == name and bool(arguments(call))


def _generate(select: exp.Select, calls: list[exp.Func]) -> None:
    if any(each != calls[0] for each in calls):
        raise Unsupported(calls[1], "more than one WINDOW over time in a SELECT")
    alias = exp.TableAlias(this=exp.to_identifier(_RELATION), columns=[exp.to_identifier(_COLUMN, quoted=True)])
    one = exp.Explode(this=exp.Array(expressions=[calls[0].copy()]))
    for call in calls:
        call.replace(exp.column(exp.to_identifier(_COLUMN, quoted=True), table=_RELATION))
    select.append("laterals", exp.Lateral(this=one, view=True, alias=alias))


def _write_out_sessions(select: exp.Select) -> None:
    """A session that the SELECT groups by may be named by its column; the call itself is written there then."""
    calls = [
        each for each in select.find_all(exp.Func) if _is_window(each, "session_window") and _select_of(each) is select
    ]
    if not calls:
        return
    for column in [each for each in select.find_all(exp.Column) if _select_of(each) is select]:
        if column.name == _SESSION and not column.table:
            column.replace(calls[0].copy())
        elif column.table == _SESSION:
            column.replace(exp.Dot(this=calls[0].copy(), expression=column.this.copy()))


def _last_moment(window: exp.Expr) -> exp.Expr:
    """The last moment that belongs to a window."""
    end = exp.Dot(this=exp.Paren(this=window.copy()), expression=exp.to_identifier("end", quoted=True))
    microsecond = exp.Interval(this=exp.Literal.string("1"), unit=exp.Var(this="MICROSECOND"))
    return exp.Paren(this=exp.Sub(this=end, expression=microsecond))


def _select_of(call: exp.Expr) -> exp.Expr | None:
    return call.find_ancestor(exp.Select)
