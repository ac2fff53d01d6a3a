"""
Statements that write, on the embedded session. Spark optimizes and plans the query of an INSERT OVERWRITE into a Delta
table for the command, and then once more for the writer that the command falls back to. Handed to the writer directly,
it is planned once: of a refresh, planning is a large part.
"""

import json
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import AtomicType, StructType

from dbt_lazyview.adapter.logs import Logs, active, java_class

OVERWRITE = "insert overwrite"


def run_for_effect(session: SparkSession, statement: str) -> None:
    """Run a statement; the same commit comes of it either way."""
    if OVERWRITE in statement.lower():
        with active(session):
            if _overwritten(session, statement):
                return
    session.sql(statement)


def _overwritten(session: SparkSession, statement: str) -> bool:
    """Whether the statement overwrites all of a table with rows of just its types, and so was handed to the writer."""
    spark = session._jsparkSession
    parsed = spark.sessionState().sqlParser().parsePlan(statement)
    if parsed.getClass().getSimpleName() != "InsertIntoStatement" or not _is_of_all_rows(parsed):
        return False
    table = Logs(session).look(tuple(_texts(parsed.table().multipartIdentifier())))
    if table is None:
        return False
    dataset = java_class(session, "org.apache.spark.sql.classic.Dataset")
    rows = DataFrame(dataset.ofRows(spark, parsed.query()), session).toDF(*_texts(parsed.userSpecifiedCols()))
    log, snapshot = table
    columns = StructType.fromJson(json.loads(snapshot.metadata().schemaString()))
    if not _are_alike(rows.schema, columns):
        return False
    rows.select([f"`{name}`" for name in columns.names]).write.format("delta").mode("overwrite").save(
        log.dataPath().toString()
    )
    return True


def _is_of_all_rows(parsed: Any) -> bool:
    return parsed.overwrite() and parsed.partitionSpec().isEmpty() and parsed.userSpecifiedCols().nonEmpty()


def _are_alike(given: StructType, wanted: StructType) -> bool:
    """Whether nothing has to be cast; what rows look like inside a column is left to Spark to compare."""
    types = {field.name: field.dataType for field in given}
    return len(given) == len(wanted) and all(
        isinstance(field.dataType, AtomicType) and types.get(field.name) == field.dataType and "`" not in field.name
        for field in wanted
    )


def _texts(sequence: Any) -> list[str]:
    return [str(sequence.apply(number)) for number in range(sequence.size())]
