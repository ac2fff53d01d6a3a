"""A change folded into the files of a state that it is about, on the embedded session: the others stay as they are."""

import json
from math import inf

from pyspark.sql import DataFrame
from pyspark.sql.types import StructField, StructType

from dbt_lazyview.adapter.contents import Contents, Files, Within, contents
from dbt_lazyview.adapter.known_files import read_from_files
from dbt_lazyview.adapter.logs import Logs, active
from dbt_lazyview.adapter.transaction import CHANGE_TYPE, Transaction
from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.plan import Extent
from dbt_lazyview.maintenance.affected import Affected
from dbt_lazyview.names import AFFECTED_ROWS


def affected(logs: Logs, name: Name, version: int, keys: tuple[Extent, ...]) -> Affected | None:
    """The files of a table that may have rows with such keys, where its checksum tells, and all their rows are its."""
    found = _files(logs, name, version, keys)
    if found is None or found[1].has_deletions:
        return None
    return Affected(name, version, keys, found[1].count, found[1].bytes, found[1].of)


def fold(logs: Logs, into: Affected, query: str) -> bool:
    """Commit the rows of a query instead of those of the files; False where the table is not what it was."""
    found = _files(logs, into.name, into.version, into.keys)
    if found is None or found[1].has_deletions:
        return False
    known, files = found
    session = logs.session
    known.rows_of(session, files.files).createOrReplaceTempView(AFFECTED_ROWS)
    try:
        with read_from_files(logs, query) as shorter, active(session):
            rows = _as_stored(session.sql(shorter), known)
            transaction = Transaction(session, known)
            transaction.rewrite(files.files, rows) if files.count else transaction.append(rows)
    finally:
        session.catalog.dropTempView(AFFECTED_ROWS)
    return True


def _files(logs: Logs, name: Name, version: int, keys: tuple[Extent, ...]) -> tuple[Contents, Files] | None:
    table = logs.look_again(name)
    if table is None or table[1].version() != version:
        return None
    known = contents(*table, inf, may_have_deletions=True)
    bounds = [Within(each.column, each.low, each.high) for each in keys]
    return (known, known.files_within(bounds)) if known else None


def _as_stored(rows: DataFrame, known: Contents) -> DataFrame:
    """The rows with the table's columns and types, as an INSERT would have them; and how they changed."""
    stored = StructType.fromJson(json.loads(known.snapshot.metadata().schemaString()))
    wanted = [StructField(each.name, each.dataType) for each in stored]
    told = [each for each in rows.schema if each.name == CHANGE_TYPE]
    return rows.to(StructType([*wanted, *told]))
