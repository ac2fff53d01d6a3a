"""
Delta's own log, asked inside the process: what DESCRIBE DETAIL and DESCRIBE HISTORY tell, without the jobs they run to
count a table's files and to read its commits.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from itertools import pairwise
from typing import Any

from py4j.java_gateway import JavaClass
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame, SparkSession, functions

from dbt_lazyview.compiler.catalog import DELTA, Column, Name, Table

ENDS = ("minValues", "maxValues")
PHYSICAL_NAME = "delta.columnMapping.physicalName"
SESSION_CATALOG = "spark_catalog"
# As Delta and as Spark calls them.
_TYPES = {"integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint"}
_SAME_TYPES = ("string", "boolean", "float", "double", "date", "timestamp", "timestamp_ntz", "binary")
MOST_COMMITS = 100  # more are read faster by a job
MOST_BYTES = 4 * 2**20  # of a commit that is read for its statistics


def detail(session: SparkSession, name: Name) -> dict[str, Any] | None:
    """A row like that of DESCRIBE DETAIL; None where only the statement itself can tell."""
    try:
        found = log_and_snapshot(session, name)
        return _detail(*found) if found else None
    except (Py4JError, PySparkException):
        return None


def history(session: SparkSession, name: Name, limit: int) -> list[dict[str, Any]] | None:
    """Rows like those of DESCRIBE HISTORY, newest first; None where only the statement itself can tell."""
    try:
        found = log_and_snapshot(session, name) if limit <= MOST_COMMITS else None
        return _history(session, *found, limit) if found else None
    except (Py4JError, PySparkException):
        return None


def table(session: SparkSession, name: Name) -> Table | None:
    """A table as DESCRIBE TABLE tells of it; None where only the statement itself can tell."""
    try:
        full = _in_session_catalog(session, name)
        found = log_and_snapshot(session, full) if full else None
        return _table(full, found[1]) if full and found else None
    except (Py4JError, PySparkException):
        return None


def _in_session_catalog(session: SparkSession, name: Name) -> Name | None:
    """The full name of a Delta table of the session's own catalog; None where it may mean something else."""
    state = session._jsparkSession.sessionState()
    catalog, catalogs, database = state.catalog(), state.catalogManager(), name[-2] if len(name) > 1 else None
    if len(name) < 3 and catalogs.currentCatalog().name() != SESSION_CATALOG:
        return None
    if len(name) == 2 and catalogs.isCatalogRegistered(name[0]):
        return None
    full = (SESSION_CATALOG, database or catalog.getCurrentDatabase(), name[-1])
    identifier = _identifier(session, full)
    if (len(name) == 1 and catalog.getTempView(name[0]).isDefined()) or not catalog.tableExists(identifier):
        return None
    provider = catalog.getTableMetadata(identifier).provider()
    return full if provider.isDefined() and provider.get().lower() == DELTA else None


def _table(name: Name, snapshot: Any) -> Table | None:
    fields = _fields(snapshot)
    columns = tuple(Column(each["name"], _TYPES.get(each["type"], each["type"])) for each in fields if _is_simple(each))
    return Table(name, columns) if len(columns) == len(fields) > 0 else None


def _fields(snapshot: Any) -> list[dict[str, Any]]:
    """The columns of a table, as its metadata describe them."""
    return list(json.loads(snapshot.metadata().schemaString())["fields"])


def _is_simple(field: dict[str, Any]) -> bool:
    """Whether a column is of a type that is told by its name alone."""
    kind = field["type"]
    is_known = isinstance(kind, str) and (kind in _TYPES or kind in _SAME_TYPES or kind.startswith("decimal("))
    return is_known and not any(each.startswith("__") for each in field["metadata"])


def statistics(session: SparkSession, name: Name, after: int, upto: int) -> list[dict[str, Any]] | None:
    """
    The statistics, numbers as texts, of the files that the commits (after, upto] added, but for those that only hold
    what was there before; None where commits are too many or too large to be read for that, or not there any more.
    """
    try:
        found = log_and_snapshot(session, name) if upto - after <= MOST_COMMITS else None
        return _statistics(session, *found, after + 1, upto) if found else None
    except (Py4JError, PySparkException, _NotTold):
        return None


def extents(session: SparkSession, name: Name, version: int, columns: Sequence[str]) -> dict[str, tuple[str, str]]:
    """The least and the greatest value, as texts, of columns in all files of a table: a job over its log."""
    try:
        found = log_and_snapshot(session, name)
        return _extents(session, found[1], columns) if found and found[1].version() == version else {}
    except (Py4JError, PySparkException):
        return {}


class _NotTold(Exception):
    """Not everything that was committed can be read."""


def _statistics(session: SparkSession, log: Any, snapshot: Any, oldest: int, newest: int) -> list[dict[str, Any]]:
    names, told = _names_in_files(snapshot), []
    commits = dict(_commit_files(session, log, oldest, newest))
    if list(commits) != list(range(oldest, newest + 1)):
        raise _NotTold
    configuration = log.newDeltaHadoopConf()
    for file in commits.values():
        told += [_by_name(each, names) for each in _statistics_in(log, file, configuration)]
    return told


def _statistics_in(log: Any, file: Any, configuration: Any) -> list[dict[str, Any]]:
    """Of every file that a commit added."""
    if file.getLen() > MOST_BYTES:
        raise _NotTold
    lines = log.store().read(file.getPath(), configuration).mkString("\n").split("\n")  # and at no other end of line
    added = [json.loads(line)["add"] for line in lines if line.startswith('{"add"')]
    texts = [each.get("stats") or "{}" for each in added if each["dataChange"]]
    return [dict(json.loads(each, parse_int=str, parse_float=str)) for each in texts]


