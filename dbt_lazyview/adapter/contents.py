"""
What a small table consists of, as the checksum of its newest version tells: Delta's own commands and queries find out
by jobs over the whole log, which take longer than all the rest where tables and changes are small.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from dbt_lazyview.adapter.delta_log import names_in_files
from dbt_lazyview.adapter.logs import active, java_class
from dbt_lazyview.maintenance.statistics import DATE

LARGEST = 1 << 30  # bytes; of larger tables, Delta chooses the files to be read by their statistics
Value = int | str
PADDED = "__CHAR_VARCHAR_TYPE_STRING"  # in the schema of a table: texts are padded as they are read
_DELETIONS = "deletionVectors"  # in the protocol of a table: files may have rows that are deleted


@dataclass(frozen=True)
class Within:
    """Rows in which a column lies between two whole numbers or dates, or is NULL."""

    column: str
    low: Value
    high: Value

    def may_be_in(self, told: Mapping[str, Any], column: str) -> bool:
        """
        Whether a file has such rows, for all that its statistics tell of the column by its name there.

        Example:
            >>> told = {"minValues": {"c": 5}, "maxValues": {"c": 9}, "nullCount": {"c": 0}}
            >>> [Within("k", low, high).may_be_in(told, "c") for low, high in ((1, 4), (1, 5), (10, 12))]
            [False, True, False]
            >>> Within("k", 1, 4).may_be_in({**told, "nullCount": {"c": 1}}, "c"), Within("k", 1, 4).may_be_in({}, "c")
            (True, True)
        """
        low, high, nulls = (told.get(kind, {}).get(column) for kind in ("minValues", "maxValues", "nullCount"))
        is_told = nulls == 0 and all(_is_comparable(each, self.low) for each in (low, high))
        return not is_told or not (high < self.low or low > self.high)


def _is_comparable(told: object, with_: Value) -> bool:
    if isinstance(with_, int):
        return isinstance(told, int)
    return isinstance(told, str) and DATE.fullmatch(told) is not None


@dataclass(frozen=True)
class Contents:
    """Files and transactions of a table at its newest version."""

    log: Any
    snapshot: Any
    files: Any  # a sequence, as Scala has it
    transactions: Any

    def rows(self, session: SparkSession, bounds: Sequence[Within] = ()) -> DataFrame:
        """All rows of the table, but for those of files without rows within bounds."""
        return self.rows_of(session, self.files_within(bounds).files if bounds else self.files)

    def rows_of(self, session: SparkSession, files: Any) -> DataFrame:
        """All rows of some of its files."""
        nothing = java_class(session, "scala.Option").empty()
        with active(session):
            return DataFrame(self.log.createDataFrame(self.snapshot, files, False, nothing), session)

    def row_count(self) -> int | None:
        """How many rows there are; None where somebody wrote files without counting."""
        counts: list[Any] = [each.statistics.get("numRecords") for each in self._told]
        return None if None in counts else sum(counts)

    def files_within(self, bounds: Sequence[Within]) -> "Files":
        """The files that may have rows within bounds."""
        own = {name: in_files for in_files, name in names_in_files(self.snapshot).items()}
        chosen = [
            each
            for each in self._told
            if all(bound.may_be_in(each.statistics, own.get(bound.column, "")) for bound in bounds)
        ]
        found = self.files.take(0)
        for each in chosen:
            found = found.appended(each.file)
        size, has_deletions = sum(each.bytes for each in chosen), any(each.has_deletions for each in chosen)
        return Files(found, len(chosen), size, len(self._told), has_deletions)

    @cached_property
    def _told(self) -> list["_File"]:
        return [_File(each) for each in elements(self.files)]

    def has_seen(self, app: str, number: int) -> bool:
        """Whether a transaction, or a later one of the same application, was committed."""
        seen = [each.version() for each in elements(self.transactions) if each.appId() == app]
        return any(version >= number for version in seen)


@dataclass(frozen=True)
class Files:
    """Some of the files of a table."""

    files: Any  # a sequence, as Scala has it
    count: int
    bytes: int
    of: int  # how many the table has
    has_deletions: bool  # some of their rows are marked as deleted


@dataclass(frozen=True)
class _File:
    """What the log tells of a file. A call for each answer is quicker than one for all of them as JSON."""

    file: Any

    @cached_property
    def statistics(self) -> dict[str, Any]:
        return dict(json.loads(self.file.stats() or "{}"))

    @property
    def bytes(self) -> int:
        return int(self.file.size())

    @property
    def has_deletions(self) -> bool:
        return self.file.deletionVector() is not None


def contents(
    log: Any, snapshot: Any, largest: float = LARGEST, may_have_deletions: bool = False
) -> Contents | None:  # fmt: skip
    """What a table consists of; None where its checksum does not tell all of it, and where it is large or not plain."""
    if not snapshot.checksumOpt().isDefined():
        return None
    checksum = snapshot.checksumOpt().get()
    files, transactions = checksum.allFiles(), checksum.setTransactions()
    if not (files.isDefined() and transactions.isDefined()) or files.get().size() != checksum.numFiles():
        return None
    if checksum.tableSizeBytes() > largest or PADDED in snapshot.metadata().schemaString():
        return None
    if not may_have_deletions and _has_deletions(snapshot, checksum):
        return None
    return Contents(log, snapshot, files.get(), transactions.get())


def _has_deletions(snapshot: Any, checksum: Any) -> bool:
    """Whether some rows of its files are none of the table."""
    if _DELETIONS not in snapshot.protocol().json():
        return False
    count = checksum.numDeletionVectorsOpt()
    return not (count.isDefined() and count.get() == 0)


def elements(sequence: Any) -> list[Any]:
    """What a sequence of Scala holds."""
    return [sequence.apply(number) for number in range(sequence.size())]
