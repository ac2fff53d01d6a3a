"""
Views on a lake of DuckDB, refreshed by the rendered maintenance SQL, transpiled by sqlglot, and held against their
queries.

Plans depend on which sources changed and how, not on the rows: each view prepares a refresh once per such situation.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.derivation import ALL_ON, Options
from dbt_lazyview.compiler.passes.literal_bounds import bounded
from dbt_lazyview.compiler.plan import Bound, Derive, Range, RefreshPlan, StateLayout, StateRead, Window
from dbt_lazyview.compiler.view import View
from tests.property.duck_lake import DuckLake, Row
from tests.property.duck_sql import parsed_for_duckdb, to_duckdb

Bag = Counter[tuple[Any, ...]]


class DuckState:
    """A stored view on the lake."""

    def __init__(self, lake: DuckLake, name: str, view: View, options: Options) -> None:
        self.lake, self.view, self.options = lake, view, options
        self.state, self.change, self.next = (f"{name}__{each}" for each in ("state", "change", "next"))
        self.told, self.untrue = (f"{name}__{each}" for each in ("told", "untrue"))
        self.cut = {each.name: lake.version.get(each.name[-1], 0) for each in self.view.sources}
        self._refreshes: dict[tuple[Any, ...], _Refresh] = {}
        plan = self.view.build(self.cut)
        columns = ", ".join(each.quoted.replace("`", '"') for each in plan.layout.columns)
        query = to_duckdb(lake.renderer.render("steps_as_query", steps=plan.steps, query=plan.query))
        lake.execute(
            f"create or replace table {self.state} as select {columns} from ({query}); "
            f"create or replace table {self.change} as from {self.state} where false; "
            f"create or replace table {self.next} as from {self.state} where false; "
            f"create or replace table {self.told} as select *, '' as _change_type from {self.state} where false; "
            f"create or replace table {self.untrue} as from {self.state} where false"
        )
        self._broken = self._broken_rows(plan.layout)

    def refresh(self, strategy: str) -> str:
        """Refresh from changes; gives the plan's mode."""
        windows = self.lake.with_extents({name: self.lake.window(name[-1], at) for name, at in self.cut.items()})
        for name, after in self.cut.items():
            if name[-1] not in self.lake.kept:
                self.lake.load_changes(name[-1], after)
        self.cut = {name: window.upto for name, window in windows.items()}
        situation = tuple((name, each.insert_only, each.came) for name, each in windows.items() if each.changed)
        if not situation:
            return "noop"
        if situation not in self._refreshes:
            self._refreshes[situation] = self._planned(windows)
        refresh = self._refreshes[situation]
        self.lake.run(refresh.change)
        self.lake.execute(f"{refresh.folds[strategy]}; delete from {self.change}")
        return refresh.mode

    def _planned(self, windows: Mapping[Name, Window]) -> "_Refresh":
        """The macros give one statement; here it is two, so that the larger part is the same for all strategies."""
        render = self.lake.renderer.render
        plan = self.view.refresh(windows, self.options, StateRead(f"`{self.state}`", 0))
        plan = in_one_statement(bounded(plan, {each: bound_by_changes(each) for each in plan.ranges}), render)
        query = to_duckdb(render("steps_as_query", steps=plan.steps, query=f"select * from `{plan.change}`"))
        rest = replace(plan, steps=(), change=self.change)
        statements = {
            strategy: render("refresh_state", plan=rest, state=f"`{self.state}`", strategy=strategy, state_version=0)
            for strategy in ("merge", "overwrite", "rewrite")
        }
        folds = {
            "merge": to_duckdb(statements["merge"]),
            "overwrite": self._overwritten(parsed_for_duckdb(statements["overwrite"]).expression.sql("duckdb")),
            "rewrite": self._rewritten(to_duckdb(statements["rewrite"])),
        }
        return _Refresh(plan.mode, f"insert into {self.change} by name {query}", folds)

    def _overwritten(self, query: str) -> str:
        return (
            f"insert into {self.next} by name {query}; delete from {self.state}; "
            f"insert into {self.state} from {self.next}; delete from {self.next}"
        )

    def _rewritten(self, query: str) -> str:
        """What is told of the change has to lead from the rows before to those after it."""
        came, went = (
            f"select * exclude (_change_type) from {self.told} where _change_type in {kinds}"
            for kinds in ("('insert', 'update_postimage')", "('delete', 'update_preimage')")
        )
        before, after = f"(from {self.state} union all {came})", f"(from {self.next} union all {went})"
        return (
            f"insert into {self.told} by name {query}; "
            f"insert into {self.next} select * exclude (_change_type) from {self.told} where _change_type is null; "
            f"insert into {self.untrue} (from {before} except all from {after}) "
            f"union all (from {after} except all from {before}); "
            f"delete from {self.state}; insert into {self.state} from {self.next}; "
            f"delete from {self.next}; delete from {self.told}"
        )

    def _broken_rows(self, layout: StateLayout) -> str:
        """
        Stored rows that must not be: a key twice, a count below one, or a view of one row without it. And what a
        change feed told and was not so.
        """
        untrue = f"select 'told', count(*) from {self.untrue} having count(*) > 0"
        if layout.is_global:
            return f"select 'rows' as broken, count(*) from {self.state} having count(*) <> 1 union all {untrue}"
        keys = ", ".join(each.quoted.replace("`", '"') for each in layout.keys)
        return (
            f"select 'count' as broken, lv_count from {self.state} where coalesce(lv_count, 0) < 1 "
            f"union all select 'key twice', count(*) from {self.state} group by {keys} having count(*) > 1 "
            f"union all {untrue}"
        )

    def broken_rows(self) -> list[Row]:
        return self.lake.run(self._broken)


