"""Random nested queries over a small lake, in Spark's dialect; all from one seeded generator."""

from dataclasses import dataclass
from random import Random

TABLES: dict[str, list[tuple[str, str]]] = {
    "r": [("a", "int"), ("b", "int"), ("s", "string"), ("d", "decimal(8,2)"), ("f", "double")],
    "t": [("a", "int"), ("c", "int"), ("s", "string")],
    "u": [("b", "int"), ("c", "int"), ("d", "decimal(8,2)")],
}
WORDS = ["x", "y", "z"]


@dataclass(frozen=True)
class Relation:
    """A query's text and its columns."""

    sql: str
    columns: tuple[tuple[str, str], ...]  # name, kind: int, string, decimal or double

    def of(self, kind: str) -> list[str]:
        return [name for name, each in self.columns if each == kind]


class QueryGenerator:
    """`query(depth)` gives a query; the deeper, the more operators."""

    def __init__(self, random: Random) -> None:
        self.random, self._number = random, 0

    def query(self, depth: int) -> Relation:
        if depth <= 0:
            return self._table()
        makers = [
            self._filtered,
            self._projected,
            self._joined,
            self._outer_joined,
            self._grouped,
            self._distinct,
            self._set_operation,
            self._windowed,
            self._semi,
            self._scalar,
            self._limited,
            self._twice,
            self._rollup,
            self._having,
            self._filtered_by_value,
            self._global,
            self._lateral,
            self._exploded,
        ]
        return self.random.choice(makers)(depth)

    def _table(self) -> Relation:
        name = self.random.choice(list(TABLES))
        columns = [(column, self._kind(kind)) for column, kind in TABLES[name]]
        return Relation(f"select * from {name}", tuple(columns))

    @staticmethod
    def _kind(kind: str) -> str:
        return kind.split("(")[0]

    def _alias(self) -> str:
        self._number += 1
        return f"q{self._number}"

    def _column(self) -> str:
        self._number += 1
        return f"c{self._number}"

    def _from(self, relation: Relation) -> tuple[str, str]:
        """A relation in FROM: (text, alias); plain tables stand by themselves."""
        alias = self._alias()
        plain = relation.sql.removeprefix("select * from ")
        return (f"{plain} {alias}" if plain in TABLES else f"({relation.sql}) {alias}"), alias

    def _qualified(self, relation: Relation, alias: str) -> Relation:
        return Relation(relation.sql, tuple((f"{alias}.{name}", kind) for name, kind in relation.columns))

    # Expressions.

    def _value(self, relation: Relation, kind: str) -> str:
        found = relation.of(kind)
        if kind == "int":
            literal = str(self.random.randint(0, 4))
            column = self.random.choice(found) if found else literal
            return self.random.choice(
                [
                    column,
                    column,
                    column,
                    literal,
                    f"{column} + 1",
                    f"coalesce({column}, 7)",
                    f"case when {column} > 2 then {column} else 0 end",
                ]
            )
        if kind == "string":
            literal = f"'{self.random.choice(WORDS)}'"
            column = self.random.choice(found) if found else literal
            return self.random.choice([column, column, f"concat({column}, 'w')", f"upper({column})"])
        if kind == "double":  # never compared: equal sums may differ in their last digits
            return self.random.choice(found) if found else "0.5d"
        column = self.random.choice(found) if found else "1.50"
        return self.random.choice([column, f"{column} * 2", f"coalesce({column}, 0)"])

    def _predicate(self, relation: Relation) -> str:
        kind = self.random.choice(["int", "int", "string", "decimal"])
        value = self._value(relation, kind)
        plain = self.random.choice(
            [
                f"{value} {self.random.choice(['=', '<', '>', '<>', '<=', '<=>'])} {self._value(relation, kind)}",
                f"{value} is null",
                f"{value} is not null",
            ]
        )
        if self.random.random() < 0.3:
            return f"({plain} {self.random.choice(['and', 'or'])} {self._predicate(relation)})"
        return f"not ({plain})" if self.random.random() < 0.1 else plain

    def _match(self, left: Relation, right: Relation) -> str:
        kind = self.random.choice(
            [each for each in ("int", "string", "decimal") if left.of(each) and right.of(each)] or [""]
        )
        if not kind:
            return "1 = 1"
        one, other = self.random.choice(left.of(kind)), self.random.choice(right.of(kind))
        plain = f"{one} {self.random.choice(['=', '=', '=', '=', '<=>', '<', '<>'])} {other}"
        if self.random.random() < 0.3:
            both = Relation("", (*left.columns, *right.columns))
            return f"{plain} {self.random.choice(['and', 'or'])} {self._predicate(both)}"
        return plain

    def _aggregate(self, relation: Relation) -> tuple[str, str]:
        kind = self.random.choice([each for each in ("int", "string", "decimal", "double") if relation.of(each)])
        value = self._value(relation, kind)
        if kind == "double":
            return self.random.choice([f"sum({value})", f"avg({value})", f"max({value})"]), "double"
        calls = [
            (f"count({value})", "int"),
            ("count(*)", "int"),
            (f"count(distinct {value})", "int"),
            (f"min({value})", kind),
            (f"max({value})", kind),
            (f"count(*) filter (where {self._predicate(relation)})", "int"),
        ]
        if kind != "string":
            calls += [(f"sum({value})", kind)] * 2 + [
                (f"sum({value}) filter (where {self._predicate(relation)})", kind)
            ]
            calls += [(f"cast(round(avg({value}), 3) as decimal(12,3))", "decimal"), (f"sum(distinct {value})", kind)]
        return self.random.choice(calls)

    def _some(self, relation: Relation, least: int = 1) -> list[tuple[str, str]]:
        size = self.random.randint(min(least, len(relation.columns)), min(3, len(relation.columns)))
        return self.random.sample(list(relation.columns), size)

    def _comparable(self, relation: Relation) -> Relation:
        """Without the columns that must not be compared."""
        columns = tuple(each for each in relation.columns if each[1] != "double")
        return Relation(relation.sql, columns or (("1", "int"),))

    def _selected(self, columns: list[tuple[str, str]]) -> tuple[str, tuple[tuple[str, str], ...]]:
        """Select list with fresh names: (text, columns)."""
        named = [(self._column(), text, kind) for text, kind in columns]
        return ", ".join(f"{text} as {name}" for name, text, _ in named), tuple((name, kind) for name, _, kind in named)

    # Queries.

    def _filtered(self, depth: int) -> Relation:
        inner = self.query(depth - 1)
        text, alias = self._from(inner)
        return Relation(f"select * from {text} where {self._predicate(self._qualified(inner, alias))}", inner.columns)

    def _projected(self, depth: int) -> Relation:
        inner = self.query(depth - 1)
        text, alias = self._from(inner)
        own = self._qualified(inner, alias)
        values = [(self._value(own, kind), kind) for _, kind in self._some(own)]
        selected, columns = self._selected(values)
        return Relation(f"select {selected} from {text}", columns)

    def _two(self, depth: int) -> tuple[Relation, str, Relation, str]:
        left, right = self.query(depth - 1), self.query(self.random.randint(0, depth - 1))
        (left_text, one), (right_text, other) = self._from(left), self._from(right)
        return self._qualified(left, one), left_text, self._qualified(right, other), right_text

    def _joined(self, depth: int) -> Relation:
        left, left_text, right, right_text = self._two(depth)
        selected, columns = self._selected([*self._some(left), *self._some(right)])
        return Relation(f"select {selected} from {left_text} join {right_text} on {self._match(left, right)}", columns)

    def _outer_joined(self, depth: int) -> Relation:
        left, left_text, right, right_text = self._two(depth)
        selected, columns = self._selected([*self._some(left), *self._some(right)])
        kind = self.random.choice(["left", "left", "right", "full"])
        return Relation(
            f"select {selected} from {left_text} {kind} join {right_text} on {self._match(left, right)}", columns
        )

    def _grouped(self, depth: int, clause: str = "") -> Relation:
        inner = self.query(depth - 1)
        text, alias = self._from(inner)
        own = self._qualified(inner, alias)
        keys = self._some(self._comparable(own))[:2]
        calls = [self._aggregate(own) for _ in range(self.random.randint(1, 3))]
        selected, columns = self._selected([*keys, *calls])
        by = ", ".join(name for name, _ in keys)
        grouping = f"{clause}({by})" if clause else by
        return Relation(f"select {selected} from {text} group by {grouping}", columns)

    def _rollup(self, depth: int) -> Relation:
        return self._grouped(depth, self.random.choice(["rollup", "cube"]))

    def _having(self, depth: int) -> Relation:
        inner = self.query(depth - 1)
        text, alias = self._from(inner)
        own = self._qualified(inner, alias)
        key = self.random.choice(self._comparable(own).columns)
        call = self._aggregate(own)
        selected, columns = self._selected([key, call])
        return Relation(
            f"select {selected} from {text} group by {key[0]} having count(*) > {self.random.randint(0, 2)}", columns
        )

    def _global(self, depth: int) -> Relation:
        inner = self.query(depth - 1)
        text, alias = self._from(inner)
        selected, columns = self._selected([self._aggregate(self._qualified(inner, alias)) for _ in range(2)])
        return Relation(f"select {selected} from {text}", columns)

    def _distinct(self, depth: int) -> Relation:
        inner = self.query(depth - 1)
        text, alias = self._from(inner)
        selected, columns = self._selected(self._some(self._comparable(self._qualified(inner, alias))))
        return Relation(f"select distinct {selected} from {text}", columns)

    def _set_operation(self, depth: int) -> Relation:
        sides = [self.query(depth - 1), self.query(self.random.randint(0, depth - 1))]
        kinds = [self.random.choice(self._comparable(sides[0]).columns)[1]]
        texts, columns = [], ()
        for side in sides:
            text, alias = self._from(side)
            own = self._qualified(side, alias)
            selected, columns_of_side = self._selected([(self._value(own, kind), kind) for kind in kinds])
            columns = columns or columns_of_side
            texts.append(f"select {selected} from {text}")
        word = self.random.choice(["union all", "union", "intersect", "except", "intersect all", "except all"])
        return Relation(f"{texts[0]} {word} {texts[1]}", columns)

    def _windowed(self, depth: int) -> Relation:
        inner = self.query(depth - 1)
        text, alias = self._from(inner)
        own = self._comparable(self._qualified(inner, alias))
        everything = ", ".join(name for name, _ in own.columns)
        by = self.random.choice(["", f"partition by {self.random.choice(own.columns)[0]}"])
        value, kind = self.random.choice(own.columns)
        calls = [
            (f"row_number() over ({by} order by {everything})", "int"),
            (f"rank() over ({by} order by {value})", "int"),
            (f"count(*) over ({by})", "int"),
            (f"max({value}) over ({by})", kind),
            (f"lag({value}) over ({by} order by {everything})", kind),
            (f"count({value}) over ({by} order by {everything} rows between 1 preceding and current row)", "int"),
            (f"min({value}) over ({by} order by {value})", kind),
        ]
        selected, columns = self._selected([*self._some(own), self.random.choice(calls)])
        return Relation(f"select {selected} from {text}", columns)

    def _semi(self, depth: int) -> Relation:
        left, right = self.query(depth - 1), self.query(self.random.randint(0, depth - 1))
        (left_text, one), (right_text, other) = self._from(left), self._from(right)
        own, inner = self._qualified(left, one), self._qualified(right, other)
        negated = self.random.choice(["", "not "])
        test = f"{negated}exists (select 1 from {right_text} where {self._match(own, inner)})"
        kinds = [kind for kind in ("int", "string", "decimal") if own.of(kind) and inner.of(kind)]
        if kinds and self.random.random() < 0.5:
            kind = self.random.choice(kinds)
            where = self.random.choice(["", f" where {self._match(own, inner)}"])
            query = f"select {self.random.choice(inner.of(kind))} from {right_text}{where}"
            test = f"{self._value(own, kind)} {negated}in ({query})"
        if self.random.random() < 0.2:
            test = f"({test} or {self._predicate(own)})"
        return Relation(f"select * from {left_text} where {test}", left.columns)

    def _scalar_query(self, own: Relation, depth: int) -> tuple[str, str]:
        right = self.query(self.random.randint(0, depth - 1))
        text, alias = self._from(right)
        inner = self._qualified(right, alias)
        call, kind = self._aggregate(inner)
        where = self.random.choice(["", f" where {self._match(own, inner)}", f" where {self._match(own, inner)}"])
        return f"(select {call} from {text}{where})", kind

    def _scalar(self, depth: int) -> Relation:
        left = self.query(depth - 1)
        text, alias = self._from(left)
        own = self._qualified(left, alias)
        selected, columns = self._selected([*self._some(own), self._scalar_query(own, depth)])
        return Relation(f"select {selected} from {text}", columns)

    def _filtered_by_value(self, depth: int) -> Relation:
        left = self.query(depth - 1)
        text, alias = self._from(left)
        own = self._qualified(left, alias)
        query, kind = self._scalar_query(self._comparable(own), depth)
        if kind == "double":
            return left
        return Relation(f"select * from {text} where {self._value(own, kind)} >= {query}", left.columns)

    def _lateral(self, depth: int) -> Relation:
        left = self.query(depth - 1)
        text, alias = self._from(left)
        own = self._qualified(left, alias)
        right = self.query(self.random.randint(0, depth - 1))
        right_text, right_alias = self._from(right)
        inner = self._qualified(right, right_alias)
        name, (call, kind) = self._column(), self._aggregate(inner)
        side = self._alias()
        lateral = f"lateral (select {call} as {name} from {right_text} where {self._match(own, inner)}) {side}"
        selected, columns = self._selected([*self._some(own), (f"{side}.{name}", kind)])
        return Relation(f"select {selected} from {text}, {lateral}", columns)

    def _exploded(self, depth: int) -> Relation:
        inner = self.query(depth - 1)
        text, alias = self._from(inner)
        own = self._qualified(inner, alias)
        name = self._column()
        kept, columns = self._selected(self._some(own))
        view = f"lateral view explode(array({self._value(own, 'int')}, {self._value(own, 'int')})) e as {name}"
        return Relation(f"select {kept}, {name} from {text} {view}", (*columns, (name, "int")))

    def _limited(self, depth: int) -> Relation:
        inner = self._comparable(self.query(depth - 1))
        text, _ = self._from(inner)
        order = ", ".join(f"{i + 1} {self.random.choice(['asc', 'desc'])}" for i in range(len(inner.columns)))
        selected, columns = self._selected(list(inner.columns))
        return Relation(f"select {selected} from {text} order by {order} limit {self.random.randint(1, 4)}", columns)

    def _twice(self, depth: int) -> Relation:
        shared = self.query(depth - 1)
        cte, one, other = self._alias(), self._alias(), self._alias()
        left, right = self._qualified(shared, one), self._qualified(shared, other)
        selected, columns = self._selected([*self._some(left), *self._some(right)])
        match = self._match(left, right)
        return Relation(
            f"with {cte} as ({shared.sql}) select {selected} from {cte} {one} join {cte} {other} on {match}", columns
        )
