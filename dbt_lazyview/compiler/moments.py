"""
Variances, deviations and correlations of integers, finished from exact sums.

    n Σxy − Σx Σy is the spread of two columns, n² times their covariance. Of doubles it would cancel to noise, so
    columns of other types are left to be computed again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from dbt_lazyview.compiler.block import case_when, cast

_ONE = exp.Literal.number(1)
_EXACT_ROWS = 10**9  # up to as many rows all products fit into 38 digits; beyond, the last digits of a double are lost


@dataclass(frozen=True)
class Sums:
    """Rows in which both columns have a value, sums of the columns, and of their products."""

    count: exp.Expr
    x: exp.Expr
    y: exp.Expr
    xx: exp.Expr
    xy: exp.Expr
    yy: exp.Expr


def _population(spread: exp.Expr, sums: Sums) -> exp.Expr:
    return _if_rows(sums, 1, _over(spread, _times(_double(sums.count), _double(sums.count))))


def _sample(spread: exp.Expr, sums: Sums) -> exp.Expr:
    fewer = exp.Paren(this=exp.Sub(this=_double(sums.count), expression=_ONE.copy()))
    return _if_rows(sums, 2, _over(spread, _times(_double(sums.count), fewer)))


def _correlation(sums: Sums) -> exp.Expr:
    """Of a column that is the same in all rows Spark divides by zero: an error in ANSI mode, else NULL."""
    roots = [_root(_spread(sums.count, *each)) for each in ((sums.x, sums.x, sums.xx), (sums.y, sums.y, sums.yy))]
    return _if_rows(sums, 2, _over(_spread(sums.count, sums.x, sums.y, sums.xy), _times(*roots)))


def _of_one(finish: Callable[[exp.Expr, Sums], exp.Expr]) -> Callable[[Sums], exp.Expr]:
    return lambda sums: finish(_spread(sums.count, sums.x, sums.x, sums.xx), sums)


def _of_two(finish: Callable[[exp.Expr, Sums], exp.Expr]) -> Callable[[Sums], exp.Expr]:
    return lambda sums: finish(_spread(sums.count, sums.x, sums.y, sums.xy), sums)


def _rooted(finish: Callable[[Sums], exp.Expr]) -> Callable[[Sums], exp.Expr]:
    return lambda sums: _root(finish(sums))


FINISHED: Mapping[str, Callable[[Sums], exp.Expr]] = {
    "var_pop": _of_one(_population),
    "var_samp": _of_one(_sample),
    "variance": _of_one(_sample),
    "stddev_pop": _rooted(_of_one(_population)),
    "stddev_samp": _rooted(_of_one(_sample)),
    "stddev": _rooted(_of_one(_sample)),
    "std": _rooted(_of_one(_sample)),
    "covar_pop": _of_two(_population),
    "covar_samp": _of_two(_sample),
    "corr": _correlation,
}


def _spread(count: exp.Expr, x: exp.Expr, y: exp.Expr, xy: exp.Expr) -> exp.Expr:
    exact = cast(
        exp.Sub(
            this=_times(_digits(count, 9), _digits(xy, 29)),
            expression=_times(_digits(x, 19), _digits(y, 19)),
        ),
        "double",
    )
    rounded = exp.Sub(this=_times(_double(count), _double(xy)), expression=_times(_double(x), _double(y)))
    return case_when(exp.LT(this=count.copy(), expression=exp.Literal.number(_EXACT_ROWS)), exact, rounded)


def _if_rows(sums: Sums, least: int, value: exp.Expr) -> exp.Expr:
    return case_when(exp.GTE(this=sums.count.copy(), expression=exp.Literal.number(least)), value)


def _digits(expression: exp.Expr, precision: int) -> exp.Expr:
    return cast(expression.copy(), f"decimal({precision}, 0)")


def _double(expression: exp.Expr) -> exp.Expr:
    return cast(expression.copy(), "double")


def _times(one: exp.Expr, other: exp.Expr) -> exp.Expr:
    return exp.Mul(this=one, expression=other)


def _over(one: exp.Expr, other: exp.Expr) -> exp.Expr:
    return exp.Div(this=exp.Paren(this=one.copy()), expression=exp.Paren(this=other))


def _root(expression: exp.Expr) -> exp.Expr:
    return exp.Sqrt(this=expression.copy())
