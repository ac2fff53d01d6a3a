"""Random joins and subqueries: inner, outer, semi and anti joins, scalar and lateral subqueries."""

from tests.property.query_building import Query, QueryBuilder
from tests.property.random_expressions import Columns, Typed, listed


class JoinMakers(QueryBuilder):
    """Queries of several inputs."""

    # Joins.

    def joined(self, depth: int) -> Query:
        left, right = self.below(depth), self.beside(depth)
        columns = [*self.some(left), *self.some(right)]
        if self.chance(0.15):
            return self.select(columns, f"{left.text} cross join {right.text}")
        condition = self.match(left, right)
        if self.chance(0.1):
            text, kind = self._scalar_query(Columns(()), depth)
            condition += f" and {self.value(left + right, kind)} >= {text}" if kind != "double" else ""
        return self.select(columns, f"{left.text} join {right.text} on {condition}")

    def joined_many(self, depth: int) -> Query:
        """Three inputs, by commas or JOIN; the first may be there again."""
        one, two = self.below(depth), self.beside(depth)
        three = self.item(self.query(self.random.randint(0, 1)))
        columns = [*self.some(one, 2), *self.some(two, 2), *self.some(three, 2)]
        first, second = self.match(one, two), self.match(self.random.choice([one, two]), three)
        if self.chance(0.3):
            return self.select(columns, f"{one.text}, {two.text}, {three.text} where {first} and {second}")
        kind = self.random.choice(["join", "left join", "full join"])
        return self.select(columns, f"{one.text} join {two.text} on {first} {kind} {three.text} on {second}")

    def joined_using(self, depth: int) -> Query:
        """USING a column that both sides are made to have."""
        shared, alias, other = self.name("k"), self.name("q"), self.name("q")
        sides = [self.below(depth), self.beside(depth)]
        extra = [self.random.choice(side.columns) for side in sides]
        names = [self.name("c") for _ in sides]
        texts = [
            f"(select {self.value(side, 'int')} as {shared}, {column} as {name} from {side.text})"
            for side, (column, _), name in zip(sides, extra, names, strict=True)
        ]
        columns = ((shared, "int"), *((name, kind) for name, (_, kind) in zip(names, extra, strict=True)))
        kind = self.random.choice(["join", "left join", "full join"])
        return Query(
            columns,
            f"select {shared}, {', '.join(names)} from {texts[0]} {alias} {kind} {texts[1]} {other} using ({shared})",
        )

    def outer_joined(self, depth: int) -> Query:
        left, right = self.below(depth), self.beside(depth)
        kind = self.random.choice(["left", "left", "right", "full", "full"])
        columns = [*self.some(left), *self.some(right)]
        return self.select(columns, f"{left.text} {kind} join {right.text} on {self.match(left, right)}")

    def twice(self, depth: int) -> Query:
        """A CTE used two or three times."""
        shared, cte = self.query(depth - 1), self.name("w")
        one, two, three = (self.item(Query(shared.columns, f"select * from {cte}")) for _ in range(3))
        start = f"with {cte} as ({shared.sql}) select"
        if self.chance(0.25):
            counted, totals = self.name("w"), self.aggregate(three)
            total = self.select([totals], three.text)
            ((name, kind),) = total.columns
            columns = [*self.some(one), (f"{counted}.{name}", kind)]
            return self.select(columns, f"{one.text} cross join ({total.sql}) {counted}", start)
        kind = self.random.choice(["join", "join", "left join", "full join"])
        return self.select(
            [*self.some(one), *self.some(two)], f"{one.text} {kind} {two.text} on {self.match(one, two)}", start
        )

    # Semi and anti joins.

    def semi_joined(self, depth: int) -> Query:
        left = self.query(depth - 1)
        item = self.item(left)
        if self.chance(0.2):
            right = self.beside(depth)
            kind = self.random.choice(["left semi join", "left anti join"])
            return self.select(self.some(item), f"{item.text} {kind} {right.text} on {self.match(item, right)}")
        test = self._membership(item, depth)
        if self.chance(0.2):
            test = f"({test} or {self.random.choice([self.predicate(item), self._membership(item, depth)])})"
        elif self.chance(0.2):
            test = f"{test} and {self._membership(item, depth)}"
        return Query(left.columns, f"select * from {item.text} where {test}")

    def _membership(self, outer: Columns, depth: int) -> str:
        """EXISTS or IN, negated or not, correlated or not; NULLs on either side."""
        inner = self.beside(depth)
        negated = self.random.choice(["", "not "])
        kinds = [kind for kind in ("int", "string", "decimal", "date") if outer.of(kind) and inner.of(kind)]
        if not kinds or self.chance(0.5):
            where = self.match(outer, inner)
            if self.chance(0.2) and depth > 1:
                where = f"{where} and {self._membership(self.random.choice([inner, outer + inner]), depth - 1)}"
            return f"{negated}exists (select 1 from {inner.text} where {where})"
        kind = self.random.choice(kinds)
        where = f" where {self.match(outer, inner)}" if self.chance(0.3) else ""
        return f"{self.value(outer, kind)} {negated}in (select {self.value(inner, kind)} from {inner.text}{where})"

    # Scalar subqueries.

    def _scalar_query(self, outer: Columns, depth: int) -> Typed:
        """A query of one value: an aggregate, or the first of all rows; correlated or not, nested or not."""
        inner = self.beside(depth)
        conditions = [self.match(outer.comparable(), inner)] if outer.columns and self.chance(0.7) else []
        if self.chance(0.2):
            conditions.append(self.predicate(inner))
        if self.chance(0.15) and depth > 1:
            text, kind = self._scalar_query(self.random.choice([inner, outer + inner]), depth - 1)
            conditions += [f"{self.value(inner, kind)} >= {text}"] if kind != "double" else []
        where = f" where {' and '.join(conditions)}" if conditions else ""
        if self.chance(0.1):
            call, kind = self.random.choice(inner.comparable().columns or (("1", "int"),))
            return f"(select {call} from {inner.text}{where} order by {call} limit 1)", kind
        call, kind = self.aggregate(inner)
        return f"(select {call} from {inner.text}{where})", kind

    def scalar(self, depth: int) -> Query:
        item = self.below(depth)
        text, kind = self._scalar_query(item, depth)
        if self.chance(0.2) and kind != "double":
            text = f"coalesce({text}, {self.literal(kind)})"
        return self.select([*self.some(item), (text, kind)], item.text)

    def membership_as_value(self, depth: int) -> Query:
        """EXISTS and IN in the select list: true, false or unknown."""
        item = self.below(depth)
        return self.select([*self.some(item), (f"({self._membership(item, depth)})", "boolean")], item.text)

    def compared_with_scalar(self, depth: int) -> Query:
        inner = self.query(depth - 1)
        item = self.item(inner)
        text, kind = self._scalar_query(item, depth)
        own = f"{self.value(item, kind)} {self.random.choice(['>=', '<', '=', '<>'])} {text}"
        test = own if kind != "double" else f"{text} > 0.8437"
        return Query(inner.columns, f"select * from {item.text} where {test}")

    def having_scalar(self, depth: int) -> Query:
        item = self.below(depth)
        keys = self.some(item.comparable(), 2)
        outer = Columns(tuple(keys))
        text, kind = self._scalar_query(outer, depth)
        test = f"count(*) >= {text}" if kind == "int" else f"{text} is not null"
        return self.select([*keys, self.aggregate(item)], f"{item.text} group by {listed(keys)} having {test}")

    def lateral(self, depth: int) -> Query:
        """A subquery in FROM that reads the relation before it: aggregated, plain, or the first rows."""
        item = self.below(depth)
        inner = self.beside(depth)
        where, side = self.match(item, inner), self.name("q")
        if self.chance(0.5):
            query = self.select([self.aggregate(inner)], f"{inner.text} where {where}")
        else:
            query = self.select(self.some(inner.comparable(), 2), f"{inner.text} where {where}")
            if self.chance(0.4):
                query = Query(query.columns, f"{query.sql} order by {listed(query.columns)} limit 1")
        own = [(f"{side}.{name}", kind) for name, kind in query.columns]
        join = self.random.choice([", lateral ({}) {}", " left join lateral ({}) {} on true"]).format(query.sql, side)
        return self.select([*self.some(item), *own], f"{item.text}{join}")
