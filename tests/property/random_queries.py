"""Random nested queries over random tables, in Spark's dialect; all choices come from one seeded generator."""

from collections.abc import Callable, Sequence
from random import Random

from tests.property.query_building import Query
from tests.property.random_expressions import Columns
from tests.property.random_groups import GroupMakers
from tests.property.random_joins import JoinMakers
from tests.property.random_schema import Tables


class QueryGenerator(JoinMakers, GroupMakers):
    """`query(depth)` gives a query; the deeper, the more operators."""

    def __init__(self, random: Random, tables: Tables, operators: Sequence[str] = ()) -> None:
        super().__init__(random, tables)
        self._asked = list(operators)  # from the top down, each over the first input of the one before

    def query(self, depth: int) -> Query:
        if depth <= 0:
            return self.table()
        operator = self._asked.pop(0) if self._asked else self.random.choice(list(MAKERS))
        return self.random.choice(MAKERS[operator])(self, depth)

    def filtered(self, depth: int) -> Query:
        inner = self.query(depth - 1)
        item = self.item(inner)
        return Query(inner.columns, f"select * from {item.text} where {self.predicate(item)}")

    def projected(self, depth: int) -> Query:
        item = self.below(depth)
        return self.select([(self.value(item, kind), kind) for _, kind in self.some(item)], item.text)

    def constants(self, depth: int) -> Query:
        """VALUES, joined."""
        number, word, alias = self.name("c"), self.name("c"), self.name("v")
        rows = ", ".join(f"({self.literal('int')}, {self.literal('string')})" for _ in range(self.random.randint(1, 3)))
        values = f"(values {rows}, (null, 'x')) as {alias}({number}, {word})"
        own = Columns(((f"{alias}.{number}", "int"), (f"{alias}.{word}", "string")))
        item = self.below(depth)
        kind = self.random.choice(["join", "left join", "right join", "full join"])
        return self.select(
            [*self.some(item), *self.some(own)], f"{item.text} {kind} {values} on {self.match(item, own)}"
        )

    def exploded(self, depth: int) -> Query:
        """A generator: in the select list, or as LATERAL VIEW; its array may be NULL."""
        item, name = self.below(depth), self.name("c")
        array = f"array({self.value(item, 'int')}, {self.value(item, 'int')})"
        if self.chance(0.3):
            array = f"case when {self.predicate(item)} then {array} end"
        if self.chance(0.25):
            return self.select([*self.some(item), (f"explode({array})", "int")], item.text)
        outer = self.random.choice(["", "outer "])
        view = f"lateral view {outer}explode({array}) e as {name}"
        return self.select([*self.some(item), (f"e.{name}", "int")], f"{item.text} {view}")

    def limited(self, depth: int) -> Query:
        """The first rows in a total order, or all of them."""
        item = self.below(depth)
        query = self.select(list(item.comparable().columns) or [("1", "int")], item.text)
        order = ", ".join(self.ordered(str(i + 1)) for i in range(len(query.columns)))
        limit = self.random.choice(["", " limit 1", " limit 2", " limit 3", " limit 5", " limit 3 offset 1"])
        return Query(query.columns, f"{query.sql} order by {order}{limit}")


Maker = Callable[[QueryGenerator, int], Query]

MAKERS: dict[str, list[Maker]] = {
    "filter": [QueryGenerator.filtered],
    "project": [QueryGenerator.projected],
    "values": [QueryGenerator.constants],
    "join": [QueryGenerator.joined, QueryGenerator.joined_many, QueryGenerator.joined_using],
    "shared": [QueryGenerator.twice],
    "outer_join": [QueryGenerator.outer_joined],
    "semi_join": [QueryGenerator.semi_joined],
    "scalar": [
        QueryGenerator.scalar,
        QueryGenerator.membership_as_value,
        QueryGenerator.compared_with_scalar,
        QueryGenerator.having_scalar,
    ],
    "lateral": [QueryGenerator.lateral],
    "aggregate": [QueryGenerator.grouped, QueryGenerator.grouped, QueryGenerator.totalled],
    "grouping_sets": [QueryGenerator.grouped_by_sets, QueryGenerator.pivoted],
    "distinct": [QueryGenerator.distinct],
    "set_operation": [QueryGenerator.set_operation],
    "window": [
        QueryGenerator.windowed,
        QueryGenerator.windowed_by_name,
        QueryGenerator.windowed_groups,
        QueryGenerator.qualified,
    ],
    "generate": [QueryGenerator.exploded],
    "limit": [QueryGenerator.limited],
}
