"""
Delta's own log, asked inside the process: what DESCRIBE DETAIL and DESCRIBE HISTORY tell, without the jobs they run to
count a table's files and to read its commits.
"""

import json
from collections.abc import Iterator
from datetime import datetime, timezone
from itertools import pairwise
from typing import Any

from py4j.java_gateway import JavaClass
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dbt_lazyview.compiler.catalog import Name

SESSION_CATALOG = "spark_catalog"
MOST_COMMITS = 100  # more are read faster by a job


def detail(session: SparkSession, name: Name) -> dict[str, Any] | None:
    """A row like that of DESCRIBE DETAIL; None where only the statement itself can tell."""
    try:
        found = _log_and_snapshot(session, name)
        return _detail(*found) if found else None
    except (Py4JError, PySparkException):
        return None


def history(session: SparkSession, name: Name, limit: int) -> list[dict[str, Any]] | None:
    """Rows like those of DESCRIBE HISTORY, newest first; None where only the statement itself can tell."""
    try:
        found = _log_and_snapshot(session, name) if limit <= MOST_COMMITS else None
        return _history(session, *found, limit) if found else None
    except (Py4JError, PySparkException):
        return None


def _log_and_snapshot(session: SparkSession, name: Name) -> tuple[Any, Any] | None:
    if len(name) != 3 or name[0] != SESSION_CATALOG:
        return None
    spark, option = session._jsparkSession, _java_class(session, "scala.Option").apply
    as_identifier = _java_class(session, "org.apache.spark.sql.catalyst.TableIdentifier")
    identifier = as_identifier(name[2], option(name[1]), option(name[0]))
    if not spark.sessionState().catalog().tableExists(identifier):
        return None
    found = _java_class(session, "org.apache.spark.sql.delta.DeltaLog").forTableWithSnapshot(spark, identifier)
    log, snapshot = found._1(), found._2()
    return (log, snapshot) if snapshot.version() >= 0 else None


def _java_class(session: SparkSession, name: str) -> Any:
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
    names = _java_class(session, "org.apache.spark.sql.delta.util.FileNames")
    conf, store = log.newDeltaHadoopConf(), log.store()
    files = store.listFrom(names.unsafeDeltaFile(log.logPath(), oldest), conf)
    while files.hasNext():
        file = files.next()
        path = file.getPath()
        number, _, kind = path.getName().partition(".")
        if kind == "json" and number.isdigit() and int(number) <= newest:
            info = _commit_info(store.readAsIterator(path, conf))
            time = info.get("inCommitTimestamp") or file.getModificationTime()
            yield {**info, "version": int(number), "timestamp": time}


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
