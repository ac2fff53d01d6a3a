"""The logs of Delta tables in the JVM of this process, found by the names of the tables."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from py4j.java_gateway import JavaClass
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dbt_lazyview.compiler.catalog import Name

SESSION_CATALOG = "spark_catalog"
_FILE = re.compile(r"path=(.*/\d+\.json); .*?\blength=(\d+); .*?\bmodification_time=(\d+);")
_KEPT_ELSEWHERE = re.compile("coordinated|catalog", re.IGNORECASE)  # features of tables whose commits may be


class Logs:
    """
    Looks tables up for one connection. The metastore is slow, and is asked once for a look at a table; who wants to
    know more of the same table afterwards asks its log, which tells what is committed by then.
    """

    def __init__(self, session: SparkSession) -> None:
        self.session = session
        self._known: dict[Name, Any] = {}
        self._identifiers: dict[Name, Any] = {}
        self._file_systems: dict[str, Any] = {}  # by folder

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

    def at(self, location: str) -> tuple[Any, Any] | None:
        """The same of a table by its place."""
        logs = java_class(self.session, "org.apache.spark.sql.delta.DeltaLog")
        return self._told_now(logs.forTable(self.session._jsparkSession, location))

    def _told_now(self, log: Any) -> tuple[Any, Any] | None:
        snapshot = log.unsafeVolatileSnapshot()
        if not self._is_newest(log, snapshot):
            snapshot = log.update(False, self._nothing, self._nothing)
        return (log, snapshot) if snapshot.version() >= 0 else None

    def _is_newest(self, log: Any, snapshot: Any) -> bool:
        """
        Whether a log ends with the commit that a snapshot ends with. Commits are numbered without gaps: the next one
        is there or it is not. Delta itself lists the log to see that; many file systems list all of it, years perhaps.
        """
        version = snapshot.version()
        if version < 0 or _KEPT_ELSEWHERE.search(snapshot.protocol().json()):
            return False
        if self.commit_file(log, version + 1):
            return False
        newest = self.commit_file(log, version)
        return newest is not None and newest.modified == snapshot.logSegment().lastCommitFileModificationTimestamp()

    def commit_files(self, log: Any, oldest: int, newest: int) -> list["CommitFile"]:
        """The files of commits, oldest first; without those that are not there any more, and all before them."""
        return list(self._backwards(log, oldest, newest))[::-1]

    def _backwards(self, log: Any, oldest: int, newest: int) -> Iterator["CommitFile"]:
        for version in range(newest, oldest - 1, -1):
            file = self.commit_file(log, version)
            if file is None:
                return
            yield file

    def commit_file(self, log: Any, version: int) -> "CommitFile | None":
        """The file of a commit, if there is one."""
        path = self._file_names.unsafeDeltaFile(log.logPath(), version)
        files = self._file_system(log, path)
        if not files.exists(path):
            return None
        found = _FILE.search(files.getFileStatus(path).toString())  # one call, not one for each of its parts
        return CommitFile(version, int(found[3]), int(found[2]), found[1], path) if found else None

    def _file_system(self, log: Any, path: Any) -> Any:
        """Where a path leads; the configuration that has to be asked for it is large, and a new one each time."""
        where = path.getParent().toString()
        if where not in self._file_systems:
            self._file_systems[where] = path.getFileSystem(log.newDeltaHadoopConf())
        return self._file_systems[where]

    @cached_property
    def _file_names(self) -> Any:
        return java_class(self.session, "org.apache.spark.sql.delta.util.FileNames")


@dataclass(frozen=True)
class CommitFile:
    """The file of one commit."""

    version: int
    modified: int
    size: int
    name: str
    path: Any  # as Hadoop has it

    @property
    def key(self) -> tuple[str, int, int]:
        """What no other commit has, not even one of a table that is created again in the same place."""
        return (self.name, self.modified, self.size)


def java_class(session: SparkSession, name: str) -> Any:
    """A class by its full name; looked up part by part (`session._jvm.org…`), every part is searched in every jar."""
    return JavaClass(name, session.sparkContext._gateway._gateway_client)


@contextmanager
def active(session: SparkSession) -> Iterator[None]:
    """Spark's parser, its writer and Delta ask the active session for its settings; it is one per thread."""
    sessions = java_class(session, "org.apache.spark.sql.classic.SparkSession")
    before = sessions.getActiveSession()
    sessions.setActiveSession(session._jsparkSession)
    try:
        yield
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()
