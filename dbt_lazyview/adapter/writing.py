"""
Statements that write, on the embedded session. Spark optimizes and plans the query of an INSERT OVERWRITE into a Delta
table for the command, and then once more for the writer that the command falls back to. Handed to the writer directly,
it is planned once: of a refresh, planning is a large part. What a small table consists of need not be looked for
either.
"""

import json
import re
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import AtomicType, StructType

from dbt_lazyview.adapter.contents import contents, elements
from dbt_lazyview.adapter.known_files import read_from_files
from dbt_lazyview.adapter.logs import Logs, active, java_class
from dbt_lazyview.adapter.transaction import Transaction
from dbt_lazyview.compiler.catalog import Name

OVERWRITE = re.compile(r"\binsert overwrite\b", re.IGNORECASE)


def run_for_effect(logs: Logs, statement: str) -> None:
    """Run a statement; the same commit comes of it either way."""
    with read_from_files(logs, statement) as shorter:
        if OVERWRITE.search(shorter):
            with active(logs.session):
                if _overwritten(logs, shorter):
                    return
        logs.session.sql(shorter)


def asks_the_log(logs: Logs, name: Name, statement: str) -> bool:
    """Whether a statement that writes a table lets Delta find out by its log what the table consists of."""
    table = logs.look_again(name)
    return table is None or OVERWRITE.search(statement) is None or contents(*table) is None


def _overwritten(logs: Logs, statement: str) -> bool:
    """Whether the statement overwrites all of a table with rows of just its types, and so was handed to the writer."""
    session, spark = logs.session, logs.session._jsparkSession
    parsed = spark.sessionState().sqlParser().parsePlan(statement)
    if parsed.getClass().getSimpleName() != "InsertIntoStatement" or not _is_of_all_rows(parsed):
        return False
    table = logs.look(tuple(_texts(parsed.table().multipartIdentifier())))
    if table is None:
        return False
    dataset = java_class(session, "org.apache.spark.sql.classic.Dataset")
    rows = DataFrame(dataset.ofRows(spark, parsed.query()), session).toDF(*_texts(parsed.userSpecifiedCols()))
    log, snapshot = table
    columns = StructType.fromJson(json.loads(snapshot.metadata().schemaString()))
    if not _are_alike(rows.schema, columns):
        return False
    _write(session, log, snapshot, rows.select([f"`{name}`" for name in columns.names]))
    return True


def _write(session: SparkSession, log: Any, snapshot: Any, rows: DataFrame) -> None:
    known = contents(log, snapshot)
    if known:
        Transaction(session, known).overwrite(rows)
    else:
        rows.write.format("delta").mode("overwrite").save(log.dataPath().toString())


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
    return [str(each) for each in elements(sequence)]
