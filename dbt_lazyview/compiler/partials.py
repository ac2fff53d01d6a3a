"""
Aggregates as partials that a state can keep.

An additive aggregate is stored as sums that signed changes can be added to; any other is stored as its value and
recomputed for the groups in the delta. `count(*)` is `lv_count`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from sqlglot import exp

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.dialect import DIALECT
from dbt_lazyview.compiler.functions import function_name
from dbt_lazyview.names import COUNT, WEIGHT

_DECIMAL = re.compile(r"decimal\((\d+),\s*(\d+)\)")
_SMALL_INTEGERS = {"tinyint", "smallint", "int", "integer"}
_MAX_ADDITIVE_PRECISION = 28  # sum adds 10 digits; beyond 38 it may overflow, and an overflow cannot be taken back


class Additive(Enum):
    """When changes may be added to a partial."""

    ALWAYS = "always"
    INSERT_ONLY = "insert_only"  # min, max, float sums: a retraction needs the group's rows
    NEVER = "never"


@dataclass(frozen=True)
class Partial:
    """One stored column behind an aggregate, over the argument columns of the aggregate's input."""

    name: str
    build: exp.Expr  # aggregate over plain rows
    change: exp.Expr | None  # aggregate over weighted rows
    fold: type[exp.AggFunc] | None  # how two partials of a group combine
    additive: Additive
    type: str = ""  # cast to it after combining, where combining would widen


@dataclass
class Partials:
    """The partials of one aggregate node; equal ones are stored once."""

    type_of: Callable[[exp.Expr], str]  # type of an argument, as Spark prints it
    arguments: list[tuple[str, exp.Expr]] = field(default_factory=list)
    stored: dict[str, Partial] = field(default_factory=dict)
    _known: dict[tuple[str, str], str] = field(default_factory=dict)

    def finish(self, call: exp.Expr) -> exp.Expr:
        """Store what an aggregate call needs; gives the expression that finishes it from stored columns."""
        call = _without_filter(call)
        distinct = isinstance(call.this, exp.Distinct) if isinstance(call, exp.Func) else False
        kind = type(call)
        if kind is exp.Count and not distinct and not call.expressions:
            return self._count(call.this)
        if kind is exp.CountIf and not distinct:
            return self._count(_if(call.this.copy(), exp.Literal.number(1), None))
        if kind is exp.Sum and not distinct:
            return self._sum(call.this)
        if kind is exp.Avg and not distinct:
            return self._avg(call.this)
        if kind in (exp.Min, exp.Max) and not distinct and not call.expressions:
            return self._extreme(call, exp.Min if kind is exp.Min else exp.Max)
        return self._value(call)

    def _count(self, argument: exp.Expr) -> exp.Expr:
        if isinstance(argument, (exp.Star, exp.Literal)):
            return sql.column(COUNT)
        own = self._argument(argument)
        change = exp.Sum(this=_if(_is_null(own), exp.Literal.number(0), sql.column(WEIGHT)))
        return self._store("n", argument, exp.Count(this=own), change, exp.Sum, Additive.ALWAYS)

    def _sum(self, argument: exp.Expr) -> exp.Expr:
        total = self._total(argument, self.type_of(argument))
        return _if(_is_zero(self._count(argument)), exp.Null(), total)

    def _avg(self, argument: exp.Expr) -> exp.Expr:
        """Spark's own formula: decimals divide their sum by the count and keep four more digits; all else is double."""
        kind = self.type_of(argument)
        decimal = _DECIMAL.fullmatch(kind)
        wide = exp.cast(argument.copy(), "decimal(38, 0)") if kind == "bigint" else argument
        total = self._total(wide, "decimal(28,0)" if kind == "bigint" else kind)
        count = self._count(argument)
        if decimal:
            precision, scale = (min(38, int(each) + 4) for each in decimal.groups())
            finished: exp.Expr = exp.cast(
                exp.Div(this=total, expression=count.copy()), f"decimal({precision}, {scale})"
            )
        else:
            finished = exp.Div(this=exp.cast(total, "double"), expression=count.copy())
        return _if(_is_zero(count), exp.Null(), finished)

    def _total(self, argument: exp.Expr, kind: str) -> exp.Expr:
        decimal = _DECIMAL.fullmatch(kind)
        own = self._argument(argument)
        weight: exp.Expr = sql.column(WEIGHT)
        additive, stored_type = Additive.ALWAYS, ""
        if decimal:
            precision, scale = int(decimal.group(1)), int(decimal.group(2))
            weight = exp.cast(weight, "decimal(9, 0)")  # a wider factor would cost digits of the product
            stored_type = f"decimal({min(38, precision + 10)}, {scale})"
            additive = Additive.ALWAYS if precision <= _MAX_ADDITIVE_PRECISION else Additive.NEVER
        elif kind in ("float", "double"):
            additive = Additive.INSERT_ONLY
        change = exp.Sum(this=exp.Mul(this=own.copy(), expression=weight))
        return self._store("sum", argument, exp.Sum(this=own), change, exp.Sum, additive, stored_type)

    def _extreme(self, call: exp.Expr, kind: type[exp.AggFunc]) -> exp.Expr:
        own = self._argument(call.this)
        word = "min" if kind is exp.Min else "max"
        return self._store(word, call.this, kind(this=own), kind(this=own.copy()), kind, Additive.INSERT_ONLY)

    def _value(self, call: exp.Expr) -> exp.Expr:
        build = call.copy()
        for node in list(build.find_all(exp.Column)):
            node.replace(self._argument(node))
        return self._store(function_name(call) or "value", call, build, None, None, Additive.NEVER)

    def _argument(self, expression: exp.Expr) -> exp.Column:
        for name, known in self.arguments:
            if known == expression:
                return sql.column(name)
        name = f"lv_argument_{len(self.arguments) + 1}"
        self.arguments.append((name, expression.copy()))
        return sql.column(name)

    def _store(
        self,
        word: str,
        about: exp.Expr,
        build: exp.Expr,
        change: exp.Expr | None,
        fold: type[exp.AggFunc] | None,
        additive: Additive,
        stored_type: str = "",
    ) -> exp.Expr:
        known = (word, about.sql(DIALECT))
        if known not in self._known:
            name = f"lv_{word}_{len(self.stored) + 1}"
            if stored_type:
                build = exp.cast(build, stored_type)
            self.stored[name] = Partial(name, build, change, fold, additive, stored_type)
            self._known[known] = name
        return sql.column(self._known[known])


def _without_filter(call: exp.Expr) -> exp.Expr:
    """agg(x) FILTER (WHERE p) is agg(CASE WHEN p THEN x END), where the argument is one expression."""
    if not isinstance(call, exp.Filter):
        return call
    inner, predicate = call.this, call.expression.this
    if (
        type(inner) in (exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max)
        and not isinstance(inner.this, exp.Distinct)
        and not inner.expressions
    ):
        counted = exp.Literal.number(1) if isinstance(inner.this, exp.Star) else inner.this.copy()
        result: exp.Expr = inner.copy()
        result.set("this", _if(predicate.copy(), counted, None))
        return result
    return call


def _if(condition: exp.Expr, then: exp.Expr, otherwise: exp.Expr | None) -> exp.Case:
    return exp.Case(ifs=[exp.If(this=condition, true=then)], default=otherwise)


def _is_null(expression: exp.Expr) -> exp.Expr:
    return exp.Is(this=expression.copy(), expression=exp.Null())


def _is_zero(expression: exp.Expr) -> exp.Expr:
    return exp.EQ(this=expression.copy(), expression=exp.Literal.number(0))
