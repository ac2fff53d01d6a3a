"""Random groups: aggregates, grouping sets, pivots, distinct rows, set operations, windows."""

from tests.property.query_building import Query, QueryBuilder
from tests.property.random_expressions import Columns, Typed, listed


class GroupMakers(QueryBuilder):
    """Queries whose rows depend on several rows of their inputs."""

    # Aggregates.

    def _keys(self, item: Columns) -> list[Typed]:
        """Columns, or expressions over them."""
        plain = self.some(item.comparable(), 2)
        if self.chance(0.3):
            computed = self.random.choice(plain)[1]
            return [(self.value(item, computed), computed), *plain[1:]]
        return plain

    def _calls(self, item: Columns) -> list[Typed]:
        return [self.aggregate(item) for _ in range(self.random.randint(1, 3))]

    def grouped(self, depth: int) -> Query:
        item = self.below(depth)
        keys = self._keys(item)
        having = f" having count(*) > {self.random.randint(0, 2)}" if self.chance(0.2) else ""
        by = self.random.choice([listed(keys), ", ".join(str(i + 1) for i in range(len(keys)))])
        return self.select([*keys, *self._calls(item)], f"{item.text} group by {by}{having}")

    def grouped_by_sets(self, depth: int) -> Query:
        item = self.below(depth)
        keys = self.some(item.comparable(), 2)
        names = listed(keys)
        sets = ", ".join(f"({name})" for name, _ in keys)
        clause = self.random.choice([f"rollup({names})", f"cube({names})", f"grouping sets (({names}), {sets}, ())"])
        marks = [(f"grouping({keys[0][0]})", "int")] if self.chance(0.3) else []
        return self.select([*keys, *self._calls(item), *marks], f"{item.text} group by {clause}")

    def totalled(self, depth: int) -> Query:
        item = self.below(depth)
        having = " having count(*) > 1" if self.chance(0.15) else ""
        return self.select(self._calls(item), f"{item.text}{having}")

    def pivoted(self, depth: int) -> Query:
        """Sums per word; a count of nothing is NULL in Spark and 0 elsewhere, so counts are left out."""
        item = self.below(depth)
        kept, turned, summed = self.name("c"), self.name("c"), self.name("c")
        key, kind = self.random.choice(item.comparable().columns or (("1", "int"),))
        inner = (
            f"select {key} as {kept}, {self.value(item, 'string')} as {turned}, {self.value(item, 'int')} as {summed} "
            f"from {item.text}"
        )
        call = self.random.choice(["sum", "max", "min"])
        values = ", ".join(f"'{word}' as {word}" for word in ("x", "y", "z")[: self.random.randint(1, 3)])
        columns = ((kept, kind), *((word[1], "int") for word in values.split(", ")))
        return Query(columns, f"select * from ({inner}) pivot ({call}({summed}) for {turned} in ({values}))")

    # Distinct rows and set operations.

    def distinct(self, depth: int) -> Query:
        item = self.below(depth)
        return self.select(self.some(item.comparable()), item.text, "select distinct")

    def set_operation(self, depth: int) -> Query:
        items = [self.below(depth), *(self.beside(depth) for _ in range(self.random.choice([1, 1, 2])))]
        kinds = [kind for _, kind in self.some(items[0].comparable(), 2)]
        branches = [self.select([(self.value(item, kind), kind) for kind in kinds], item.text) for item in items]
        words = ["union all", "union", "intersect", "except", "intersect all", "except all"]
        text = branches[0].sql
        others = [each.sql for each in branches[1:]]
        if self.chance(0.15):
            others.append(f"values ({', '.join(map(self.literal, kinds))})")
        for other in others:
            text = f"({text}) {self.random.choice(words)} ({other})"
        return Query(branches[0].columns, text)

    # Windows.

    def windowed(self, depth: int) -> Query:
        item = self.below(depth)
        own = item.comparable()
        functions = [self.window(item, may_number=number == 0) for number in range(self.random.choice([1, 1, 2]))]
        return self.select([*self.some(own), *functions], item.text)

    def windowed_by_name(self, depth: int) -> Query:
        """Two functions over one named window."""
        item = self.below(depth)
        own = item.comparable()
        by, value = self.some(own, 2), self.random.choice(self.some(own))
        functions = [("count(*) over w", "int"), (f"max({value[0]}) over w", value[1]), ("rank() over w", "int")]
        window = f"window w as (partition by {listed(by)} order by {value[0]})"
        return self.select([*self.some(own), *self.random.sample(functions, 2)], f"{item.text} {window}")

    def windowed_groups(self, depth: int) -> Query:
        item = self.below(depth)
        keys = self.some(item.comparable(), 2)
        name = self.random.choice(keys)[0]
        functions = [
            (f"rank() over (order by count(*), {name})", "int"),
            (f"sum(count(*)) over (partition by {name})", "int"),
            ("sum(count(*)) over ()", "int"),
        ]
        return self.select([*keys, self.random.choice(functions)], f"{item.text} group by {listed(keys)}")

    def qualified(self, depth: int) -> Query:
        item = self.below(depth)
        own = item.comparable()
        text, kind = self.window(own)
        columns = self.some(own)
        test = f"{text} <= {self.random.randint(1, 2)}" if kind == "int" else f"{text} is not null"
        return self.select(columns, f"{item.text} qualify {test}")
