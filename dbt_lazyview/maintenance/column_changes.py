"""What commits did to the columns of a table, and where its change feed has to be read in parts because of that."""

import json
import re
from collections.abc import Collection, Iterable, Sequence

from dbt_lazyview.compiler.plan import Span
from dbt_lazyview.maintenance.history import CHANGES_COLUMNS, Commit, effect_of, feed_is_on

# These change no values; that of a type is told by the types themselves.
KEEPS_VALUES = frozenset({"ADD COLUMNS", "CHANGE COLUMN", "UPDATE SCHEMA", "UPDATE COLUMN METADATA"})
# Across these, Delta reads a feed in one go.
KEEPS_FEED = frozenset({"ADD COLUMNS", "UPDATE COLUMN METADATA"})
RESTORE, CLONE = "RESTORE", "CLONE"
_FIRST_PART = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)")


def restored_version(commits: Iterable[Commit]) -> int | None:
    """The oldest version that some of the commits went back to, columns included; None if none did. 0: not told."""
    restores = (commit.parameters.get("version") for commit in commits if commit.operation == RESTORE)
    return min((int(version or 0) for version in restores), default=None)


def are_touched(columns: Collection[str] | None, commits: Sequence[Commit], after: int) -> bool:
    """
    Whether a commit after a version dropped or renamed one of some columns (None: any), or undid that: another column
    may stand under its name now, and no row says so. Commits newest first, down to the oldest version restored.

    Example:
        >>> renamed = Commit(5, 0, "RENAME COLUMN", {"oldColumnPath": "a", "newColumnPath": "b"})
        >>> are_touched(["b"], [renamed], after=4), are_touched(["c"], [renamed], after=4)
        (True, False)
    """
    wanted = None if columns is None else {column.lower() for column in columns}
    restored = restored_version(each for each in commits if each.version > after)
    if restored is not None and commits[-1].version > restored + 1:
        return True  # what was undone is not told any more
    floor = after if restored is None else min(after, restored)
    return any(_touches(wanted, commit) for commit in commits if commit.version > floor)


def is_repartitioned(before: str | None, now: str | None, commits: Sequence[Commit]) -> bool:
    """
    Whether a table is or was partitioned by other columns than before, or may have been. Delta then reads NULL from a
    change feed where a column stands in the names of folders for some files only, and says nothing.
    """
    known = {each for each in (before, now, *map(_told_partitions, commits)) if each is not None}
    return len(known) > 1 or (before is None and any(may_repartition(each) for each in commits))


def partitions_at(version: int, commits: Sequence[Commit], newest: str) -> str | None:
    """What a table was partitioned by, from its commits (newest first) and what it is partitioned by now."""
    if not any(may_repartition(each) for each in commits if each.version > version):
        return newest
    telling = (each for each in commits if each.version <= version and may_repartition(each))
    return next((_told_partitions(each) for each in telling), None)


def may_repartition(commit: Commit) -> bool:
    """Whether a commit can change what a table is partitioned by."""
    return commit.operation in (RESTORE, CLONE) or _told_partitions(commit) is not None


def _told_partitions(commit: Commit) -> str | None:
    """What a commit says a table is partitioned by; INSERT OVERWRITE says nothing, and that as an empty list."""
    told = json.dumps(json.loads(commit.parameters.get("partitionBy") or "[]"))
    creates = "CREATE" in commit.operation or "REPLACE TABLE" in commit.operation
    return told if creates or (_replaces(commit) and told != "[]") else None


def _replaces(commit: Commit) -> bool:
    return "REPLACE TABLE" in commit.operation or commit.parameters.get("mode") == "Overwrite"


def _touches(columns: Collection[str] | None, commit: Commit) -> bool:
    if commit.operation not in CHANGES_COLUMNS or commit.operation in KEEPS_VALUES:
        return False
    touched = _named(commit)
    return columns is None or touched is None or any(_root(path) in columns for path in touched)


def _named(commit: Commit) -> list[str] | None:
    """The columns that a commit dropped or renamed, None if it does not tell."""
    if commit.operation == "RENAME COLUMN":
        return [commit.parameters["oldColumnPath"], commit.parameters["newColumnPath"]]
    if commit.operation == "DROP COLUMNS":
        told = commit.parameters["columns"]
        return list(json.loads(told) if isinstance(told, str) else told)
    return None


def _root(path: str) -> str:
    """
    The column that a path leads into.

    Example:
        >>> _root("a.b"), _root("`odd.name`.b")
        ('a', 'odd.name')
    """
    found = _FIRST_PART.match(path)
    assert found is not None, path
    return (found[1] or found[2] or "").replace("``", "`").lower()


def readable_spans(commits: Iterable[Commit], feed_was_on: bool, has_other_columns: bool) -> tuple[Span, ...]:
    """
    The parts in which a change feed is read: Delta refuses to read it across a time when it was off, or across a change
    of columns. Commits in ascending order; those that changed no rows need not be read. Those at the end are: of the
    newest version Delta knows the columns already, of any other it has to find them in the log.

    Example:
        >>> write, alter, again = Commit(4, 0, "WRITE"), Commit(5, 0, "CHANGE COLUMN"), Commit(6, 0, "WRITE")
        >>> readable_spans([write, alter, again, Commit(7, 0, "OPTIMIZE")], feed_was_on=True, has_other_columns=True)
        (Span(first=4, last=4), Span(first=6, last=7))
    """
    runs: list[list[Commit]] = [[]]
    for commit, is_on in feed_is_on(commits, feed_was_on):
        if not is_on or _begins_anew(commit, has_other_columns):
            runs.append([])
        if is_on:
            runs[-1].append(commit)
    changing = [[each for each in run if effect_of([each]).changed] for run in runs]
    if changing[-1]:
        changing[-1].append(runs[-1][-1])
    return tuple(Span(run[0].version, run[-1].version) for run in changing if run)


def _begins_anew(commit: Commit, has_other_columns: bool) -> bool:
    """Whether the columns may be others from a commit on; a replaced table usually has the same ones."""
    if commit.operation in CHANGES_COLUMNS:
        return commit.operation not in KEEPS_FEED
    return has_other_columns and _replaces(commit)
