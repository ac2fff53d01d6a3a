"""A lake on DuckDB for proving the algebra: versioned tables and a change feed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import count
from typing import Any

import duckdb

from dbt_lazyview.compiler.catalog import CatalogError, Column, Name, StoredView, Table
from dbt_lazyview.compiler.plan import Extent, Window
from tests.macro_rendering import MacroRenderer
from tests.property.duck_sql import (
    Value,
    duck_type,
    literal,
    parsed_for_duckdb,
    spark_type,
    to_duckdb,
    with_certain_membership,
)

Row = tuple[Value, ...]

_LAKES = count(1)


class DuckLake:
    """Tables with versions; `commit` changes a table's rows and records the difference as a feed."""

    def __init__(self, tables: Mapping[str, Sequence[tuple[str, str]]]) -> None:
        self.db = _database().cursor()
        self.schema = f"lake_{next(_LAKES)}"
        self.tables = {name: tuple(Column(*each) for each in columns) for name, columns in tables.items()}
        self.version = dict.fromkeys(tables, 0)
        self.feeds: dict[str, list[list[tuple[Row, int]]]] = {name: [[]] for name in tables}
        self.greatest: dict[str, list[int]] = {name: [0] for name in tables}  # whole number so far, by version
        self.views: dict[str, str] = {}
        self.in_other_words: dict[str, str] = {}  # queries that DuckDB cannot run as they are
        self.kept: dict[str, Window] = {}  # auxiliary states, and what happened to them last
        self._rows: dict[str, list[Row]] = {name: [] for name in tables}
        self._prepared: dict[str, str] = {}
        self._loaded: dict[str, list[Row]] = {}
        self._pending: dict[str, str] = {}  # statements by the table they fill
        self.db.execute(f"create schema {self.schema}; use {self.schema}; {'; '.join(map(self._created, tables))}")
        overrides = {"duckdb__source_at_version": self._at_version, "duckdb__delta_capture": self._capture}
        self.renderer = MacroRenderer(("duckdb", "default"), overrides)

    def close(self) -> None:
        self.db.execute(f"use main; drop schema {self.schema} cascade")
        self.db.close()

    def commit(self, table: str, inserts: Sequence[Row] = (), deletes: Sequence[Row] = ()) -> None:
        """One commit; each deleted row takes away one equal row."""
        rows = self._rows[table]
        for row in deletes:
            rows.remove(row)
        rows.extend(inserts)
        self._load(table, rows)
        self.version[table] += 1
        self.feeds[table].append([(row, -1) for row in deletes] + [(row, 1) for row in inserts])
        numbers = [value for each in self.whole_numbers(table) for value in _values(inserts, each)]
        self.greatest[table].append(max([self.greatest[table][-1], *numbers]))

    def whole_numbers(self, table: str) -> list[int]:
        """The positions of columns of whole numbers."""
        return [number for number, each in enumerate(self.tables[table]) if each.type in ("int", "bigint")]

    def rows(self, table: str) -> list[Row]:
        return list(self._rows[table])

    def changes(self, table: str, after: int) -> list[tuple[Row, int]]:
        return [each for commit in self.feeds[table][after + 1 :] for each in commit]

    def load_changes(self, table: str, after: int) -> None:
        """What the feed tells of a table after a version, where it is captured from."""
        changes: list[Row] = [(*row, weight) for row, weight in self.changes(table, after)]
        if changes != self._loaded.get(table, []):
            self._load(f"changes_of_{table}", changes)
            self._loaded[table] = changes

    def _load(self, table: str, rows: Sequence[Row]) -> None:
        """Exactly these rows; as text: bound values make duckdb look for optional packages at every call."""
        values = ", ".join("(" + ", ".join(map(literal, row)) + ")" for row in rows)
        self._pending[table] = f"delete from {table}" + (f"; insert into {table} values {values}" if rows else "")

    def execute(self, duckdb_sql: str) -> duckdb.DuckDBPyConnection:
        """Run statements over the present rows."""
        text = "; ".join([*self._pending.values(), duckdb_sql])
        self._pending.clear()
        return self.db.execute(text)

    def run(self, duckdb_sql: str) -> list[Row]:
        """Run a statement that is likely to be run again: planned once."""
        if duckdb_sql not in self._prepared:
            name = f"{self.schema}_{len(self._prepared) + 1}"
            self.db.execute(f"prepare {name} as {duckdb_sql}")
            self._prepared[duckdb_sql] = name
        return self.execute(f"execute {self._prepared[duckdb_sql]}").fetchall()

    # The compiler's catalog.

    def relation(self, name: Name, namespace: Name | None) -> Table | StoredView:
        if name[-1] in self.views:
            text = self.views[name[-1]]
            return StoredView(name, text, (), tuple((c.name, c.name) for c in self.describe(text)))
        if name[-1] not in self.tables:
            raise CatalogError(f"no table {name[-1]}")
        return Table((name[-1],), self.tables[name[-1]])

    def describe(self, sql: str) -> tuple[Column, ...]:
        query = self.as_spark_means(sql)
        for view, text in self.views.items():
            self.db.execute(f"create or replace temp view {view} as {to_duckdb(text)}")
        try:
            found = self.db.execute(f"describe {query}").fetchall()
        except duckdb.Error as error:
            raise CatalogError(str(error)) from error
        return tuple(Column(name, spark_type(kind)) for name, kind, *_ in found)

    def function(self, _name: Name, _namespace: Name | None) -> None:
        """There are none."""

    def as_spark_means(self, sql: str) -> str:
        """A user's query for DuckDB."""
        return with_certain_membership(parsed_for_duckdb(self.in_other_words.get(sql, sql))).sql("duckdb", copy=False)

    def window(self, table: str, after: int) -> Window:
        if table in self.kept:
            return self.kept[table]
        changes = self.changes(table, after)
        only_inserts = all(weight > 0 for _, weight in changes)
        tells = list(self.tables).index(table) % 2 == 1  # how much changed; the commits of the others do not
        rows = len(changes) if tells else None
        size = 2**20 * (1 + list(self.tables).index(table))  # another one for each, all of them large
        return Window(after, self.version[table], bool(changes), only_inserts, rows, location=table, bytes=size)

    def with_extents(self, windows: Mapping[Name, Window]) -> dict[Name, Window]:
        """
        The windows with what is known of whole numbers: whether rows came under greater ones than any table had before.
        Which ones these are makes no difference to a plan, so all that came are 1, and all before are 0.
        """
        before = (self.greatest[name[-1]][each.after] for name, each in windows.items() if name[-1] in self.tables)
        limit = max(before, default=0)
        return {
            name: self._with_extents(name[-1], each, limit) if name[-1] in self.tables else each
            for name, each in windows.items()
        }

    def _with_extents(self, table: str, window: Window, limit: int) -> Window:
        names = {position: self.tables[table][position].name for position in self.whole_numbers(table)}
        rows = [row for row, _ in self.changes(table, window.after)]
        fresh = [
            position
            for position in names
            if window.changed and window.insert_only and all(each > limit for each in _values(rows, position))
        ]
        return replace(
            window,
            before=tuple(Extent(name, 0, 0) for name in names.values()),
            came=tuple(Extent(names[position], 1, 1) for position in fresh),
        )

    def _at_version(self, step: Any) -> str:
        name = step.source.name[-1]
        assert name in self.kept or step.version in (None, self.version[name]), "a source is read at the captured end"
        within = [self.renderer.render("within_bounds", column=each.quoted, bound=each) for each in step.bounds]
        where = f" where {' and '.join(within)}" if within else ""
        return f"select {', '.join(step.source.quoted_columns)} from {name}{where}"

    @staticmethod
    def _capture(source: Any, _window: Window) -> str:
        return f"select {', '.join(source.quoted_columns)}, lv_w as lv_weight from changes_of_{source.name[-1]}"

    def _created(self, table: str) -> str:
        columns = ", ".join(f'"{each.name}" {duck_type(each.type)}' for each in self.tables[table])
        return f"create table {table} ({columns}); create table changes_of_{table} ({columns}, lv_w int)"


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """
    One for all lakes of the process. Plans are kept while rows change, so they must not rely on statistics; and filters
    from joins must not be pushed below LIMIT, as DuckDB 1.5 does.
    """
    database = duckdb.connect(config={"threads": 1})
    database.execute("set global disabled_optimizers = 'statistics_propagation,join_filter_pushdown'")
    return database


def _values(rows: Sequence[Row], position: int) -> list[Any]:
    return [row[position] for row in rows if row[position] is not None]
