"""
A lake on DuckDB for proving the algebra: versioned tables, a change feed, and views refreshed by the rendered
maintenance SQL, transpiled by sqlglot.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb
from sqlglot import exp, parse_one

from dbt_lazyview.compiler.catalog import CatalogError, Column, Name, StoredView, Table
from dbt_lazyview.compiler.compile import View, compile_view
from dbt_lazyview.compiler.derivation import ALL_ON, Options
from dbt_lazyview.compiler.plan import Stage, StateRead, Window
from tests.macro_rendering import MacroRenderer

Row = tuple[Any, ...]

_SPARK_TYPES = {"varchar": "string", "integer": "int", "hugeint": "decimal(38,0)"}


class DuckLake:
    """Tables with versions; `commit` replaces a table's rows and records the difference as a feed."""

    def __init__(self, tables: Mapping[str, Sequence[tuple[str, str]]]) -> None:
        self.db = duckdb.connect(config={"threads": 1})
        self.tables = {name: tuple(Column(*each) for each in columns) for name, columns in tables.items()}
        self.version = dict.fromkeys(tables, 0)
        self.feeds: dict[str, list[list[tuple[Row, int]]]] = {name: [[]] for name in tables}
        self.views: dict[str, str] = {}
        for name, columns in self.tables.items():
            self.db.execute(f"create table {name} ({', '.join(f'{c.name} {_duck_type(c.type)}' for c in columns)})")
        overrides = {
            "duckdb__source_at_version": self._at_version,
            "duckdb__delta_capture": self._capture,
        }
        self.renderer = MacroRenderer(("duckdb", "default"), overrides)

    def commit(self, table: str, inserts: Sequence[Row] = (), deletes: Sequence[Row] = ()) -> None:
        """One commit; each deleted row takes away one equal row."""
        rows = self.rows(table)
        for row in deletes:
            rows.remove(row)
        rows.extend(inserts)
        self.db.execute(f"delete from {table}")
        self._insert(table, rows)
        self.version[table] += 1
        self.feeds[table].append([(row, -1) for row in deletes] + [(row, 1) for row in inserts])

    def rows(self, table: str) -> list[Row]:
        return self.db.execute(f"select * from {table}").fetchall()

    def run(self, spark_sql: str) -> list[Row]:
        return self.db.execute(to_duckdb(spark_sql)).fetchall()

    # The compiler's catalog.

    def relation(self, name: Name, namespace: Name | None) -> Table | StoredView:
        if name[-1] in self.views:
            text = self.views[name[-1]]
            return StoredView(name, text, (), tuple((c.name, c.name) for c in self.describe(text)))
        if name[-1] not in self.tables:
            raise CatalogError(f"no table {name[-1]}")
        return Table((name[-1],), self.tables[name[-1]])

    def describe(self, sql: str) -> tuple[Column, ...]:
        query = to_duckdb(sql)
        for view, text in self.views.items():
            self.db.execute(f"create or replace temp view {view} as {to_duckdb(text)}")
        try:
            found = self.db.execute(f"describe {query}").fetchall()
        except duckdb.Error as error:
            raise CatalogError(str(error)) from error
        return tuple(Column(name, spark_type(kind)) for name, kind, *_ in found)

    def window(self, table: str, after: int) -> Window:
        changes = [each for commit in self.feeds[table][after + 1 :] for each in commit]
        only_inserts = all(weight > 0 for _, weight in changes)
        return Window(after, self.version[table], bool(changes), only_inserts, len(changes), location=table)

    def _at_version(self, step: Any) -> str:
        assert step.version == self.version[step.source.name[-1]], "a source is read at the captured end"
        return f"select {', '.join(step.source.quoted_columns)} from {step.source.name[-1]}"

    def _capture(self, source: Any, window: Window) -> str:
        table = source.name[-1]
        self.db.execute(
            f"create or replace temp table changes_of_{table} as select *, 0::int as lv_w from {table} where false"
        )
        changes = [(*row, w) for commit in self.feeds[table][window.after + 1 :] for row, w in commit]
        self._insert(f"changes_of_{table}", changes)
        return f"select {', '.join(source.quoted_columns)}, lv_w as lv_weight from changes_of_{table}"

    def _insert(self, table: str, rows: Sequence[Row]) -> None:
        if rows:  # as text: bound values make duckdb look for optional packages at every call
            values = ", ".join("(" + ", ".join(map(_literal, row)) + ")" for row in rows)
            self.db.execute(f"insert into {table} values {values}")


