"""What writers told of the files they added to Delta tables, read from the log inside the process."""

import json
from collections.abc import Sequence
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame, SparkSession, functions

from dbt_lazyview.adapter.delta_log import MOST_COMMITS, fields
from dbt_lazyview.adapter.logs import CommitFile, Logs
from dbt_lazyview.compiler.catalog import Name

ENDS = ("minValues", "maxValues")
PHYSICAL_NAME = "delta.columnMapping.physicalName"
MOST_BYTES = 4 * 2**20  # of a commit that is read for its statistics


def statistics(logs: Logs, name: Name, after: int, upto: int) -> list[dict[str, Any]] | None:
    """
    The statistics, numbers as texts, of the files that the commits (after, upto] added, but for those that only hold
    what was there before; None where commits are too many or too large to be read for that, or not there any more.
    """
    try:
        found = logs.look_again(name) if upto - after <= MOST_COMMITS else None
        return _statistics(logs, *found, after + 1, upto) if found else None
    except (Py4JError, PySparkException, _NotTold):
        return None


def extents(logs: Logs, name: Name, version: int, columns: Sequence[str]) -> dict[str, tuple[str, str]]:
    """The least and the greatest value, as texts, of columns in all files of a table: a job over its log."""
    try:
        found = logs.look_again(name)
        return _extents(logs.session, found[1], columns) if found and found[1].version() == version else {}
    except (Py4JError, PySparkException):
        return {}


class _NotTold(Exception):
    """Not everything that was committed can be read."""


def _statistics(logs: Logs, log: Any, snapshot: Any, oldest: int, newest: int) -> list[dict[str, Any]]:
    names, told = _names_in_files(snapshot), []
    commits = logs.commit_files(log, oldest, newest)
    if [each.version for each in commits] != list(range(oldest, newest + 1)):
        raise _NotTold
    configuration = log.newDeltaHadoopConf()
    for file in commits:
        told += [_by_name(each, names) for each in _statistics_in(log, file, configuration)]
    return told


def _statistics_in(log: Any, file: CommitFile, configuration: Any) -> list[dict[str, Any]]:
    """Of every file that a commit added."""
    if file.size > MOST_BYTES:
        raise _NotTold
    lines = log.store().read(file.path, configuration).mkString("\n").split("\n")  # and at no other end of line
    added = [json.loads(line)["add"] for line in lines if line.startswith('{"add"')]
    texts = [each.get("stats") or "{}" for each in added if each["dataChange"]]
    return [dict(json.loads(each, parse_int=str, parse_float=str)) for each in texts]


def _names_in_files(snapshot: Any) -> dict[str, str]:
    """The names of columns by the names that they have in files: others, where columns were renamed."""
    return {each["metadata"].get(PHYSICAL_NAME, each["name"]): each["name"] for each in fields(snapshot)}


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
