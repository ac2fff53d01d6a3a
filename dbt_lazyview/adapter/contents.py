"""
What a small table consists of, as the checksum of its newest version tells: Delta's own commands and queries find out
by jobs over the whole log, which take longer than all the rest where tables and changes are small.
"""

import json
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from dbt_lazyview.adapter.logs import active, java_class

LARGEST = 1 << 30  # bytes; of larger tables, Delta chooses the files to be read by their statistics
_PADDED = "__CHAR_VARCHAR_TYPE_STRING"  # in the schema of a table: texts are padded as they are read
_DELETIONS = "deletionVectors"  # in the protocol of a table: files may have rows that are deleted


@dataclass(frozen=True)
class Contents:
    """Files and transactions of a table at its newest version."""

    log: Any
    snapshot: Any
    files: Any  # a sequence, as Scala has it
    transactions: Any

    def rows(self, session: SparkSession) -> DataFrame:
        """All rows of the table."""
        nothing = java_class(session, "scala.Option").empty()
        with active(session):
            return DataFrame(self.log.createDataFrame(self.snapshot, self.files, False, nothing), session)

    def row_count(self, session: SparkSession) -> int | None:
        """How many rows there are; None where somebody wrote files without counting."""
        mapper = java_class(session, "org.apache.spark.sql.delta.util.JsonUtils").mapper()
        files = json.loads(mapper.writeValueAsString(self.files))  # one call, not one for each file
        counts = [json.loads(each.get("stats") or "{}").get("numRecords") for each in files]
        return None if None in counts else sum(counts)

    def has_seen(self, app: str, number: int) -> bool:
        """Whether a transaction, or a later one of the same application, was committed."""
        seen = [each.version() for each in elements(self.transactions) if each.appId() == app]
        return any(version >= number for version in seen)


def contents(log: Any, snapshot: Any) -> Contents | None:
    """What a table consists of; None where its checksum does not tell all of it, and where it is large or not plain."""
    if not snapshot.checksumOpt().isDefined():
        return None
    checksum = snapshot.checksumOpt().get()
    files, transactions = checksum.allFiles(), checksum.setTransactions()
    if not (files.isDefined() and transactions.isDefined()) or files.get().size() != checksum.numFiles():
        return None
    if checksum.tableSizeBytes() > LARGEST or not _is_plain(snapshot, checksum):
        return None
    return Contents(log, snapshot, files.get(), transactions.get())


def _is_plain(snapshot: Any, checksum: Any) -> bool:
    """Whether the rows of a table are those of its files, and nothing else."""
    if _DELETIONS in snapshot.protocol().json():
        count = checksum.numDeletionVectorsOpt()
        if not (count.isDefined() and count.get() == 0):
            return False
    return _PADDED not in snapshot.metadata().schemaString()


def elements(sequence: Any) -> list[Any]:
    """What a sequence of Scala holds."""
    return [sequence.apply(number) for number in range(sequence.size())]
