"""
Aggregates as partials that a state can keep.

An additive aggregate is stored as sums that signed changes can be added to; any other is stored as its value and
recomputed for the groups in the delta. `count(*)` is `lv_count`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum

from sqlglot import exp

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.catalog import FLOATS
from dbt_lazyview.compiler.dialect import DIALECT
from dbt_lazyview.compiler.functions import ADDED_FOR_INTEGERS, ALL_TRUE, SOME_TRUE, function_name
from dbt_lazyview.compiler.moments import FINISHED, Sums
from dbt_lazyview.names import COUNT, SUM_TOO_LARGE, WEIGHT

_DECIMAL = re.compile(r"decimal\((\d+),\s*(\d+)\)")
_SMALL_INTEGERS = {"tinyint", "smallint", "int", "integer"}
_INTEGERS = _SMALL_INTEGERS | {"bigint"}
_ZERO = exp.Literal.number(0)
_MAX_DIVIDED_PRECISION = 24  # 10 digits more for the sum, 4 more for the quotient: all within 38
_MAX_UNCHECKED_PRECISION = 28  # sum adds 10 digits; beyond 38 it may overflow
_MAX_CHECKED_SCALE = 6  # more decimals than these are rounded away where a product is wider than 38 digits


class Additive(Enum):
    """When changes may be added to a partial."""

    ALWAYS = "always"
    CHECKED = "checked"  # wide decimal sums: an overflow cannot be taken back
    INSERT_ONLY = "insert_only"  # min, max, float sums: a retraction needs the group's rows
    NEVER = "never"


class Fold(Enum):
    """How two partials of a group combine."""

    SUM = "sum"
    LEAST = "min"
    GREATEST = "max"
    PARITY = "bit_xor"
    CHECKED_SUM = "checked_sum"  # fails where it overflows

    def over(self, partials: exp.Expr) -> exp.Expr:
        """All partials of a group as one."""
        if self is Fold.CHECKED_SUM:
            return unless_overflown(exp.Sum(this=partials), exp.Count(this=partials.copy()))
        return exp.AnonymousAggFunc(this=self.value.upper(), expressions=[partials])

    @property
    def adds_up(self) -> bool:
        """Whether a change of zero changes nothing."""
        return self in (Fold.SUM, Fold.CHECKED_SUM)


@dataclass(frozen=True)
class Partial:
    """One stored column behind an aggregate, over the argument columns of the aggregate's input."""

    name: str
    build: exp.Expr  # aggregate over plain rows
    change: exp.Expr | None  # aggregate over weighted rows
    fold: Fold | None
    additive: Additive
    type: str = ""  # cast to it after combining, where combining would widen
    counted_by: str = ""  # of a checked sum: the column that counts its values; a stored NULL of some is an overflow


