"""What the compiler asks of the world: names, columns, types and the text of views."""

from dataclasses import dataclass
from typing import Protocol

from dbt_lazyview.names import quoted

FLOATS = ("float", "double")  # types whose sums depend on the order of rows in their last digits
DELTA = "delta"
Name = tuple[str, ...]  # catalog, schema, table: as many parts as the engine has


@dataclass(frozen=True)
class Column:
    """A column of a relation, with its type as Spark prints it (`decimal(12,2)`)."""

    name: str
    type: str


@dataclass(frozen=True)
class Table:
    """A table with data of its own: a source."""

    name: Name
    columns: tuple[Column, ...]
    at: str = ""  # where the query itself names a moment: VERSION AS OF 3
    rows: str = ""  # of a table that is ours, and may not be there yet: a query for its rows
    format: str = DELTA  # empty: not told

    @property
    def sql(self) -> str:
        return ".".join(quoted(part) for part in self.name)

    @property
    def is_versioned(self) -> bool:
        return self.format == DELTA


@dataclass(frozen=True)
class StoredView:
    """A view: its text, the names it resolves its own tables in, and which query column gives which view column."""

    name: Name
    sql: str
    namespace: Name  # catalog and schema for unqualified names inside the text
    output: tuple[tuple[str, str], ...]  # (column of the text, column of the view)


@dataclass(frozen=True)
class UserFunction:
    """A function that does not come with the engine."""

    name: Name
    definition: str  # changes if the function is replaced
    is_deterministic: bool = True
    reads_tables: bool = False


class Catalog(Protocol):
    """Looks things up; `describe` may raise `CatalogError` with the engine's own words."""

    def relation(self, name: Name, namespace: Name | None) -> Table | StoredView:
        """The table or view behind a name of one to three parts; `namespace` is that of the enclosing view."""

    def describe(self, sql: str) -> tuple[Column, ...]:
        """Names and types of a query's columns, without running it."""

    def function(self, name: Name, namespace: Name | None) -> UserFunction | None:
        """The user's function behind a name in lower case; None for a function of the engine."""


class CatalogError(Exception):
    """The engine does not know a relation, or does not accept a query."""
