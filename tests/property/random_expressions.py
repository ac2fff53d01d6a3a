"""Random expressions over the columns of a relation, in Spark's dialect: values, predicates, aggregates, windows."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

Typed = tuple[str, str]  # text and kind: int, string, decimal, double, boolean or date

# Between all sums and averages of the doubles in the tables: a comparison never depends on their last digits.
_BETWEEN_DOUBLES = "0.8437"
_LITERALS = {
    "int": ["0", "1", "2", "3", "4"],
    "string": ["'x'", "'y'", "'z'"],
    "decimal": ["0.50", "1.50", "2.00"],
    "double": ["cast(0.7 as double)"],
    "boolean": ["true", "false"],
    "date": ["date '2024-02-01'"],
}
_COMPARABLE = ("int", "string", "decimal", "date", "boolean")
_FRAMES = [
    "rows between unbounded preceding and current row",
    "rows between 1 preceding and 1 following",
    "rows between current row and unbounded following",
]


@dataclass(frozen=True)
class Columns:
    """The columns that expressions may read."""

    columns: tuple[Typed, ...]

    def of(self, kind: str) -> list[str]:
        return [name for name, each in self.columns if each == kind]

    def comparable(self) -> "Columns":
        """Without doubles: equal sums may differ in their last digits."""
        return Columns(tuple(each for each in self.columns if each[1] != "double"))

    def __add__(self, other: "Columns") -> "Columns":
        return Columns((*self.columns, *other.columns))


class ExpressionGenerator:
    """All choices come from one seeded generator."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def some(self, columns: Columns, most: int = 3) -> list[Typed]:
        """At least one column."""
        size = self.random.randint(1, max(1, min(most, len(columns.columns))))
        return self.random.sample(columns.columns, size) if columns.columns else [("1", "int")]

    def literal(self, kind: str) -> str:
        return self.random.choice(_LITERALS[kind])

    def column(self, columns: Columns, kind: str) -> str:
        found = columns.of(kind)
        return self.random.choice(found) if found else self.literal(kind)

    def value(self, columns: Columns, kind: str) -> str:
        """An expression of a kind; half of them are plain columns."""
        own = self.column(columns, kind)
        if self.chance(0.5):
            return own
        return self.random.choice(self._computed(own, columns, kind))

    def _computed(self, own: str, columns: Columns, kind: str) -> list[str]:
        choices = [own, f"coalesce({own}, {self.literal(kind)})", f"nullif({own}, {self.literal(kind)})"]
        if kind == "double":
            return [own, f"coalesce({own}, {self.literal(kind)})"]
        if kind == "int":
            choices += [
                f"{own} + 1",
                f"{own} * {self.column(columns, kind)}",
                f"-{own}",
                f"{own} % 3",
                f"abs({own} - 2)",
            ]
        if kind == "decimal":
            choices += [f"{own} * 2", f"{own} + {self.literal(kind)}"]
        if kind == "string":
            choices += [f"concat({own}, 'w')", f"upper({own})", f"cast({self.column(columns, 'int')} as string)"]
        if kind == "boolean":
            choices += [f"not {own}", f"({self.predicate(columns)})"]
        if kind == "date":
            choices += [f"date_add({own}, 1)"]
        return [*choices, f"case when {self.predicate(columns)} then {own} else {self.literal(kind)} end"]

    def predicate(self, columns: Columns) -> str:
        plain = self._comparison(columns)
        if self.chance(0.25):
            return f"({plain} {self.random.choice(['and', 'or'])} {self.predicate(columns)})"
        return f"not ({plain})" if self.chance(0.1) else plain

    def _comparison(self, columns: Columns) -> str:
        if columns.of("double") and self.chance(0.1):
            return f"{self.column(columns, 'double')} {self.random.choice('<>')} {_BETWEEN_DOUBLES}"
        kinds = [kind for kind in _COMPARABLE if columns.of(kind)]
        kind = self.random.choice(kinds or ["int"])
        own, other = self.column(columns, kind), self.column(columns, kind)
        sign = self.random.choice(["=", "<", ">", "<>", "<=", ">=", "<=>"])
        return self.random.choice(
            [
                f"{own} {sign} {self.literal(kind)}",
                f"{own} {sign} {self.literal(kind)}",
                f"{own} {sign} {other}",
                f"{own} is null",
                f"{own} is not null",
                f"{own} in ({self.literal(kind)}, {self.literal(kind)})",
                f"{own} between {self.literal(kind)} and {other}",
            ]
        )

    def match(self, left: Columns, right: Columns) -> str:
        """A condition between two relations: equal, in a range, null-safe, one or the other, or none at all."""
        kinds = [kind for kind in _COMPARABLE if left.of(kind) and right.of(kind)]
        if not kinds or self.chance(0.04):
            return self.random.choice(["true", "1 = 1", "1 = 0"])
        kind = self.random.choice(kinds)
        one, other = self.random.choice(left.of(kind)), self.random.choice(right.of(kind))
        plain = self.random.choice([f"{one} = {other}"] * 5 + [f"{one} <=> {other}", f"{one} < {other}"])
        if self.chance(0.08):
            plain = self.random.choice([f"{one} <> {other}", f"{one} between {other} and {self.literal(kind)}"])
        if self.chance(0.3):
            more = self.match(left, right) if self.chance(0.3) else self.predicate(left + right)
            return f"({plain} {self.random.choice(['and', 'and', 'or'])} {more})"
        return plain

    # Aggregates and window functions.

    def aggregate(self, columns: Columns) -> Typed:
        kind = self.random.choice([each for each in (*_COMPARABLE, "double") if columns.of(each)] or ["int"])
        own = self.value(columns, kind)
        call, result = self.random.choice(self._aggregate_calls(own, kind, columns))
        filterable = not call.startswith("cast(")
        if filterable and self.chance(0.2):
            return f"{call} filter (where {self.predicate(columns)})", result
        return call, result

    def _aggregate_calls(self, own: str, kind: str, columns: Columns) -> list[Typed]:
        calls = [(f"count({own})", "int"), ("count(*)", "int"), (f"min({own})", kind), (f"max({own})", kind)]
        if kind == "double":
            return [(f"{name}({own})", "double") for name in ("sum", "sum", "avg", "max", "min", "stddev_samp")]
        calls += [(f"count(distinct {own})", "int")]
        if kind in ("int", "decimal"):
            calls += [(f"sum({own})", kind)] * 3 + [(f"sum(distinct {own})", kind), (f"var_pop({own})", "double")]
            calls += [(f"cast(round(avg({own}), 3) as decimal(12,3))", "decimal"), (f"median({own})", "double")]
        if kind == "boolean":
            calls = [(f"bool_and({own})", kind), (f"bool_or({own})", kind), *calls[:2]]
        return calls

    def window(self, columns: Columns, may_number: bool = True) -> Typed:
        """
        A window function. Those that number rows order them by all columns; only one in a query may do so, because
        equal rows have no order in which two numberings could agree.
        """
        comparable = columns.comparable()
        by = f"partition by {listed(self.some(comparable, 2))}" if self.chance(0.7) else ""
        value, kind = self.random.choice(comparable.columns or (("1", "int"),))
        calls = [each for each in _window_calls(value, kind) if may_number or "{order}" not in each[0]]
        if columns.of("double"):
            calls.append((f"sum({self.column(columns, 'double')}) over ({{by}})", "double"))
        call, result = self.random.choice(calls)
        order = ", ".join(self.ordered(name) for name, _ in comparable.columns) or "1"
        frame = self.random.choice(_FRAMES)
        return call.format(by=by, order=f"order by {order}", value=f"order by {value}", frame=frame), result

    def ordered(self, column: str) -> str:
        return f"{column} {self.random.choice(['asc', 'asc', 'desc', 'desc nulls last', 'asc nulls first'])}"


def _window_calls(value: str, kind: str) -> list[Typed]:
    calls = [
        ("row_number() over ({by} {order})", "int"),
        ("rank() over ({by} {value})", "int"),
        ("dense_rank() over ({by} {value})", "int"),
        ("ntile(2) over ({by} {order})", "int"),
        ("count(*) over ({by})", "int"),
        (f"count({value}) over ({{by}} {{order}} {{frame}})", "int"),
        (f"max({value}) over ({{by}})", kind),
        (f"min({value}) over ({{by}} {{value}})", kind),
        (f"lag({value}) over ({{by}} {{order}})", kind),
        (f"lead({value}, 2) over ({{by}} {{order}})", kind),
        (f"first_value({value}) over ({{by}} {{value}})", kind),
    ]
    if kind in ("int", "decimal"):
        calls += [(f"sum({value}) over ({{by}})", kind), (f"sum({value}) over ({{by}} {{value}})", kind)]
        calls += [(f"sum({value}) over ({{by}} {{order}} {{frame}})", kind)]
    return calls


def listed(columns: Sequence[Typed]) -> str:
    return ", ".join(name for name, _ in columns)