@dataclass
class Partials:
    """The partials of one aggregate node; equal ones are stored once."""

    type_of: Callable[[exp.Expr], str]  # type of an argument, as Spark prints it
    exact: bool = False  # whether sums of floating-point numbers are always computed again
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
            return self._count(sql.case_when(call.this.copy(), exp.Literal.number(1), None))
        if kind is exp.Sum and not distinct:
            return self._sum(call.this)
        if kind is exp.Avg and not distinct and not self._is_too_wide_to_divide(call.this):
            return self._avg(call.this)
        if kind in (exp.Min, exp.Max) and not distinct and not call.expressions:
            return self._extreme(call, exp.Min if kind is exp.Min else exp.Max)
        name, given = function_name(call), call.expressions if isinstance(call, exp.AnonymousAggFunc) else []
        if name in ALL_TRUE | SOME_TRUE and not any(isinstance(each, exp.Distinct) for each in given):
            return self._truth(name in ALL_TRUE, given[0])
        if name in FINISHED and all(self.type_of(each) in _SMALL_INTEGERS for each in given):
            return FINISHED[name](self._sums(given[0], given[-1]))
        if name == "bit_xor" and self.type_of(given[0]) in _INTEGERS:
            return self._parity(given[0])
        return self._value(call)

    @property
    def always_add_up(self) -> bool:
        """Whether changes can be added to all of them, retractions too."""
        return all(each.additive in (Additive.ALWAYS, Additive.CHECKED) for each in self.stored.values())

    def _truth(self, of_all: bool, argument: exp.Expr) -> exp.Expr:
        """Whether all, or some, of the known values are true; unknown without any."""
        wanted = exp.Not(this=exp.Paren(this=argument.copy())) if of_all else argument.copy()
        found = self._count(sql.case_when(wanted, exp.Literal.number(1), None))
        zero = exp.Literal.number(0)
        answer = exp.EQ(this=found, expression=zero) if of_all else exp.GT(this=found, expression=zero)
        return sql.case_when(_is_zero(self._count(argument)), exp.Null(), answer)

    def _parity(self, argument: exp.Expr) -> exp.Expr:
        """Bits that an odd number of rows has; a row that goes away turns them back."""
        own = self._argument(argument)
        is_odd = exp.NEQ(this=exp.Mod(this=sql.column(WEIGHT), expression=exp.Literal.number(2)), expression=_ZERO)
        change = _bit_xor(sql.case_when(is_odd, own.copy(), None))
        kept = self._store("bit_xor", argument, _bit_xor(own), change, Fold.PARITY, Additive.ALWAYS)
        return sql.case_when(_is_zero(self._count(argument)), exp.Null(), kept)

    def _sums(self, x: exp.Expr, y: exp.Expr) -> Sums:
        """What variances and correlations are finished from; of rows in which both have a value."""
        if x != y:
            x, y = (
                sql.case_when(exp.Not(this=sql.is_null(other)), own.copy(), None) for own, other in ((x, y), (y, x))
            )
        factors = {each: sql.cast(exp.Paren(this=each.copy()), "decimal(10, 0)") for each in (x, y)}
        products = [
            sql.cast(exp.Mul(this=factors[one].copy(), expression=factors[other].copy()), "decimal(19, 0)")
            for one, other in ((x, x), (x, y), (y, y))
        ]
        sums = [self._total(each, "int") for each in (x, y)]
        return Sums(self._count(x), *sums, *(self._total(each, "decimal(19,0)") for each in products))

    def _count(self, argument: exp.Expr) -> exp.Expr:
        if isinstance(argument, (exp.Star, exp.Literal)):
            return sql.column(COUNT)
        own = self._argument(argument)
        change = exp.Sum(this=sql.case_when(sql.is_null(own), exp.Literal.number(0), sql.column(WEIGHT)))
        return self._store("n", argument, exp.Count(this=own), change, Fold.SUM, Additive.ALWAYS)

    def _sum(self, argument: exp.Expr) -> exp.Expr:
        total = self._total(argument, self.type_of(argument))
        return sql.case_when(_is_zero(self._count(argument)), exp.Null(), total)

    def _avg(self, argument: exp.Expr) -> exp.Expr:
        """Spark's own formula: decimals divide their sum by the count and keep four more digits; all else is double."""
        kind = self.type_of(argument)
        decimal = _DECIMAL.fullmatch(kind)
        wide = sql.cast(argument.copy(), "decimal(38, 0)") if kind == "bigint" else argument
        total = self._total(wide, "decimal(28,0)" if kind == "bigint" else kind)
        count = self._count(argument)
        if decimal:
            precision, scale = (min(38, int(each) + 4) for each in decimal.groups())
            finished: exp.Expr = sql.cast(
                exp.Div(this=total, expression=count.copy()), f"decimal({precision}, {scale})"
            )
        else:
            finished = exp.Div(this=sql.cast(total, "double"), expression=count.copy())
        return sql.case_when(_is_zero(count), exp.Null(), finished)

    def _is_too_wide_to_divide(self, argument: exp.Expr) -> bool:
        """Whether dividing a sum of decimals would cost digits that Spark's own average has."""
        decimal = _DECIMAL.fullmatch(self.type_of(argument))
        return decimal is not None and int(decimal.group(1)) > _MAX_DIVIDED_PRECISION

    def _total(self, argument: exp.Expr, kind: str) -> exp.Expr:
        decimal = _DECIMAL.fullmatch(kind)
        own = self._argument(argument)
        weight: exp.Expr = sql.column(WEIGHT)
        additive, stored_type = Additive.ALWAYS, ""
        if decimal:
            precision, scale = int(decimal.group(1)), int(decimal.group(2))
            if precision > _MAX_UNCHECKED_PRECISION:
                return self._checked_total(argument, own, scale)
            weight = sql.cast(weight, "decimal(9, 0)")  # a wider factor would cost digits of the product
            stored_type = f"decimal({precision + 10}, {scale})"
        elif kind in FLOATS:
            additive = Additive.NEVER if self.exact else Additive.INSERT_ONLY
        change = exp.Sum(this=exp.Mul(this=own.copy(), expression=weight))
        return self._store("sum", argument, exp.Sum(this=own), change, Fold.SUM, additive, stored_type)

    def _checked_total(self, argument: exp.Expr, own: exp.Column, scale: int) -> exp.Expr:
        """A sum that may overflow: a statement in which it does so fails, and the groups are computed again."""
        signed = exp.Mul(this=own.copy(), expression=sql.cast(sql.column(WEIGHT), "decimal(9, 0)"))
        total = unless_overflown(exp.Sum(this=signed), exp.Count(this=signed.copy()), exp.Count(this=own.copy()))
        additive = Additive.CHECKED if scale <= _MAX_CHECKED_SCALE else Additive.NEVER
        build, kind = exp.Sum(this=own.copy()), f"decimal(38, {scale})"
        kept = self._store("sum", argument, build, total, Fold.CHECKED_SUM, additive, kind)
        counted = self._count(argument)
        self.stored[kept.name] = replace(self.stored[kept.name], counted_by=counted.name)
        return kept

    def _extreme(self, call: exp.Expr, kind: type[exp.AggFunc]) -> exp.Expr:
        own = self._argument(call.this)
        fold = Fold.LEAST if kind is exp.Min else Fold.GREATEST
        return self._store(fold.value, call.this, kind(this=own), kind(this=own.copy()), fold, Additive.INSERT_ONLY)

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
        fold: Fold | None,
        additive: Additive,
        stored_type: str = "",
    ) -> exp.Expr:
        known = (word, about.sql(DIALECT))
        if known not in self._known:
            name = f"lv_{word}_{len(self.stored) + 1}"
            if stored_type:
                build = sql.cast(build, stored_type)
            self.stored[name] = Partial(name, build, change, fold, additive, stored_type)
            self._known[known] = name
        return sql.column(self._known[known])


