"""What random queries are put together from: tables, inputs in FROM, select lists with fresh names."""

from dataclasses import dataclass
from random import Random

from tests.property.random_expressions import Columns, ExpressionGenerator, Typed
from tests.property.random_schema import Tables, kind_of


@dataclass(frozen=True)
class Query(Columns):
    """A query's text and its columns."""

    sql: str

    @property
    def table(self) -> str:
        """The table's name, where the query is nothing but a table."""
        rest = self.sql.removeprefix("select * from ")
        return rest if " " not in rest else ""


@dataclass(frozen=True)
class Item(Columns):
    """A query in FROM, under an alias that its columns carry."""

    text: str


class QueryBuilder(ExpressionGenerator):
    """Makes queries from inputs; `query` says which."""

    def __init__(self, random: Random, tables: Tables) -> None:
        super().__init__(random)
        self.tables, self._number = tables, 0

    def query(self, depth: int) -> Query:
        """A query with `depth` operators above each other."""
        raise AssertionError("a generator chooses among its makers")

    def table(self) -> Query:
        name = self.random.choice(list(self.tables))
        columns = tuple((_quoted(column), kind_of(each)) for column, each in self.tables[name])
        return Query(columns, f"select * from {name}")

    def name(self, letter: str) -> str:
        """A name that is nowhere else in the query."""
        self._number += 1
        return f"{letter}{self._number}"

    def item(self, query: Query) -> Item:
        alias = self.name("q")
        text = f"{query.table} {alias}" if query.table else f"({query.sql}) {alias}"
        return Item(tuple((f"{alias}.{name}", kind) for name, kind in query.columns), text)

    def below(self, depth: int) -> Item:
        """An input as deep as allowed."""
        return self.item(self.query(depth - 1))

    def beside(self, depth: int) -> Item:
        """A further input, more often a shallow one."""
        return self.item(self.query(self.random.randint(0, depth - 1)))

    def select(self, columns: list[Typed], rest: str, word: str = "select") -> Query:
        """A select list with fresh names over what comes after FROM."""
        named = [(self.name("c"), text, kind) for text, kind in columns]
        selected = ", ".join(f"{text} as {name}" for name, text, _ in named)
        return Query(tuple((name, kind) for name, _, kind in named), f"{word} {selected} from {rest}")


def _quoted(name: str) -> str:
    return name if name.isalpha() and name.islower() and name != "order" else f"`{name}`"
