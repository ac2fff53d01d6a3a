"""TPC-H and TPC-DS on DuckDB: the original query texts as lazy views, through rounds of changes."""

import os
from pathlib import Path
from types import ModuleType
from typing import Any

import duckdb
import duckdb_extension_tpcds
import duckdb_extension_tpch
from sqlglot import parse_one

from dbt_lazyview.compiler.catalog import CatalogError, Column, Name, Table
from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.passes.literal_bounds import bounded
from dbt_lazyview.compiler.plan import StateRead, Window
from dbt_lazyview.compiler.view import View
from tests.macro_rendering import MacroRenderer
from tests.property.duck_sql import spark_type, to_duckdb
from tests.property.duck_views import auxiliaries_of, bound_by_changes, with_changes_kept

_BENCHMARKS: dict[str, tuple[ModuleType, str]] = {
    "tpch": (duckdb_extension_tpch, "dbgen"),
    "tpcds": (duckdb_extension_tpcds, "dsdgen"),
}


def chosen_queries(sample: list[int]) -> list[int]:
    """The queries of TPC-DS to go through: a sample, or those that LAZYVIEW_TPCDS names (`all`, `4 11 31`)."""
    named = os.environ.get("LAZYVIEW_TPCDS", "")
    return list(range(1, 100)) if named == "all" else [int(each) for each in named.split()] or sample


class TpcLake:
    """Generated tables; a round of changes replaces some rows of every table by others."""

    def __init__(self, benchmark: str, scale: float) -> None:
        module, generator = _BENCHMARKS[benchmark]
        extension = next(Path(module.__path__[0]).rglob("*.duckdb_extension"))
        self.db = duckdb.connect(config={"allow_unsigned_extensions": "true"})
        self.db.execute(f"load '{extension}'")
        self.queries = {
            number: _spark(text) for number, text in self.db.execute(f"from {benchmark}_queries()").fetchall()
        }
        self.db.execute(f"call {generator}(sf={scale})")
        names = [name for (name,) in self.db.execute("show tables").fetchall()]
        self.tables = {name: self._columns(name) for name in names}
        overrides = {"duckdb__source_at_version": self._at_version, "duckdb__delta_capture": self._capture}
        self.renderer = MacroRenderer(("duckdb", "default"), overrides)

    def change(self, salt: int, share: int) -> None:
        """Every `share`-th row of each table goes; half of them come back, with a row of their own twice."""
        self.db.execute("begin")  # between transactions, DuckDB may number the rows anew
        for table, columns in self.tables.items():
            chosen = f"hash(rowid + {salt}) % {share} = 0"
            names = ", ".join(f'"{column.name}"' for column in columns)
            back = f"select {names} from {table} where {chosen} and hash(rowid) % 2 = 0"
            moved = ", ".join(_moved(column) for column in columns)
            self.db.execute(
                f"create or replace table changes_of_{table} as select {names}, -1 as lv_w from {table} where {chosen} "
                f"union all select {moved}, 1 from ({back}) union all select {moved}, 1 from ({back} limit 1)"
            )
            self.db.execute(f"delete from {table} where {chosen}")
            self.db.execute(f"insert into {table} select {names} from changes_of_{table} where lv_w = 1")
        self.db.execute("commit")

    def compiled(self, number: int, is_owner: bool = True) -> View:
        """A query as a view, which may keep auxiliary states."""
        return compile_view(self.queries[number], self, owner=(f"q{number}",) if is_owner else None)

    # The compiler's catalog.

    def relation(self, name: Name, _namespace: Name | None) -> Table:
        if name[-1] not in self.tables:
            raise CatalogError(f"no table {name[-1]}")
        return Table((name[-1],), self.tables[name[-1]])

    def describe(self, sql: str) -> tuple[Column, ...]:
        rows = self.db.execute(f"describe {to_duckdb(sql)}").fetchall()
        return tuple(Column(name, spark_type(kind)) for name, kind, *_ in rows)

    def function(self, _name: Name, _namespace: Name | None) -> None:
        """There are none."""

    def _columns(self, table: str) -> tuple[Column, ...]:
        return tuple(
            Column(name, spark_type(kind)) for name, kind, *_ in self.db.execute(f"describe {table}").fetchall()
        )

    def _at_version(self, step: Any) -> str:
        within = [self.renderer.render("within_bounds", column=each.quoted, bound=each) for each in step.bounds]
        where = f" where {' and '.join(within)}" if within else ""
        return f"select {', '.join(step.source.quoted_columns)} from {step.source.name[-1]}{where}"

    @staticmethod
    def _capture(source: Any, _window: Window) -> str:
        return f"select {', '.join(source.quoted_columns)}, lv_w as lv_weight from changes_of_{source.name[-1]}"


class TpcView:
    """One benchmark query as a lazy view, with its auxiliaries; each leaves its own changes to its owner."""

    def __init__(self, lake: TpcLake, name: str, view: View, is_auxiliary: bool = False) -> None:
        self.lake, self.view, self.state = lake, view, f"{name}__state"
        auxiliaries = {} if is_auxiliary else auxiliaries_of(view)
        self.auxiliaries = [TpcView(lake, name, each, is_auxiliary=True) for name, each in auxiliaries.items()]
        plan = view.build({each.name: 0 for each in view.sources})
        columns = ", ".join(each.quoted.replace("`", '"') for each in plan.layout.columns)
        query = to_duckdb(lake.renderer.render("steps_as_query", steps=plan.steps, query=plan.query))
        lake.db.execute(f"create or replace table {self.state} as select {columns} from ({query})")

    def refresh(self) -> None:
        for each in self.auxiliaries:
            each.refresh()
        windows = {each.name: Window(0, 1, changed=True) for each in self.view.sources}
        render = self.lake.renderer.render
        plan = self.view.refresh(windows, state=StateRead(f"`{self.state}`", 0))
        plan = bounded(plan, {each: bound_by_changes(each) for each in plan.ranges})
        for stage in plan.stages:
            last = f"select * from `{stage.steps[-1].name}`"
            rows = to_duckdb(render("steps_as_query", steps=stage.steps, query=last))
            self.lake.db.execute(f"create or replace temp table {stage.relation} as {rows}")
        text = render("refresh_state", plan=plan, state=f"`{self.state}`", strategy="merge", state_version=0)
        self.lake.db.execute(with_changes_kept(self.state, to_duckdb(text)))

    def differences(self) -> list[tuple[Any, ...]]:
        """Rows that only one side has; numbers of the query and of the view are compared to six digits."""
        rounded = ", ".join(_rounded(column) for column in self.view.columns)
        view = f"select {rounded} from ({to_duckdb(self.view.public(f'`{self.state}`').query)}) as v"
        query = f"select {rounded} from ({to_duckdb(self.view.sql)}) as q"
        return self.lake.db.execute(f"({view} except all {query}) union all ({query} except all {view})").fetchall()


def _spark(duckdb_text: str) -> str:
    return parse_one(duckdb_text, dialect="duckdb").sql("spark")


def _moved(column: Column) -> str:
    """Numbers that are no keys move a little, so that groups and filters see other rows."""
    name = f'"{column.name}"'
    return f"{name} + 1 as {name}" if column.type.startswith("decimal") else name


def _rounded(column: Column) -> str:
    name = '"' + column.name.replace('"', '""') + '"'
    return f"round({name}, 6) as {name}" if column.type in ("double", "float") else name
