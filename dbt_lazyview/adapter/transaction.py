"""Rows written to a table in a transaction of our own, from what is known of its contents: one job."""

import time
from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame, Observation, SparkSession, functions

from dbt_lazyview.adapter.contents import Contents, elements
from dbt_lazyview.adapter.logs import java_class
from dbt_lazyview.names import SETTING_TRANSACTION_APP, SETTING_TRANSACTION_VERSION

CHANGE_TYPE = "_change_type"  # where it is not NULL, a row goes into the change feed instead of the table
# How the history counts what a merge did, and which rows of a change feed tell.
_COUNTED = {
    "numTargetRowsInserted": "insert",
    "numTargetRowsUpdated": "update_postimage",
    "numTargetRowsDeleted": "delete",
}
_SOURCE_ROWS = "operationNumSourceRows"  # without it, Delta does not take a commit for a merge
_DELTA = "org.apache.spark.sql.delta"
_METRICS = "org.apache.spark.sql.execution.metric.SQLMetrics"


class Transaction:
    """One commit on top of the contents of a table that are known, with the transaction number that settings name."""

    def __init__(self, session: SparkSession, known: Contents) -> None:
        self._session, self._known = session, known
        self._option = java_class(session, "scala.Option")

    def overwrite(self, rows: DataFrame) -> None:
        """Commit the rows instead of all that are there, as `INSERT OVERWRITE` would."""
        self._commit(rows, self._known.files, self._as_write("Overwrite"))

    def append(self, rows: DataFrame) -> None:
        """Add the rows, as `INSERT INTO` would."""
        self._commit(rows, self._known.files.take(0), self._as_write("Append"))

    def rewrite(self, files: Any, rows: DataFrame) -> None:
        """
        Commit the rows instead of those of some files, and to the change feed those that say how they changed: as a
        MERGE would that has to do with rows of these files only.
        """
        self._commit(rows, files, self._as_merge(), counted=True)

    def _commit(self, rows: DataFrame, gone: Any, operation: Any, counted: bool = False) -> None:
        """
        Not at all where the transaction was seen before, and with an error where somebody else commits meanwhile.
        """
        app = self._session.conf.get(SETTING_TRANSACTION_APP, None)
        number = self._session.conf.get(SETTING_TRANSACTION_VERSION, None)
        if app is not None and number is not None and self._known.has_seen(app, int(number)):
            return
        transaction = self._known.log.startTransaction(self._option.empty(), self._option.apply(self._known.snapshot))
        transaction.readWholeTable()
        now = round(time.time() * 1000)
        actions = self._written_and_counted(transaction, rows) if counted else transaction.writeFiles(rows._jdf)
        for file in elements(gone):
            actions = actions.appended(file.removeWithTimestamp(now, True))
        if app is not None and number is not None:
            transaction.readTxn().append(app)
            as_action = java_class(self._session, f"{_DELTA}.actions.SetTransaction")
            actions = actions.appended(as_action(app, int(number), self._option.apply(now)))
        transaction.commit(actions, operation)

    def _written_and_counted(self, transaction: Any, rows: DataFrame) -> Any:
        """The files that were written; what the change feed tells of, in the history as a merge has it."""
        seen = Observation()
        kinds = functions.col(CHANGE_TYPE)
        counts = [functions.count_if(kinds == kind).alias(name) for name, kind in _COUNTED.items()]
        files = transaction.writeFiles(rows.observe(seen, *counts)._jdf)
        transaction.registerSQLMetrics(self._session._jsparkSession, self._metrics(seen.get))
        return files

    def _metrics(self, counts: Mapping[str, int]) -> Any:
        """Numbers as Delta wants them, for the history."""
        metrics = java_class(self._session, _METRICS)
        found = java_class(self._session, "scala.collection.immutable.Map$").__getattr__("MODULE$").empty()
        for name, count in {**counts, _SOURCE_ROWS: sum(counts.values())}.items():
            metric = metrics.createMetric(self._session._jsc.sc(), name)
            metric.set(count)
            found = found.updated(name, metric)
        return found

    def _as_write(self, mode: str) -> Any:
        """What the history calls it."""
        modes = java_class(self._session, "org.apache.spark.sql.SaveMode")
        as_write = java_class(self._session, f"{_DELTA}.DeltaOperations$Write")
        return as_write(getattr(modes, mode), *[self._option.empty()] * 8)

    def _as_merge(self) -> Any:
        as_merge = java_class(self._session, f"{_DELTA}.DeltaOperations$Merge")
        nothing = self._known.files.take(0)
        return as_merge(*[self._option.empty()] * 4, nothing, nothing, nothing)
