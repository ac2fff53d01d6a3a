"""
Statements that write, on the embedded session. Spark optimizes and plans the query of an INSERT OVERWRITE into a Delta
table for the command, and then once more for the writer that the command falls back to. Handed to the writer directly,
it is planned once: of a refresh, planning is a large part. What a small table consists of need not be looked for
either.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import AtomicType, StructType

from dbt_lazyview.adapter.logs import Logs, active, java_class
from dbt_lazyview.adapter.transaction import Contents, contents, overwrite
from dbt_lazyview.compiler.catalog import Name

OVERWRITE = re.compile(r"\binsert overwrite (\S+)", re.IGNORECASE)
STORED = "lazyview_stored_rows"  # a temporary view


def run_for_effect(session: SparkSession, statement: str) -> None:
    """Run a statement; the same commit comes of it either way."""
    if OVERWRITE.search(statement):
        with active(session):
            if _overwritten(session, statement):
                return
    session.sql(statement)


def asks_the_log(logs: Logs, name: Name, statement: str) -> bool:
    """Whether a statement that writes a table lets Delta find out by its log what the table consists of."""
    table = logs.look_again(name)
    return table is None or OVERWRITE.search(statement) is None or contents(*table) is None


def _overwritten(session: SparkSession, statement: str) -> bool:
    """Whether the statement overwrites all of a table with rows of just its types, and so was handed to the writer."""
    parsed = _parsed(session, statement)
    if parsed.getClass().getSimpleName() != "InsertIntoStatement" or not _is_of_all_rows(parsed):
        return False
    table = Logs(session).look(tuple(_texts(parsed.table().multipartIdentifier())))
    if table is None:
        return False
    log, snapshot = table
    known = contents(log, snapshot)
    with _stored_rows(session, known):
        rows = _rows(session, statement, parsed, known)
        columns = StructType.fromJson(json.loads(snapshot.metadata().schemaString()))
        if not _are_alike(rows.schema, columns):
            return False
        rows = rows.select([f"`{name}`" for name in columns.names])
        if known:
            overwrite(session, known, rows)
        else:
            rows.write.format("delta").mode("overwrite").save(log.dataPath().toString())
    return True


@contextmanager
def _stored_rows(session: SparkSession, known: Contents | None) -> Iterator[None]:
    """Have the rows of a table in a temporary view, where it is known what the table consists of."""
    if known:
        known.rows(session).createOrReplaceTempView(STORED)
    try:
        yield
    finally:
        if known:
            session.catalog.dropTempView(STORED)


def _rows(session: SparkSession, statement: str, parsed: Any, known: Contents | None) -> DataFrame:
    """The rows to be written; where they are made of those that the table has now, of those that are known."""
    pinned = known and re.compile(rf"{re.escape(_target(statement))} version as of {known.snapshot.version()}\b")
    if pinned and pinned.search(statement):
        parsed = _parsed(session, pinned.sub(STORED, statement))
    dataset = java_class(session, "org.apache.spark.sql.classic.Dataset")
    rows = DataFrame(dataset.ofRows(session._jsparkSession, parsed.query()), session)
    return rows.toDF(*_texts(parsed.userSpecifiedCols()))


def _target(statement: str) -> str:
    found = OVERWRITE.search(statement)
    assert found is not None
    return found[1]


def _parsed(session: SparkSession, statement: str) -> Any:
    return session._jsparkSession.sessionState().sqlParser().parsePlan(statement)


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
