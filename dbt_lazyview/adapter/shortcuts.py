"""What the embedded session can do without a statement."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from dbt.adapters.events.logging import AdapterLogger
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dbt_lazyview.adapter import delta_log, file_statistics, folding
from dbt_lazyview.adapter.errors import readable
from dbt_lazyview.adapter.known_files import read_from_files
from dbt_lazyview.adapter.logs import Logs
from dbt_lazyview.adapter.pinned import known_contents
from dbt_lazyview.adapter.writing import asks_the_log
from dbt_lazyview.compiler.catalog import Name, Table
from dbt_lazyview.compiler.plan import Extent
from dbt_lazyview.maintenance.affected import Affected
from dbt_lazyview.maintenance.engine import EngineError

logger = AdapterLogger("LazyView")


class EmbeddedShortcuts:
    """Shorter ways through the JVM of this process; each does what some statement would."""

    def __init__(self, session: SparkSession) -> None:
        self.session = session
        self.logs = Logs(session)

    def table(self, name: Name) -> Table | None:
        return delta_log.table(self.logs, name)

    def detail(self, name: Name) -> dict[str, Any] | None:
        return delta_log.detail(self.logs, name)

    def history(self, name: Name, limit: int) -> list[dict[str, Any]] | None:
        return delta_log.history(self.logs, name, limit)

    def find_transactions(self, name: Name, statement: str) -> None:
        if asks_the_log(self.logs, name, statement):
            with self.having_set(delta_log.SETTINGS_FOR_A_SHORT_LOG):
                delta_log.find_transactions(self.logs, name)

    def statistics(self, name: Name, after: int, upto: int) -> list[dict[str, Any]] | None:
        return file_statistics.statistics(self.logs, name, after, upto)

    def ends_of_changes(self, name: Name, after: int, upto: int, column: str) -> tuple[str, str] | None:
        return file_statistics.ends_of_changes(self.logs, name, after, upto, column)

    def extents(self, name: Name, version: int, columns: Sequence[str]) -> dict[str, tuple[str, str]]:
        return file_statistics.extents(self.logs, name, version, columns)

    def row_count(self, name: Name, version: int) -> int | None:
        try:
            known = known_contents(self.logs, name, version)
            return known.row_count() if known else None
        except (Py4JError, PySparkException):
            return None

    def affected(self, name: Name, version: int, keys: tuple[Extent, ...]) -> Affected | None:
        try:
            return folding.affected(self.logs, name, version, keys)
        except (Py4JError, PySparkException):
            return None

    def properties(self, name: Name) -> dict[str, str] | None:
        return delta_log.properties(self.logs, name)

    def current_catalog(self) -> str:
        return str(self.session.catalog.currentCatalog())

    def setup(self) -> str:
        settings = self.session._jsparkSession.sessionState().conf().settings()
        return f"{settings.size()} settings, {settings.hashCode()}"  # to be told all of them takes much longer

    def set(self, settings: Mapping[str, str]) -> None:
        for key, value in settings.items():
            self.session.conf.set(key, value)

    def setting(self, key: str) -> str:
        try:
            return str(self.session.conf.get(key))
        except PySparkException:  # no such setting
            return ""
        except Py4JError as problem:
            raise EngineError(readable(str(problem))) from problem

    @contextmanager
    def having_set(self, settings: Mapping[str, str]) -> Iterator[None]:
        """Unlike RESET, this gives back what the connection itself was opened with."""
        conf = self.session.conf
        before = {key: conf.get(key, None) for key in settings}
        try:
            for key, value in settings.items():
                conf.set(key, value)
            yield
        except BaseException:
            with suppress(Py4JError):  # Spark is gone, and its settings with it
                _give_back(conf, before)
            raise
        _give_back(conf, before)

    def keep(self, name: str, query: str) -> None:
        """A plan of kept rows is as short as that of a table, whatever they were computed from."""
        logger.debug(f"Kept as {name}: {query}")
        try:
            with read_from_files(self.logs, query) as shorter:
                self.session.sql(shorter).localCheckpoint().createOrReplaceTempView(name)
        except (PySparkException, Py4JError) as problem:
            raise EngineError(readable(str(problem))) from problem


def _give_back(conf: Any, before: Mapping[str, str | None]) -> None:
    for key, earlier in before.items():
        conf.unset(key) if earlier is None else conf.set(key, earlier)
