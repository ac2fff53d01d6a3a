"""
An overwrite of a small table in a transaction of our own. The checksum of the table's newest version names its files
and the transactions that it has seen; Delta's commands find out both by jobs over the whole log, three of them for a
refresh, which take as long as all the rest of it.
"""

import time
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from dbt_lazyview.adapter.logs import java_class
from dbt_lazyview.names import SETTING_TRANSACTION_APP, SETTING_TRANSACTION_VERSION

_DELTA = "org.apache.spark.sql.delta"


@dataclass(frozen=True)
class Contents:
    """What a table consists of at its newest version, as its checksum tells."""

    log: Any
    snapshot: Any
    files: Any  # a sequence, as Scala has it
    transactions: Any

    def rows(self, session: SparkSession) -> DataFrame:
        """All rows of the table; nobody has to be asked for its files."""
        nothing = java_class(session, "scala.Option").empty()
        return DataFrame(self.log.createDataFrame(self.snapshot, self.files, False, nothing), session)

    def has_seen(self, app: str, number: int) -> bool:
        """Whether a transaction, or a later one of the same application, was committed."""
        seen = [each.version() for each in _elements(self.transactions) if each.appId() == app]
        return any(version >= number for version in seen)


def contents(log: Any, snapshot: Any) -> Contents | None:
    """What a table consists of; None where its checksum does not tell all of it, or where it is not plain rows."""
    if not snapshot.checksumOpt().isDefined():
        return None
    checksum = snapshot.checksumOpt().get()
    files, transactions = checksum.allFiles(), checksum.setTransactions()
    if not (files.isDefined() and transactions.isDefined()) or files.get().size() != checksum.numFiles():
        return None
    if any(each.deletionVector() is not None for each in _elements(files.get())):
        return None
    return Contents(log, snapshot, files.get(), transactions.get())


def overwrite(session: SparkSession, known: Contents, rows: DataFrame) -> None:
    """
    Commit the rows instead of all that are there, as `INSERT OVERWRITE` would: not at all where the transaction that
    the settings name was seen before, and with an error where somebody else commits meanwhile.
    """
    option = java_class(session, "scala.Option")
    app = session.conf.get(SETTING_TRANSACTION_APP, None)
    number = session.conf.get(SETTING_TRANSACTION_VERSION, None)
    if app is not None and number is not None and known.has_seen(app, int(number)):
        return
    transaction = known.log.startTransaction(option.empty(), option.apply(known.snapshot))
    transaction.readWholeTable()
    now = round(time.time() * 1000)
    actions = transaction.writeFiles(rows._jdf)
    for file in _elements(known.files):
        actions = actions.appended(file.removeWithTimestamp(now, True))
    if app is not None and number is not None:
        transaction.readTxn().append(app)
        as_action = java_class(session, f"{_DELTA}.actions.SetTransaction")
        actions = actions.appended(as_action(app, int(number), option.apply(now)))
    transaction.commit(actions, _as_write(session, option))


def _as_write(session: SparkSession, option: Any) -> Any:
    """What the history calls it."""
    mode = java_class(session, "org.apache.spark.sql.SaveMode").Overwrite
    return java_class(session, f"{_DELTA}.DeltaOperations$Write")(mode, *[option.empty()] * 8)


def _elements(sequence: Any) -> list[Any]:
    return [sequence.apply(number) for number in range(sequence.size())]
