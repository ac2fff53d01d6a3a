"""An overwrite of a small table in a transaction of our own, from what is known of its contents: one job."""

import time
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from dbt_lazyview.adapter.contents import Contents, elements
from dbt_lazyview.adapter.logs import java_class
from dbt_lazyview.names import SETTING_TRANSACTION_APP, SETTING_TRANSACTION_VERSION

_DELTA = "org.apache.spark.sql.delta"


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
    for file in elements(known.files):
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
