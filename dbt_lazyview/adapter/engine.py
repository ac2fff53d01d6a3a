"""The engine behind dbt: a connection of our own, and dbt's macros."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cached_property
from typing import Any

from dbt.adapters.base.impl import BaseAdapter
from dbt.adapters.contracts.connection import Connection
from dbt.adapters.events.logging import AdapterLogger

from dbt_lazyview.adapter.catalog import SparkCatalog
from dbt_lazyview.adapter.connections import SessionHandle, own_connection
from dbt_lazyview.adapter.errors import words_of
from dbt_lazyview.adapter.folding import fold
from dbt_lazyview.adapter.known_files import read_from_files
from dbt_lazyview.adapter.outliving import keep_registered
from dbt_lazyview.adapter.shortcuts import EmbeddedShortcuts
from dbt_lazyview.adapter.writing import run_for_effect
from dbt_lazyview.maintenance.affected import Affected
from dbt_lazyview.maintenance.engine import EngineError
from dbt_lazyview.maintenance.probes import Probes

PACKAGE = "dbt_lazyview"
SETTINGS = {
    "spark.sql.debug.maxToStringFields": "10000",  # longer types are cut short in DESCRIBE otherwise
    "spark.sql.files.ignoreMissingFiles": "false",  # files that VACUUM removed would be rows that never were
    "spark.sql.variable.substitute": "false",  # `${` in a name, a comment or a text is no variable
}

logger = AdapterLogger("LazyView")


class DbtEngine:
    """Runs SQL on a connection of its own: other writers share dbt's, and must not carry our record."""

    def __init__(self, adapter: BaseAdapter, connection: Connection, probes: Probes) -> None:
        self.adapter, self.connection, self.probes = adapter, connection, probes

    @cached_property
    def shortcuts(self) -> EmbeddedShortcuts | None:
        handle = self.connection.handle
        return EmbeddedShortcuts(handle.session) if isinstance(handle, SessionHandle) else None

    @cached_property
    def current_catalog(self) -> str:
        if self.shortcuts:
            return self.shortcuts.current_catalog()
        return str(self.query(self.render("current_catalog"))[0]["catalog"])

    def query(self, sql: str) -> list[dict[str, Any]]:
        sql = self._commented(sql)
        logger.debug(f"On {self.connection.name}: {sql}")
        with engine_errors(), self._read_from_files(sql) as shorter:
            cursor = self.connection.handle.cursor()
            cursor.execute(shorter)
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in (cursor.fetchall() or ())] if names else []

    def execute(self, sql: str) -> None:
        sql = self._commented(sql)
        logger.debug(f"On {self.connection.name}: {sql}")
        with engine_errors():
            if self.shortcuts:
                run_for_effect(self.shortcuts.logs, sql)
            else:
                self.connection.handle.cursor().execute(sql)

    def fold(self, affected: Affected, query: str) -> bool:
        assert self.shortcuts
        query = self._commented(query)
        logger.debug(f"On {self.connection.name}, into {affected.files} of {affected.of} files: {query}")
        with engine_errors():
            return fold(self.shortcuts.logs, affected, query)

    def _read_from_files(self, sql: str) -> AbstractContextManager[str]:
        return read_from_files(self.shortcuts.logs, sql) if self.shortcuts else nullcontext(sql)

    def set(self, settings: Mapping[str, str]) -> None:
        """Have settings for as long as the connection lasts."""
        if self.shortcuts:
            self.shortcuts.set(settings)
        else:
            for key, value in settings.items():
                self.execute(self.render("set_setting", key=key, value=value))

    def _commented(self, sql: str) -> str:
        """The statement with dbt's query comment, which would be part of the value of a setting."""
        header = getattr(self.adapter.connections, "query_header", None)
        is_setting = sql.startswith(("set ", "reset "))
        return str(header.add(sql)) if header is not None and not is_setting else sql

    def render(self, macro: str, **arguments: Any) -> str:
        keep_registered(self.adapter)
        return str(self.adapter.execute_macro(macro, project=PACKAGE, kwargs=arguments)).strip()

    def catalog(self) -> SparkCatalog:
        return SparkCatalog(self, self.probes)


@contextmanager
def open_engine(adapter: BaseAdapter, name: str, probes: Probes) -> Iterator[DbtEngine]:
    """An engine on a new connection, closed afterwards."""
    connection = own_connection(adapter.ConnectionManager, f"lazyview {name}", adapter.config.credentials)
    try:
        engine = DbtEngine(adapter, connection, probes)
        engine.set({**SETTINGS, **getattr(adapter, "own_settings", {})})
        yield engine
    finally:
        with suppress(Exception):  # a connection that broke cannot be closed any more
            connection.handle.close()


@contextmanager
def engine_errors() -> Iterator[None]:
    """Every driver has exceptions of its own; what they say is what matters."""
    try:
        yield
    except Exception as problem:
        raise EngineError(words_of(problem)) from problem
