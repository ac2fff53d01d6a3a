"""
A lake on DuckDB for proving the algebra: versioned tables, a change feed, and views refreshed by the rendered
maintenance SQL, transpiled by sqlglot.

Plans depend on which sources changed and how, not on the rows: each view prepares a refresh once per such situation.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from typing import Any

import duckdb
from sqlglot import exp, parse_one

from dbt_lazyview.compiler.catalog import CatalogError, Column, Name, StoredView, Table
from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.derivation import ALL_ON, Options
from dbt_lazyview.compiler.passes.literal_bounds import bounded
from dbt_lazyview.compiler.plan import Bound, Derive, Extent, Range, RefreshPlan, StateLayout, StateRead, Window
from dbt_lazyview.compiler.view import View
from tests.macro_rendering import MacroRenderer

Value = int | float | str | bool | None  # decimals and dates as text
Row = tuple[Value, ...]
Bag = Counter[tuple[Any, ...]]

_SPARK_TYPES = {"varchar": "string", "integer": "int", "hugeint": "decimal(38,0)"}
IN_DUCKDB = {"RAISE_ERROR": "ERROR", "TIMESTAMP_MILLIS": "MAKE_TIMESTAMP_MS"}  # functions by Spark's name
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
        values = ", ".join("(" + ", ".join(map(_literal, row)) + ")" for row in rows)
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
        return _with_certain_membership(_parsed(self.in_other_words.get(sql, sql))).sql("duckdb", copy=False)

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
        columns = ", ".join(f'"{each.name}" {_duck_type(each.type)}' for each in self.tables[table])
        return f"create table {table} ({columns}); create table changes_of_{table} ({columns}, lv_w int)"


class DuckState:
    """A stored view on the lake."""

    def __init__(self, lake: DuckLake, name: str, view: View, options: Options) -> None:
        self.lake, self.view, self.options = lake, view, options
        self.state, self.change, self.next = (f"{name}__{each}" for each in ("state", "change", "next"))
        self.cut = {each.name: lake.version.get(each.name[-1], 0) for each in self.view.sources}
        self._refreshes: dict[tuple[Any, ...], _Refresh] = {}
        plan = self.view.build(self.cut)
        columns = ", ".join(each.quoted.replace("`", '"') for each in plan.layout.columns)
        query = to_duckdb(lake.renderer.render("steps_as_query", steps=plan.steps, query=plan.query))
        lake.execute(
            f"create or replace table {self.state} as select {columns} from ({query}); "
            f"create or replace table {self.change} as from {self.state} where false; "
            f"create or replace table {self.next} as from {self.state} where false"
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
            for strategy in ("merge", "overwrite")
        }
        folds = {
            "merge": to_duckdb(statements["merge"]),
            "overwrite": self._overwritten(_parsed(statements["overwrite"]).expression.sql("duckdb")),
        }
        return _Refresh(plan.mode, f"insert into {self.change} by name {query}", folds)

    def _overwritten(self, query: str) -> str:
        return (
            f"insert into {self.next} by name {query}; delete from {self.state}; "
            f"insert into {self.state} from {self.next}; delete from {self.next}"
        )

    def _broken_rows(self, layout: StateLayout) -> str:
        """Stored rows that must not be: a key twice, a count below one, or a view of one row without it."""
        if layout.is_global:
            return f"select 'rows' as broken, count(*) from {self.state} having count(*) <> 1"
        keys = ", ".join(each.quoted.replace("`", '"') for each in layout.keys)
        return (
            f"select 'count' as broken, lv_count from {self.state} where coalesce(lv_count, 0) < 1 "
            f"union all select 'key twice', count(*) from {self.state} group by {keys} having count(*) > 1"
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
        return Counter(map(_comparable, self.lake.run(query)))

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


def to_duckdb(spark_sql: str) -> str:
    return _parsed(spark_sql).sql("duckdb", copy=False)


def _parsed(spark_sql: str) -> exp.Expression:
    """All versions that a statement names are the present ones here; hints mean nothing."""
    parsed = parse_one(spark_sql, dialect="spark")
    for node in parsed.find_all(exp.Table, exp.Select):
        node.set("version", None)
        node.set("hint", None)
    for call in parsed.find_all(exp.Anonymous):
        call.set("this", IN_DUCKDB.get(call.name.upper(), call.this))
    return parsed


def _with_certain_membership(query: exp.Expression) -> exp.Expression:
    """Spark's IN and NOT IN over a subquery are true or false, never unknown."""
    for test in reversed(list(query.find_all(exp.In))):  # the inner ones first
        if test.args.get("query"):
            certain = test.parent if isinstance(test.parent, exp.Not) else test
            certain.replace(exp.Coalesce(this=certain.copy(), expressions=[exp.false()]))
    return query


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """
    One for all lakes of the process. Plans are kept while rows change, so they must not rely on statistics; and filters
    from joins must not be pushed below LIMIT, as DuckDB 1.5 does.
    """
    database = duckdb.connect(config={"threads": 1})
    database.execute("set global disabled_optimizers = 'statistics_propagation,join_filter_pushdown'")
    return database


def _comparable(row: Row) -> tuple[Any, ...]:
    return tuple(map(_comparable_value, row))


def _comparable_value(value: Any) -> Any:
    if isinstance(value, float):
        return round(value + 3.14159e-8, 6)  # no average of a few short decimals lies between two roundings then
    return tuple(value) if isinstance(value, list) else value


def _values(rows: Sequence[Row], position: int) -> list[Any]:
    return [row[position] for row in rows if row[position] is not None]


def _literal(value: Value) -> str:
    if value is None:
        return "null"
    return f"'{value}'" if isinstance(value, str) else str(value)


def _duck_type(kind: str) -> str:
    return {"string": "varchar"}.get(kind, kind)


def spark_type(kind: str) -> str:
    lowered = kind.lower()
    return _SPARK_TYPES.get(lowered, lowered)
