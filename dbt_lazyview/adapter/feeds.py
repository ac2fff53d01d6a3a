"""
Change feeds that a statement reads, from the files that the commits of their windows left behind. To Spark, Delta's
function is a source of rows that it knows nothing of: a query of its own, planned and run inside the other one, whose
rows are handed over one by one. Files are read as any table's are.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql
from sqlglot.tokens import Token, TokenType

from dbt_lazyview.adapter.commit_files import (
    ADDED,
    CHANGES,
    INFO,
    PROTOCOL,
    REMOVED,
    TABLE,
    Action,
    NotTold,
    commits,
    of_files,
    of_kind,
)
from dbt_lazyview.adapter.contents import PADDED
from dbt_lazyview.adapter.delta_log import MOST_COMMITS, fields
from dbt_lazyview.adapter.logs import Logs, active, java_class
from dbt_lazyview.adapter.transaction import CHANGE_TYPE
from dbt_lazyview.compiler.dialect import DIALECT
from dbt_lazyview.maintenance.history import CHANGE_FEED

FEED = "table_changes_by_path"
VIEW = "lazyview_feed_"  # and a number: temporary views
MOST_FILES = 200  # each is a few calls
_OTHER_COLUMNS = ("_commit_version", "_commit_timestamp")  # of a feed; none of a file's
_CALL = [
    TokenType.VAR, TokenType.L_PAREN, TokenType.STRING, TokenType.COMMA, TokenType.NUMBER, TokenType.COMMA,
    TokenType.NUMBER, TokenType.R_PAREN,
]  # fmt: skip
_OF_TABLE = ("SET TBLPROPERTIES", "UNSET TBLPROPERTIES")  # operations that leave columns as they are
_DELTA = "org.apache.spark.sql.delta"


@dataclass(frozen=True)
class Call:
    """A place in a statement that reads the feed of two versions, and of all between them."""

    location: str
    oldest: int
    newest: int
    start: int
    end: int

    @property
    def rows(self) -> tuple[str, int, int]:
        """What is read, wherever."""
        return self.location, self.oldest, self.newest


@contextmanager
def feeds_replaced(logs: Logs, statement: str) -> Iterator[str]:
    """The statement, with temporary views of files instead of feeds, where these are all that a feed would show."""
    calls = calls_of(statement)
    known = {rows: found for rows in dict.fromkeys(call.rows for call in calls) if (found := _rows(logs, *rows))}
    views = {rows: f"{VIEW}{number}" for number, rows in enumerate(known)}
    try:
        for rows, view in views.items():
            known[rows].createOrReplaceTempView(view)
        for call in reversed([each for each in calls if each.rows in views]):
            statement = f"{statement[: call.start]}{views[call.rows]}{statement[call.end :]}"
        yield statement
    finally:
        for view in views.values():
            logs.session.catalog.dropTempView(view)


def calls_of(statement: str) -> list[Call]:
    """
    Where a statement reads feeds, outside of texts and comments.

    Example:
        >>> calls_of("select a from table_changes_by_path('/lake/t', 3, 5)")
        [Call(location='/lake/t', oldest=3, newest=5, start=14, end=52)]
        >>> calls_of("select '-- table_changes_by_path(''/lake/t'', 3, 5)'")
        []
        >>> calls_of("select _commit_version from table_changes_by_path('/lake/t', 3, 5)")
        []
    """
    lowered = statement.lower()
    if FEED not in lowered or any(each in lowered for each in _OTHER_COLUMNS):
        return []
    tokens = list(DIALECT.tokenize(statement))
    found = (tokens[at : at + len(_CALL)] for at in range(len(tokens) - len(_CALL) + 1))
    return [_call(each) for each in found if _is_call(each)]


def _is_call(tokens: list[Token]) -> bool:
    return tokens[0].text.lower() == FEED and [each.token_type for each in tokens] == _CALL


def _call(tokens: list[Token]) -> Call:
    location, oldest, newest = (tokens[at].text for at in (2, 4, 6))
    return Call(location, int(oldest), int(newest), tokens[0].start, tokens[-1].end + 1)


def _rows(logs: Logs, location: str, oldest: int, newest: int) -> DataFrame | None:
    """The rows of a feed that ends with the newest version; None where only Delta can tell."""
    try:
        table = logs.at(location) if newest - oldest < MOST_COMMITS else None
        return _Feed(logs, *table).rows(oldest, newest) if table and table[1].version() == newest else None
    except (Py4JError, PySparkException, NotTold):
        return None


class _Feed:
    """The feed of a table up to its newest version."""

    def __init__(self, logs: Logs, log: Any, snapshot: Any) -> None:
        self._logs, self._log, self._snapshot = logs, log, snapshot
        self._schema = snapshot.metadata().schemaString()
        self._partitions = json.loads(snapshot.metadata().json())["metaData"]["partitionColumns"]

    def rows(self, oldest: int, newest: int) -> DataFrame | None:
        found = commits(self._logs, self._log, oldest, newest)
        if PADDED in self._schema or not all(map(self._is_plain, found)):
            return None
        without_changes = [each for each in found if not of_files(each, CHANGES)]
        changes = [{CHANGES: file} for each in found for file in of_files(each, CHANGES)]
        added = [{ADDED: file} for each in without_changes for file in of_files(each, ADDED)]
        removed = [{ADDED: _as_added(file)} for each in without_changes for file in of_files(each, REMOVED)]
        if len(added) + len(removed) + len(changes) > MOST_FILES:
            return None
        with active(self._logs.session):
            parts = [self._of_table(removed, "delete")] if removed else []
            parts += [self._of_changes(changes)] if changes else []
            parts += [self._of_table(added, "insert")] if added or not parts else []
            return reduce(DataFrame.union, parts)

    def _is_plain(self, actions: list[Action]) -> bool:
        """Whether its files tell all that a commit did to rows, in the columns that the table has now."""
        operation = next((each.get("operation") for each in of_kind(actions, INFO)), None)
        tables = of_kind(actions, TABLE)
        keeps_columns = not tables or (operation in _OF_TABLE and all(map(self._is_same, tables)))
        if of_kind(actions, PROTOCOL) or not keeps_columns:
            return False
        if of_files(actions, CHANGES):
            return True  # they are all that the commit did
        added, removed = of_files(actions, ADDED), of_files(actions, REMOVED)
        if removed and operation in (None, "MERGE"):
            return False  # Delta passes over files that a MERGE wrote anew for nothing
        has_marks = any(each.get("deletionVector") for each in (*added, *removed))
        return not has_marks and all(each.get("extendedFileMetadata") for each in removed)

    def _is_same(self, table: dict[str, Any]) -> bool:
        is_fed = table["configuration"].get(CHANGE_FEED) == "true"
        return is_fed and (table["schemaString"], table["partitionColumns"]) == (self._schema, self._partitions)

    def _of_table(self, files: Sequence[Action], change: str) -> DataFrame:
        """Rows of files that belong to the table, or did."""
        nothing = java_class(self._logs.session, "scala.Option").empty()
        found = self._log.createDataFrame(self._snapshot, self._as_scala(files), False, nothing)
        return DataFrame(found, self._logs.session).withColumn(CHANGE_TYPE, sql.lit(change))

    def _of_changes(self, files: Sequence[Action]) -> DataFrame:
        """Rows of files that tell themselves how they changed."""
        session, nothing = self._logs.session, java_class(self._logs.session, "scala.Option").empty()
        spec = java_class(session, f"{_DELTA}.commands.cdc.CDCReader$CDCDataSpec")
        moment = java_class(session, "java.sql.Timestamp")(0)
        specs = self._as_scala([]).appended(spec(self._snapshot.version(), moment, self._as_scala(files), nothing))
        index = java_class(session, f"{_DELTA}.files.TahoeChangeFileIndex")(
            session._jsparkSession, specs, self._log, self._log.dataPath(), self._snapshot
        )
        reader = java_class(session, f"{_DELTA}.commands.cdc.CDCReader$").__getattr__("MODULE$")
        rows = DataFrame(reader.scanIndex(session._jsparkSession, index, False), session)
        names = [*(each["name"].replace("`", "``") for each in fields(self._snapshot)), CHANGE_TYPE]
        return rows.select([f"`{name}`" for name in names])

    def _as_scala(self, actions: Sequence[Action]) -> Any:
        """A sequence of actions, as Delta has it."""
        parser = java_class(self._logs.session, f"{_DELTA}.actions.Action")
        found = java_class(self._logs.session, "scala.collection.immutable.Nil$").__getattr__("MODULE$")
        for each in actions:
            found = found.appended(parser.fromJson(json.dumps(each)))
        return found


def _as_added(removed: dict[str, Any]) -> dict[str, Any]:
    """A file that went, as it was when it was there."""
    kept = {name: removed[name] for name in ("path", "partitionValues", "size")}
    return {**kept, "modificationTime": removed.get("deletionTimestamp", 0), "dataChange": True}
