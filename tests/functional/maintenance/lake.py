"""A lake for protocol tests: a Spark session, lazy views refreshed without dbt, and the oracle that judges them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from pyspark.sql import SparkSession

from dbt_lazyview.adapter.catalog import SparkCatalog
from dbt_lazyview.adapter.errors import readable, words_of
from dbt_lazyview.adapter.folding import fold
from dbt_lazyview.adapter.shortcuts import EmbeddedShortcuts
from dbt_lazyview.adapter.writing import run_for_effect
from dbt_lazyview.compiler.derivation import ALL_ON, Options
from dbt_lazyview.maintenance.affected import Affected
from dbt_lazyview.maintenance.definition import Definition
from dbt_lazyview.maintenance.engine import EngineError
from dbt_lazyview.maintenance.maps import mapping
from dbt_lazyview.maintenance.outcome import Outcome
from dbt_lazyview.maintenance.plan import Request
from dbt_lazyview.maintenance.record import Record, from_json
from dbt_lazyview.maintenance.refresh import refresh
from dbt_lazyview.maintenance.tree import Target
from tests.functional.bags import bag, in_one_only
from tests.macro_rendering import MacroRenderer

Answer = TypeVar("Answer")
RENDERER = MacroRenderer()
MAPS = ("operationParameters", "operationMetrics")


class RawEngine:
    """An engine over a session of its own; keeps what it ran, and can be told to die before or after a statement."""

    def __init__(self, session: Any, is_embedded: bool = True) -> None:
        self.session = session
        self.shortcuts = EmbeddedShortcuts(session) if is_embedded else None
        self.ran: list[str] = []
        self.before: dict[str, Any] = {}  # start of a statement -> what happens just before it
        self.after: dict[str, Any] = {}

    def begin(self, part: str) -> None:
        """Told by whoever does several things with one engine."""

    def query(self, sql: str) -> list[dict[str, Any]]:
        return self._run(sql, lambda: [row.asDict(recursive=True) for row in self.session.sql(sql).collect()])

    def execute(self, sql: str) -> None:
        if self.shortcuts is None:
            self.query(sql)
            return
        logs = self.shortcuts.logs
        self._run(sql, lambda: run_for_effect(logs, sql))

    def fold(self, affected: Affected, query: str) -> bool:
        assert self.shortcuts
        logs = self.shortcuts.logs
        return self._run(f"fold {query}", lambda: fold(logs, affected, query))

    def _run(self, sql: str, work: Callable[[], Answer]) -> Answer:
        self._happen(self.before, sql)
        self.ran.append(sql)
        try:
            answer = work()
        except Exception as problem:
            raise EngineError(readable(words_of(problem))) from problem
        self._happen(self.after, sql)
        return answer

    def render(self, macro: str, **arguments: Any) -> str:
        return RENDERER.render(macro, **arguments)

    def catalog(self) -> SparkCatalog:
        return SparkCatalog(self)

    def _happen(self, events: dict[str, Any], sql: str) -> None:
        for start in [start for start in events if sql.lower().startswith(start)]:
            events.pop(start)()


class Killed(BaseException):
    """The process died."""


def die() -> None:
    raise Killed


class Lake:
    """A schema of its own, with tables and lazy views in it."""

    def __init__(self, root: Any, schema: str) -> None:
        self.root, self.schema = root, schema
        self.is_embedded = isinstance(root, SparkSession)
        self.session = root.newSession()
        self.run(f"create schema if not exists `{schema}`")
        self.run(f"use `{schema}`")

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements as somebody else would, on a session that is not ours; rows of the last one."""
        for statement in statements:
            rows = [tuple(row) for row in self.session.sql(statement).collect()]
        return rows

    def engine(self, is_embedded: bool = True) -> RawEngine:
        session = self.root.newSession()
        session.sql(f"use `{self.schema}`")
        return RawEngine(session, is_embedded and self.is_embedded)

    def target(self, name: str, sql: str, **configs: Any) -> Target:
        return Target(("spark_catalog", self.schema, name), Definition(sql, **configs))

    def refresh(
        self,
        name: str,
        sql: str,
        engine: RawEngine | None = None,
        full: bool = False,
        options: Options = ALL_ON,
        **configs: Any,
    ) -> Outcome:
        request = Request(full_refresh=full, options=options)
        return refresh(engine or self.engine(), self.target(name, sql, **configs), request)

    def differences(self, name: str, sql: str) -> list[tuple[str, ...]]:
        """Rows that only the view or only the query has, as bags."""
        return in_one_only(bag(self.session, f"select * from `{name}`"), bag(self.session, sql))

    def folder(self, table: str) -> Path:
        """Where the files of a table are."""
        return Path(self.run(f"describe detail {table}")[0][4].removeprefix("file:"))

    def history(self, table: str) -> list[dict[str, Any]]:
        rows = [row.asDict(recursive=True) for row in self.session.sql(f"describe history `{table}`").collect()]
        return [{**row, **{key: mapping(row[key]) for key in MAPS}} for row in rows]

    def records(self, name: str) -> list[tuple[int, Record]]:
        """Version and record of every refresh of a view, newest first."""
        found = [(row["version"], from_json(row["userMetadata"])) for row in self.history(f"{name}__state")]
        return [(version, record) for version, record in found if record]