class DuckAuxiliary(DuckState):
    """A state that is kept for its owner, which captures its changes."""

    def __init__(self, lake: DuckLake, name: str, view: View, options: Options) -> None:
        super().__init__(lake, name, view, options)
        lake.execute(f"create or replace table {self.state}__before as from {self.state}")
        lake.execute(
            f"create or replace table changes_of_{self.state} as select *, 1 as lv_w from {self.state} limit 0"
        )
        lake.kept[self.state] = Window(0, 0, changed=False)

    def refresh(self, strategy: str) -> str:
        before, changes = f"{self.state}__before", f"changes_of_{self.state}"
        self.lake.execute(f"delete from {before}; insert into {before} from {self.state}; delete from {changes}")
        mode = super().refresh(strategy)
        self.lake.execute(f"insert into {changes} {changes_since(before, self.state)}")
        found = self.lake.execute(f"select count(*), count(*) filter (where lv_w < 0) from {changes}").fetchall()[0]
        self.lake.kept[self.state] = Window(0, 0, bool(found[0]), not found[1], None, location=self.state)
        return mode


class DuckView(DuckState):
    """A lazy view on the lake."""

    def __init__(self, lake: DuckLake, name: str, sql: str, options: Options = ALL_ON, keeps: bool = False) -> None:
        view = compile_view(sql, lake, owner=(name,) if keeps else None)
        inner = auxiliaries_of(view)
        self.auxiliaries = [DuckAuxiliary(lake, each, inner[each], options) for each in inner]
        super().__init__(lake, name, view, options)
        self._query = lake.as_spark_means(sql)
        self._public = to_duckdb(self.view.public(f"`{self.state}`").query)

    @property
    def tables(self) -> list[str]:
        """The tables it finally reads."""
        names = [name[-1] for each in (self, *self.auxiliaries) for name in each.cut]
        return [name for name in dict.fromkeys(names) if name not in self.lake.kept]

    def refresh(self, strategy: str) -> str:
        for each in self.auxiliaries:
            each.refresh(strategy)
        return super().refresh(strategy)

    def rows(self) -> Bag:
        return self.rows_of(self._public)

    def recomputed(self) -> Bag:
        return self.rows_of(self._query)

    def rows_of(self, query: str) -> Bag:
        return Counter(map(comparable, self.lake.run(query)))

    def differences(self) -> list[tuple[str, Row]]:
        broken = [("broken in state", row) for row in self.broken_rows()]
        return [*broken, *differences(self.rows(), self.recomputed())]


@dataclass(frozen=True)
class _Refresh:
    """A refresh where certain sources changed: `change` fills the table that a fold reads."""

    mode: str
    change: str
    folds: dict[str, str]  # by strategy


def auxiliaries_of(view: View) -> dict[str, View]:
    """The auxiliaries that a view finally rests on, those that others read first."""
    found: dict[str, View] = {}
    for each in view.auxiliaries:
        found |= {**auxiliaries_of(each.view), each.name[-1]: each.view}
    return found


def with_changes_kept(table: str, statement: str) -> str:
    """A statement on a table, and then what it changed, where a change feed would be captured from."""
    before = f"{table}__before"
    return (
        f"create or replace table {before} as from {table}; {statement}; "
        f"create or replace table changes_of_{table} as {changes_since(before, table)}"
    )


def changes_since(before: str, table: str) -> str:
    """What came into a table, and what went, since it was like another one."""
    return (
        f"select *, 1 as lv_w from (from {table} except all from {before}) "
        f"union all select *, -1 from (from {before} except all from {table})"
    )


def bound_by_changes(found: Range) -> Bound:
    """Not literals, as plans are kept; but what would be literals, computed whenever the plan is run."""
    values = " union all ".join(
        f"select {each.quoted} as k from changes_of_{each.delta.source.name[-1]}" for each in found.deltas
    )
    return Bound(found.column, *(f"(select {which}(k) from ({values}) as d)" for which in ("min", "max")))


def differences(got: Bag, wanted: Bag) -> list[tuple[str, Row]]:
    """Rows that only one side has, as bags, both ways."""
    surplus, missing = (got - wanted).elements(), (wanted - got).elements()
    return [("only in view", row) for row in surplus] + [("only in query", row) for row in missing]


def in_one_statement(plan: RefreshPlan, render: Callable[..., str]) -> RefreshPlan:
    """The same plan with its stages as steps."""
    stages = [
        Derive(
            each.relation, render("steps_as_query", steps=each.steps, query=f"select * from `{each.steps[-1].name}`")
        )
        for each in plan.stages
    ]
    return replace(plan, stages=(), steps=(*stages, *plan.steps))


def comparable(row: Row) -> tuple[Any, ...]:
    return tuple(map(_comparable_value, row))


def _comparable_value(value: Any) -> Any:
    if isinstance(value, float):
        return round(value + 3.14159e-8, 6)  # no average of a few short decimals lies between two roundings then
    return tuple(value) if isinstance(value, list) else value