def _names_in_files(snapshot: Any) -> dict[str, str]:
    """The names of columns by the names that they have in files: others, where columns were renamed."""
    return {each["metadata"].get(PHYSICAL_NAME, each["name"]): each["name"] for each in _fields(snapshot)}


def _by_name(statistics: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    return {
        kind: {names[column]: value for column, value in statistics.get(kind, {}).items() if column in names}
        for kind in ENDS
    }


def _extents(session: SparkSession, snapshot: Any, columns: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Of columns for which all files tell."""
    files = DataFrame(snapshot.withStats(), session)
    in_files = {name: own for own, name in _names_in_files(snapshot).items()}
    told = set(files.select("stats.minValues.*").columns)
    known = {each: number for number, each in enumerate(columns) if in_files.get(each) in told}
    if not known:
        return {}
    row = files.agg(*(each for name, number in known.items() for each in _ends(in_files[name], number))).collect()[0]
    return {
        name: (row[f"low_{number}"], row[f"high_{number}"])
        for name, number in known.items()
        if row[f"untold_{number}"] == 0 and row[f"low_{number}"] is not None
    }


def _ends(column: str, number: int) -> list[Expression]:
    low, high = (functions.col(f"stats.{kind}.`{column}`") for kind in ENDS)
    return [
        functions.min(low).cast("string").alias(f"low_{number}"),
        functions.max(high).cast("string").alias(f"high_{number}"),
        functions.count_if(low.isNull() | high.isNull()).alias(f"untold_{number}"),
    ]


def log_and_snapshot(session: SparkSession, name: Name) -> tuple[Any, Any] | None:
    if len(name) != 3 or name[0] != SESSION_CATALOG:
        return None
    spark, identifier = session._jsparkSession, _identifier(session, name)
    if not spark.sessionState().catalog().tableExists(identifier):
        return None
    found = java_class(session, "org.apache.spark.sql.delta.DeltaLog").forTableWithSnapshot(spark, identifier)
    log, snapshot = found._1(), found._2()
    return (log, snapshot) if snapshot.version() >= 0 else None


def _identifier(session: SparkSession, name: Name) -> Any:
    option = java_class(session, "scala.Option").apply
    as_identifier = java_class(session, "org.apache.spark.sql.catalyst.TableIdentifier")
    return as_identifier(name[2], option(name[1]), option(name[0]))


def java_class(session: SparkSession, name: str) -> Any:
    """A class by its full name; looked up part by part (`session._jvm.org…`), every part is searched in every jar."""
    return JavaClass(name, session.sparkContext._gateway._gateway_client)


def _detail(log: Any, snapshot: Any) -> dict[str, Any] | None:
    sizes = snapshot.checksumOpt()
    if not sizes.isDefined():
        return None
    metadata = json.loads(snapshot.metadata().json())["metaData"]  # asked for one by one, every entry is a call
    return {
        "format": "delta",
        "id": metadata["id"],
        "lastModified": _moment(snapshot.timestamp()),
        "location": log.dataPath().toString(),
        "properties": metadata.get("configuration", {}),
        "partitionColumns": metadata.get("partitionColumns", []),
        "sizeInBytes": sizes.get().tableSizeBytes(),
        "numFiles": sizes.get().numFiles(),
    }


def _history(session: SparkSession, log: Any, snapshot: Any, limit: int) -> list[dict[str, Any]] | None:
    newest = snapshot.version()
    infos = list(_commit_infos(session, log, max(newest - limit + 1, 0), newest))
    if not infos or infos[-1]["version"] != newest:
        return None  # commits that are kept elsewhere
    _let_time_go_on(infos)
    return [_history_row(info) for info in reversed(infos)]


def _commit_infos(session: SparkSession, log: Any, oldest: int, newest: int) -> Iterator[dict[str, Any]]:
    """What commits say of themselves, oldest first, with version and time."""
    store, configuration = log.store(), log.newDeltaHadoopConf()
    for version, file in _commit_files(session, log, oldest, newest):
        info = _commit_info(store.readAsIterator(file.getPath(), configuration))
        time = info.get("inCommitTimestamp") or file.getModificationTime()
        yield {**info, "version": version, "timestamp": time}


def _commit_files(session: SparkSession, log: Any, oldest: int, newest: int) -> Iterator[tuple[int, Any]]:
    """The files of commits with their versions, oldest first."""
    names = java_class(session, "org.apache.spark.sql.delta.util.FileNames")
    files = log.store().listFrom(names.unsafeDeltaFile(log.logPath(), oldest), log.newDeltaHadoopConf())
    while files.hasNext():
        file = files.next()
        number, _, kind = file.getPath().getName().partition(".")
        if kind == "json" and number.isdigit() and int(number) <= newest:
            yield int(number), file


def _commit_info(lines: Any) -> dict[str, Any]:
    try:
        while lines.hasNext():
            line = lines.next()
            if line.startswith('{"commitInfo"'):
                return dict(json.loads(line)["commitInfo"])
    finally:
        lines.close()
    return {}


def _let_time_go_on(infos: list[dict[str, Any]]) -> None:
    """A commit is later than the one before it, as Delta has it, whatever the clocks of file systems say."""
    for before, after in pairwise(infos):
        after["timestamp"] = max(after["timestamp"], before["timestamp"] + 1)


def _history_row(info: dict[str, Any]) -> dict[str, Any]:
    parameters = info.get("operationParameters") or {}
    return {
        "version": info["version"],
        "timestamp": _moment(info["timestamp"]),
        "operation": info.get("operation", ""),
        "operationParameters": {key: _text(value) for key, value in parameters.items()},
        "operationMetrics": info.get("operationMetrics") or {},
        "userMetadata": info.get("userMetadata"),
    }


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _moment(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, tz=timezone.utc)
