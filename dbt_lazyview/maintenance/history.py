"""Commits of a Delta table, and what they did to its rows."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dbt_lazyview.maintenance.maps import mapping
from dbt_lazyview.maintenance.moments import milliseconds

CHANGE_FEED = "delta.enableChangeDataFeed"

# Operations that leave every row as it was.
KEEPS_ROWS = frozenset({
    "OPTIMIZE", "REORG", "VACUUM START", "VACUUM END", "SET TBLPROPERTIES", "UNSET TBLPROPERTIES", "CREATE TABLE",
    "UPGRADE PROTOCOL", "ADD CONSTRAINT", "DROP CONSTRAINT", "CLUSTER BY", "COMPUTE STATS", "ROW TRACKING BACKFILL",
})  # fmt: skip
# Operations that change columns; whether a reader minds is told by comparing the columns themselves.
CHANGES_COLUMNS = frozenset({
    "ADD COLUMNS", "CHANGE COLUMN", "CHANGE COLUMNS", "RENAME COLUMN", "DROP COLUMNS", "REPLACE COLUMNS",
    "UPDATE SCHEMA", "UPDATE COLUMN METADATA",
})  # fmt: skip
MERGED_ROWS = ("numTargetRowsInserted", "numTargetRowsUpdated", "numTargetRowsDeleted")


@dataclass(frozen=True)
class Commit:
    """One version of a Delta table, as DESCRIBE HISTORY tells it."""

    version: int
    timestamp: int  # epoch milliseconds
    operation: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, Any] = field(default_factory=dict)
    metadata: str | None = None

    @staticmethod
    def from_row(row: Mapping[str, Any], zone: str) -> "Commit":
        return Commit(
            int(row["version"]), milliseconds(row["timestamp"], zone), row["operation"],
            mapping(row["operationParameters"]), mapping(row["operationMetrics"]), row["userMetadata"],
        )  # fmt: skip


@dataclass(frozen=True)
class Effect:
    """What one or more commits did to the rows of a table."""

    changed: bool = False
    insert_only: bool = True
    rows: int | None = 0  # changed rows, where the commits tell
    feed_rows: int | None = 0  # rows of the change feed, about: of a table that was written anew, all of them twice

    def __add__(self, other: "Effect") -> "Effect":
        changed, insert_only = self.changed or other.changed, self.insert_only and other.insert_only
        return Effect(changed, insert_only, _sum(self.rows, other.rows), _sum(self.feed_rows, other.feed_rows))


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


NOTHING = Effect()


def effect_of(commits: Iterable[Commit]) -> Effect:
    """
    What commits did, by their own word; what is not known counts as a change.

    Example:
        >>> append = Commit(1, 0, "WRITE", {"mode": "Append"}, {"numOutputRows": "2"})
        >>> effect_of([append, Commit(2, 0, "OPTIMIZE")])
        Effect(changed=True, insert_only=True, rows=2, feed_rows=2)
        >>> effect_of([append, Commit(2, 0, "WRITE", {"mode": "Overwrite"}, {"numOutputRows": "5"})])
        Effect(changed=True, insert_only=False, rows=None, feed_rows=12)
    """
    return sum((_effect(commit) for commit in commits), NOTHING)


def _effect(commit: Commit) -> Effect:
    if commit.operation in KEEPS_ROWS or commit.operation in CHANGES_COLUMNS:
        return NOTHING
    if commit.operation == "MERGE":
        return _merged(commit)
    if _is_append(commit):
        return _rows_told(commit, "numOutputRows", insert_only=True)
    if commit.operation == "UPDATE":
        return _changed(_count(commit, "numUpdatedRows"))
    if commit.operation == "DELETE":
        return _changed(_count(commit, "numDeletedRows"))
    written = _count(commit, "numOutputRows")
    return Effect(True, False, None, None if written is None else 2 * written)


def _changed(rows: int | None, insert_only: bool = False) -> Effect:
    return Effect(True, insert_only, rows, rows)


def _is_append(commit: Commit) -> bool:
    mode = commit.parameters.get("mode" if commit.operation == "WRITE" else "outputMode")
    keeps_files = _count(commit, "numRemovedFiles") in (0, None)
    return commit.operation in ("WRITE", "STREAMING UPDATE") and mode == "Append" and keeps_files


def _rows_told(commit: Commit, metric: str, insert_only: bool) -> Effect:
    rows = _count(commit, metric)
    return NOTHING if rows == 0 else _changed(rows, insert_only)


def _merged(commit: Commit) -> Effect:
    counts = [_count(commit, metric) for metric in MERGED_ROWS]
    told = [count for count in counts if count is not None]
    if len(told) < len(counts):
        return _changed(None)
    return _changed(sum(told), insert_only=not any(told[1:])) if any(told) else NOTHING


def is_harmless_to_state(commit: Commit) -> bool:
    """Whether a commit of somebody else leaves a state as we wrote it, columns included."""
    return commit.operation in KEEPS_ROWS or (commit.operation not in CHANGES_COLUMNS and not _effect(commit).changed)


def feed_is_on(commits: Iterable[Commit], feed_was_on: bool) -> Iterator[tuple[Commit, bool]]:
    """Every commit, and whether the change data feed was on when it was made; commits in ascending order."""
    is_on = feed_was_on
    for commit in commits:
        is_on = _feed_after(commit, is_on)
        yield commit, is_on


def feed_misses_change(commits: Iterable[Commit], feed_was_on: bool) -> bool:
    """Whether some commit changed rows while the change data feed was off; commits in ascending order."""
    return any(not is_on and _effect(commit).changed for commit, is_on in feed_is_on(commits, feed_was_on))


def _feed_after(commit: Commit, was_on: bool) -> bool:
    properties = commit.parameters.get("properties")
    if commit.operation == "SET TBLPROPERTIES":
        return str(mapping(properties).get(CHANGE_FEED, was_on)).lower() == "true"
    if commit.operation == "UNSET TBLPROPERTIES":
        return was_on and CHANGE_FEED not in str(properties)  # a list of names
    if "REPLACE TABLE" in commit.operation:
        return str(mapping(properties).get(CHANGE_FEED)).lower() == "true"
    return was_on


def rows_written(commit: Commit) -> int | None:
    """Rows a commit wrote, updated or deleted; an overwrite touches all it writes."""
    if commit.operation == "MERGE":
        return _merged(commit).rows
    return _count(commit, "numOutputRows")


def _count(commit: Commit, metric: str) -> int | None:
    value = commit.metrics.get(metric)
    return None if value is None else int(value)
