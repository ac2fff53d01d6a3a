"""
Delta's own log, asked inside the process: what DESCRIBE DETAIL and DESCRIBE HISTORY tell, without the jobs they run to
count a table's files and to read its commits.
"""

import json
from collections.abc import Iterator
from datetime import datetime, timezone
from functools import partial
from itertools import pairwise
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from dbt_lazyview.adapter.logs import SESSION_CATALOG, CommitFile, Logs, active, java_class
from dbt_lazyview.compiler.catalog import DELTA, Column, Name, Table
from dbt_lazyview.maintenance.remembering import Remembered

# As Delta and as Spark calls them.
_TYPES = {"integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint"}
_SAME_TYPES = ("string", "boolean", "float", "double", "date", "timestamp", "timestamp_ntz", "binary")
PHYSICAL_NAME = "delta.columnMapping.physicalName"
MOST_COMMITS = 100  # more are read faster by a job
FEW_FILES = 1_000
# For a few rows, generating code takes longer than it saves, and so does planning anew after each part of a query.
SETTINGS_FOR_A_SHORT_LOG = {"spark.sql.codegen.factoryMode": "NO_CODEGEN", "spark.sql.adaptive.enabled": "false"}
_INFOS: Remembered[dict[str, Any]] = Remembered()  # what commits said of themselves: they never say anything else


def detail(logs: Logs, name: Name) -> dict[str, Any] | None:
    """A row like that of DESCRIBE DETAIL; None where only the statement itself can tell."""
    try:
        found = logs.look(name)
        return _detail(*found) if found else None
    except (Py4JError, PySparkException):
        return None


def history(logs: Logs, name: Name, limit: int) -> list[dict[str, Any]] | None:
    """Rows like those of DESCRIBE HISTORY, newest first; None where only the statement itself can tell."""
    try:
        found = logs.look_again(name) if limit <= MOST_COMMITS else None
        return _history(logs, *found, limit) if found else None
    except (Py4JError, PySparkException):
        return None


def properties(logs: Logs, name: Name) -> dict[str, str] | None:
    """The properties of a table or view in the catalog; None where only SHOW TBLPROPERTIES can tell."""
    try:
        entry = logs.entry(name)
        mapper = java_class(logs.session, "org.apache.spark.sql.delta.util.JsonUtils").mapper()
        # one call, not one for each entry
        return None if entry is None else dict(json.loads(mapper.writeValueAsString(entry.properties())))
    except (Py4JError, PySparkException):
        return None


def table(logs: Logs, name: Name) -> Table | None:
    """A table as DESCRIBE TABLE tells of it; None where only the statement itself can tell."""
    try:
        full = _in_session_catalog(logs, name)
        entry = logs.entry(full) if full else None
        found = logs.read(full, entry) if full and entry is not None and _is_delta(entry) else None
        return _table(full, found[1]) if full and found else None
    except (Py4JError, PySparkException):
        return None


def find_transactions(logs: Logs, name: Name) -> None:
    """
    Let Delta find out which transactions a table has seen, by its whole log, where that is short: it asks for them
    before it commits one more, and remembers them.
    """
    try:
        found = logs.look_again(name)
        if found and _has_few_files(found[1]):
            with active(logs.session):
                found[1].computedState()
    except (Py4JError, PySparkException):
        return  # the commit will tell


def _has_few_files(snapshot: Any) -> bool:
    sizes = snapshot.checksumOpt()
    return bool(sizes.isDefined() and sizes.get().numFiles() <= FEW_FILES)


def _in_session_catalog(logs: Logs, name: Name) -> Name | None:
    """The full name of what may be a table of the session's own catalog; None where it means something else."""
    state = logs.session._jsparkSession.sessionState()
    catalog, catalogs, database = state.catalog(), state.catalogManager(), name[-2] if len(name) > 1 else None
    if len(name) < 3 and catalogs.currentCatalog().name() != SESSION_CATALOG:
        return None
    if len(name) == 2 and catalogs.isCatalogRegistered(name[0]):
        return None
    if len(name) == 1 and catalog.getTempView(name[0]).isDefined():
        return None
    return (SESSION_CATALOG, database or catalog.getCurrentDatabase(), name[-1])


def _is_delta(entry: Any) -> bool:
    provider = entry.provider()
    return bool(provider.isDefined() and provider.get().lower() == DELTA)


def _table(name: Name, snapshot: Any) -> Table | None:
    found = fields(snapshot)
    columns = tuple(Column(each["name"], _TYPES.get(each["type"], each["type"])) for each in found if _is_simple(each))
    return Table(name, columns) if len(columns) == len(found) > 0 else None


def fields(snapshot: Any) -> list[dict[str, Any]]:
    """The columns of a table, as its metadata describe them."""
    return list(json.loads(snapshot.metadata().schemaString())["fields"])


def names_in_files(snapshot: Any) -> dict[str, str]:
    """The names of columns by the names that they have in files: others, where columns were renamed."""
    return {each["metadata"].get(PHYSICAL_NAME, each["name"]): each["name"] for each in fields(snapshot)}


def _is_simple(field: dict[str, Any]) -> bool:
    """Whether a column is of a type that is told by its name alone."""
    kind = field["type"]
    is_known = isinstance(kind, str) and (kind in _TYPES or kind in _SAME_TYPES or kind.startswith("decimal("))
    return is_known and not any(each.startswith("__") for each in field["metadata"])


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


def _history(logs: Logs, log: Any, snapshot: Any, limit: int) -> list[dict[str, Any]] | None:
    newest = snapshot.version()
    infos = list(_commit_infos(logs, log, max(newest - limit + 1, 0), newest))
    if not infos or infos[-1]["version"] != newest:
        return None  # commits that are kept elsewhere
    _let_time_go_on(infos)
    return [_history_row(info) for info in reversed(infos)]


def _commit_infos(logs: Logs, log: Any, oldest: int, newest: int) -> Iterator[dict[str, Any]]:
    """What commits say of themselves, oldest first, with version and time."""
    store, configuration = log.store(), log.newDeltaHadoopConf()
    for each in logs.commit_files(log, oldest, newest):
        info = _INFOS.get(each.key, partial(_commit_info, store, each, configuration))
        yield {**info, "version": each.version, "timestamp": info.get("inCommitTimestamp") or each.modified}


def _commit_info(store: Any, file: CommitFile, configuration: Any) -> dict[str, Any]:
    lines = store.readAsIterator(file.path, configuration)
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
