"""The logs of Delta tables in the JVM of this process, found by the names of the tables."""

from functools import cached_property
from typing import Any

from py4j.java_gateway import JavaClass
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dbt_lazyview.compiler.catalog import Name

SESSION_CATALOG = "spark_catalog"


class Logs:
    """
    Looks tables up for one connection. The metastore is slow, and is asked once for a look at a table; who wants to
    know more of the same table afterwards asks its log, which tells what is committed by then.
    """

    def __init__(self, session: SparkSession) -> None:
        self.session = session
        self._known: dict[Name, Any] = {}
        self._identifiers: dict[Name, Any] = {}

    def look(self, name: Name) -> tuple[Any, Any] | None:
        """The log of a Delta table and what it tells now; None if there is no such table."""
        self._known.pop(name, None)
        entry = self.entry(name)
        return None if entry is None else self.read(name, entry)

    def look_again(self, name: Name) -> tuple[Any, Any] | None:
        """The same of a table that this connection has looked up before."""
        log = self._known.get(name)
        return self.look(name) if log is None else self._told_now(log)

    def entry(self, name: Name) -> Any | None:
        """What the session's own catalog says of a table or view; None if it has none of that name."""
        if len(name) != 3 or name[0] != SESSION_CATALOG:
            return None
        try:
            return self._catalog.getTableMetadata(self._identifier(name))
        except PySparkException:
            return None

    @cached_property
    def _catalog(self) -> Any:
        return self.session._jsparkSession.sessionState().catalog()

    @cached_property
    def _option(self) -> Any:
        return java_class(self.session, "scala.Option")

    @cached_property
    def _nothing(self) -> Any:
        return self._option.empty()

    def _identifier(self, name: Name) -> Any:
        if name not in self._identifiers:
            as_identifier = java_class(self.session, "org.apache.spark.sql.catalyst.TableIdentifier")
            self._identifiers[name] = as_identifier(name[2], self._option.apply(name[1]), self._option.apply(name[0]))
        return self._identifiers[name]

    def read(self, name: Name, entry: Any) -> tuple[Any, Any] | None:
        """The log of a table of which the catalog said so much, and what it tells now."""
        logs = java_class(self.session, "org.apache.spark.sql.delta.DeltaLog")
        self._known[name] = log = logs.forTable(self.session._jsparkSession, entry)
        return self._told_now(log)

    def _told_now(self, log: Any) -> tuple[Any, Any] | None:
        snapshot = log.update(False, self._nothing, self._nothing)
        return (log, snapshot) if snapshot.version() >= 0 else None


def java_class(session: SparkSession, name: str) -> Any:
    """A class by its full name; looked up part by part (`session._jvm.org…`), every part is searched in every jar."""
    return JavaClass(name, session.sparkContext._gateway._gateway_client)
