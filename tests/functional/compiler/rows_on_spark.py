"""
Views maintained on Spark without tables: rows, changes and state are temporary views, so that a refresh takes a second.

Proves what Spark makes of the compiler's SQL; that Delta and the protocol do their part is proven elsewhere.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import SparkSession

from dbt_lazyview.compiler.catalog import CatalogError, Column, Name, Table
from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.plan import StateRead, Window
from tests.functional.bags import bag
from tests.macro_rendering import MacroRenderer

Rows = Sequence[tuple[Any, ...]]


class RowsOnSpark:
    """Relations by name, each with the columns it has, the rows it had, and what came and went since."""

    def __init__(self, session: SparkSession, schemas: Mapping[str, str]) -> None:
        self.session, self.schemas = session, schemas
        self.now: dict[str, list[tuple[Any, ...]]] = {name: [] for name in schemas}
        overrides = {"spark__source_at_version": self._at_version, "spark__delta_capture": self._capture}
        self.renderer = MacroRenderer(("spark", "default"), overrides)

    def commit(self, name: str, inserts: Rows = (), deletes: Rows = ()) -> None:
        for row in deletes:
            self.now[name].remove(row)
        self.now[name].extend(inserts)
        changes = [(*row, 1) for row in inserts] + [(*row, -1) for row in deletes]
        self._show(name, self.now[name], self.schemas[name])
        self._show(f"changes_of_{name}", changes, f"{self.schemas[name]}, lv_weight int")

    def relation(self, name: Name, _namespace: Name | None) -> Table:
        if name[-1] not in self.schemas:
            raise CatalogError(f"no table {name[-1]}")
        return Table((name[-1],), self.describe(f"select * from {name[-1]}"))

    def describe(self, sql: str) -> tuple[Column, ...]:
        try:
            fields = self.session.sql(sql).schema.fields
        except Exception as problem:
            raise CatalogError(str(problem)) from problem
        return tuple(Column(field.name, field.dataType.simpleString()) for field in fields)

    def function(self, _name: Name, _namespace: Name | None) -> None:
        """There are none."""

    def build(self, name: str, sql: str, exact: bool = False) -> "ViewOnSpark":
        return ViewOnSpark(self, name, sql, exact)

    def keep(self, name: str, sql: str) -> None:
        """Let the rows of a query be there under a name, computed once."""
        found = self.session.sql(sql)._jdf
        spark = self.session._jsparkSession
        spark.createDataFrame(found.collectAsList(), found.schema()).createOrReplaceTempView(name)

    def _show(self, name: str, rows: Rows, schema: str) -> None:
        self.session.createDataFrame(list(rows), schema).createOrReplaceTempView(name)
        self.keep(name, f"select * from {name}")

    @staticmethod
    def _at_version(step: Any) -> str:
        return f"select {', '.join(step.source.quoted_columns)} from {step.source.name[-1]}"

    @staticmethod
    def _capture(source: Any, _window: Window) -> str:
        return f"select {', '.join(source.quoted_columns)}, lv_weight from changes_of_{source.name[-1]}"


class ViewOnSpark:
    """One view: built from all rows, refreshed from the last commit of every relation."""

    def __init__(self, lake: RowsOnSpark, name: str, sql: str, exact: bool) -> None:
        self.lake, self.sql, self.state = lake, sql, f"{name}__state"
        self.view = compile_view(sql, lake, exact)
        assert self.view.problems == (), self.view.problems
        plan = self.view.build({each.name: 0 for each in self.view.sources})
        columns = ", ".join(each.quoted for each in plan.layout.columns)
        query = lake.renderer.render("steps_as_query", steps=plan.steps, query=plan.query)
        lake.keep(self.state, f"select {columns} from ({query})")

    def refresh(self) -> str:
        """Fold the changes in; gives the mode of the plan."""
        windows = {each.name: Window(0, 1, changed=True) for each in self.view.sources}
        plan = self.view.refresh(windows, state=StateRead(f"`{self.state}`", 0))
        for stage in plan.stages:
            last = f"select * from `{stage.steps[-1].name}`"
            self.lake.keep(stage.relation, self._unpinned("steps_as_query", steps=stage.steps, query=last))
        statement = self._unpinned(
            "refresh_state", plan=plan, state=f"`{self.state}`", strategy="overwrite", state_version=0
        )
        self.lake.keep(self.state, statement[statement.index("\n") :])  # without INSERT OVERWRITE … (…)
        return plan.mode

    def rows(self) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self.lake.session.sql(self._public()).collect()]

    def differences(self) -> dict[str, list[tuple[str, ...]]]:
        """What only the view or only the query has; names and types of columns too."""
        public = self._public()
        session = self.lake.session
        got, wanted = bag(session, public), bag(session, self.sql)
        ours, theirs = (Counter((c.name, c.type) for c in self.lake.describe(each)) for each in (public, self.sql))
        found = {
            "only in view": [*(ours - theirs), *(got - wanted)],
            "only in query": [*(theirs - ours), *(wanted - got)],
        }
        return {side: rows for side, rows in found.items() if rows}

    def _public(self) -> str:
        return self.view.public(f"`{self.state}`").query

    def _unpinned(self, macro: str, **arguments: Any) -> str:
        return self.lake.renderer.render(macro, **arguments).replace(" version as of 0", "")
