"""What is told of the files of Delta tables, by their writers in the log and by footers: read inside the process."""

import json
from collections.abc import Sequence
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame, SparkSession, functions

from dbt_lazyview.adapter.commit_files import ADDED, CHANGES, REMOVED, Action, NotTold, commits, of_files
from dbt_lazyview.adapter.delta_log import MOST_COMMITS, names_in_files
from dbt_lazyview.adapter.footers import Footers
from dbt_lazyview.adapter.logs import Logs
from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.statistics import Ends, ends_in, outermost

ENDS = ("minValues", "maxValues")
MOST_FOOTERS = 16  # some milliseconds each

Told = list[dict[str, Any]]  # of each file: the least and the greatest values by column, as texts


def statistics(logs: Logs, name: Name, after: int, upto: int) -> Told | None:
    """
    The statistics, numbers as texts, of the files that the commits (after, upto] added, but for those that only hold
    what was there before; None where commits are too many or too large to be read for that, or not there any more.
    """
    try:
        found = logs.look_again(name) if upto - after <= MOST_COMMITS else None
        return _statistics(found[1], commits(logs, found[0], after + 1, upto)) if found else None
    except (Py4JError, PySparkException, NotTold):
        return None


def ends_of_changes(logs: Logs, name: Name, after: int, upto: int, column: str) -> Ends | None:
    """
    Between which values a column lies in all rows that came and went: in the files that hold the changes of a commit,
    or where there are none in those that it added and removed. None where these are too many, or do not tell.
    """
    try:
        found = logs.look_again(name) if upto - after <= MOST_COMMITS else None
        return _ends_of_changes(logs, *found, (after + 1, upto), column) if found else None
    except (Py4JError, PySparkException, NotTold):
        return None


def extents(logs: Logs, name: Name, version: int, columns: Sequence[str]) -> dict[str, tuple[str, str]]:
    """The least and the greatest value, as texts, of columns in all files of a table: a job over its log."""
    try:
        found = logs.look_again(name)
        return _extents(logs.session, found[1], columns) if found and found[1].version() == version else {}
    except (Py4JError, PySparkException):
        return {}


def _statistics(snapshot: Any, found: list[list[Action]]) -> Told:
    names = names_in_files(snapshot)
    return [_by_name(_told_by_writer(each), names) for actions in found for each in of_files(actions, ADDED)]


def _told_by_writer(file: dict[str, Any]) -> dict[str, Any]:
    return dict(json.loads(file.get("stats") or "{}", parse_int=str, parse_float=str))


def _ends_of_changes(logs: Logs, log: Any, snapshot: Any, versions: tuple[int, int], column: str) -> Ends | None:
    names, told, read = names_in_files(snapshot), Told(), list[str]()
    for actions in commits(logs, log, *versions):
        changes = of_files(actions, CHANGES)
        read += [each["path"] for each in changes or of_files(actions, REMOVED)]
        told += [] if changes else [_by_name(_told_by_writer(each), names) for each in of_files(actions, ADDED)]
    if len(read) > MOST_FOOTERS:
        raise NotTold
    in_files = next((own for own, name in names.items() if name == column), column)
    footers = Footers(logs.session, log)
    return outermost([
        *(ends_in(each, column) for each in told),
        *(ends for path in read for ends in footers.ends(path, in_files)),
    ])  # fmt: skip


def _by_name(statistics: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    return {
        kind: {names[column]: value for column, value in statistics.get(kind, {}).items() if column in names}
        for kind in ENDS
    }


def _extents(session: SparkSession, snapshot: Any, columns: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Of columns for which all files tell."""
    files = DataFrame(snapshot.withStats(), session)
    in_files = {name: own for own, name in names_in_files(snapshot).items()}
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