def unless_overflown(total: exp.Expr, values: exp.Expr, known: exp.Expr | None = None) -> exp.Expr:
    """
    A sum of some values, or an error where it is too large to be told; `known` counts what there was to be signed.

    Example:
        >>> unless_overflown(exp.Sum(this=sql.column("a")), exp.Count(this=sql.column("a"))).sql(DIALECT)
        "CASE WHEN COUNT(`a`) > 0 AND SUM(`a`) IS NULL THEN RAISE_ERROR('LV_SUM_TOO_LARGE') ELSE SUM(`a`) END"
    """
    is_lost = exp.and_(exp.GT(this=values, expression=_ZERO.copy()), sql.is_null(total))
    if known is not None:
        is_lost = exp.or_(exp.NEQ(this=known, expression=values.copy()), is_lost)
    return sql.case_when(is_lost, raise_overflow(), total)


def raise_overflow() -> exp.Expr:
    """Ends the statement."""
    return exp.Anonymous(this="RAISE_ERROR", expressions=[exp.Literal.string(SUM_TOO_LARGE)])


def typed_arguments(call: exp.Expr) -> list[exp.Expr]:
    """The arguments of an aggregate on whose types it depends whether changes can be added."""
    if function_name(call) in ADDED_FOR_INTEGERS:
        return call.expressions
    return [call.this] if isinstance(call, exp.Sum | exp.Avg) and not isinstance(call.this, exp.Distinct) else []


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
        result.set("this", sql.case_when(predicate.copy(), counted, None))
        return result
    return call


def _bit_xor(argument: exp.Expr) -> exp.Expr:
    return exp.AnonymousAggFunc(this="BIT_XOR", expressions=[argument])


def _is_zero(expression: exp.Expr) -> exp.Expr:
    return exp.EQ(this=expression.copy(), expression=exp.Literal.number(0))