class DuckView:
    """A lazy view on the lake."""

    def __init__(self, lake: DuckLake, name: str, sql: str, options: Options = ALL_ON) -> None:
        self.lake, self.state, self.options = lake, f"{name}__state", options
        self.view: View = compile_view(sql, lake)
        self.cut = {each.name: lake.version[each.name[-1]] for each in self.view.sources}
        plan = self.view.build(self.cut)
        columns = ", ".join(each.quoted for each in plan.layout.columns)
        query = lake.renderer.render("steps_as_query", steps=plan.steps, query=plan.query)
        lake.db.execute(
            f"create or replace table {self.state} as select {to_duckdb_columns(columns)} from ({to_duckdb(query)})"
        )

    def refresh(self, strategy: str) -> str:
        """Refresh from changes; gives the plan's mode."""
        windows = {name: self.lake.window(name[-1], after) for name, after in self.cut.items()}
        if any(window.changed for window in windows.values()):
            plan = self.view.refresh(windows, self.options, StateRead(f"`{self.state}`", 0))
            statement = self.lake.renderer.render(
                "refresh_state", plan=plan, state=f"`{self.state}`", strategy=strategy, state_version=0
            )
            with staged(self.lake, plan.stages):
                self._apply(parse_one(statement, dialect="spark"))
            mode = plan.mode
        else:
            mode = "noop"
        self.cut = {name: window.upto for name, window in windows.items()}
        return mode

    def _apply(self, statement: exp.Expression) -> None:
        for table in statement.find_all(exp.Table):
            table.set("version", None)
        if isinstance(statement, exp.Insert):
            query = statement.expression.sql("duckdb")
            self.lake.db.execute(f"create or replace temp table lv_next as {query}")
            self.lake.db.execute(f"delete from {self.state}")
            self.lake.db.execute(f"insert into {self.state} select * from lv_next")
        else:
            self.lake.db.execute(statement.sql("duckdb"))

    def rows(self) -> list[Row]:
        return self.lake.run(self.view.public(f"`{self.state}`").query)

    def recomputed(self) -> list[Row]:
        return self.lake.run(self.view.sql)

    def differences(self) -> list[tuple[str, Row]]:
        """Rows that only one side has, as bags, both ways."""
        got, wanted = (Counter(map(_comparable, rows)) for rows in (self.rows(), self.recomputed()))
        surplus, missing = (got - wanted).elements(), (wanted - got).elements()
        return [("only in view", row) for row in surplus] + [("only in query", row) for row in missing]

    def is_stale(self) -> bool:
        """Whether the pending changes make a difference."""
        return bool(self.differences())


@contextmanager
def staged(lake: Any, stages: Sequence[Stage]) -> Iterator[None]:
    """Let the stages of a plan be there as temporary tables."""
    for stage in stages:
        last = f"select * from `{stage.steps[-1].name}`"
        query = lake.renderer.render("steps_as_query", steps=stage.steps, query=last)
        lake.db.execute(f"create temp table {stage.relation} as {to_duckdb(query)}")
    yield
    for stage in stages:
        lake.db.execute(f"drop table {stage.relation}")


def to_duckdb(spark_sql: str) -> str:
    return parse_one(spark_sql, dialect="spark").sql("duckdb")


def to_duckdb_columns(columns: str) -> str:
    return columns.replace("`", '"')


def _comparable(row: Row) -> Row:
    return tuple(round(value, 6) + 0.0 if isinstance(value, float) else value for value in row)


def _literal(value: Any) -> str:
    if value is None:
        return "null"
    return f"'{value}'" if isinstance(value, str) else str(value)


def _duck_type(kind: str) -> str:
    return {"string": "varchar"}.get(kind, kind)


def spark_type(kind: str) -> str:
    lowered = kind.lower()
    return _SPARK_TYPES.get(lowered, lowered)
