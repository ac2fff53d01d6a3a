"""What happened to a source between the version a state has seen and the version it shall see."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from dbt_lazyview.compiler.catalog import Column
from dbt_lazyview.compiler.plan import Span, Window
from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.column_changes import (
    are_touched,
    is_repartitioned,
    readable_spans,
    restored_version,
)
from dbt_lazyview.maintenance.history import Commit, effect_of, feed_misses_change
from dbt_lazyview.maintenance.record import Position

_DIGITS = 6  # of the digest of one column


class CutPassed(Exception):
    """A state already stands for more than the cut: another cut has to be chosen."""


@dataclass(frozen=True)
class Obstacle:
    """Why a source cannot be followed by its changes."""

    reason: Reason
    source: str


def is_same_version(recorded: Position, now: Position) -> bool:
    """Whether nothing at all was committed in between."""
    return (recorded.version, recorded.timestamp, recorded.id) == (now.version, now.timestamp, now.id)


def lineage_broken(recorded: Position, commits: Iterable[Commit], table_id: str) -> Reason | None:
    """
    Why the table is not the recorded one: its history must show the recorded version at the recorded time. Where Delta
    has just dropped that commit, and all later ones are there, the id of the table tells.
    """
    times = {commit.version: commit.timestamp for commit in commits}
    if recorded.version in times:
        return None if times[recorded.version] == recorded.timestamp else Reason.SOURCE_RECREATED
    if recorded.version + 1 == min(times) and recorded.id == table_id:
        return None
    return Reason.HISTORY_GONE if recorded.version < min(times) else Reason.SOURCE_RECREATED


@dataclass(frozen=True)
class Used:
    """What a view reads of a source, and what may be done to find its changes."""

    columns: Sequence[str] | None = None  # None: perhaps all
    schema: str = ""  # digests of these columns
    may_diff: bool = False  # compare the rows of two versions, where the feed does not tell


ALL_COLUMNS = Used()


def follow(
    recorded: Position, now: Position, commits: tuple[Commit, ...], location: str, used: Used = ALL_COLUMNS
) -> Window | Reason:
    """The window from a recorded version to the one of the cut, or why there is none; commits newest first."""
    if is_same_version(recorded, now):
        return Window(now.version, now.version, changed=False, location=location)
    if broken := lineage_broken(recorded, commits, now.id):
        return broken
    if recorded.version > now.version:
        return _behind(recorded, now, commits, location)
    if not keeps_columns(recorded.schema, used.schema):
        return Reason.SOURCE_SCHEMA_CHANGED
    span = tuple(reversed([each for each in commits if recorded.version < each.version <= now.version]))
    effect = effect_of(span)
    insert_only = effect.changed and effect.insert_only
    window = Window(
        recorded.version, now.version, effect.changed, insert_only, effect.rows, effect.feed_rows, location
    )  # fmt: skip
    obstacle = _unreadable(recorded, now, commits, span, used)
    if obstacle:
        return as_diff(window) if used.may_diff else obstacle
    spans = readable_spans(span, recorded.feed, has_other_columns=recorded.schema != now.schema)
    return window if len(spans) < 2 and _is_whole(spans, span) else replace(window, spans=spans)


def _unreadable(
    recorded: Position, now: Position, commits: Sequence[Commit], span: Sequence[Commit], used: Used
) -> Reason | None:
    restored = restored_version(span)
    undone = [each for each in commits if restored is not None and restored < each.version <= recorded.version]
    repartitioned = is_repartitioned(recorded.partitions, now.partitions, (*span, *undone))
    if repartitioned or are_touched(used.columns, commits, recorded.version):
        return Reason.SOURCE_SCHEMA_CHANGED
    return Reason.CHANGE_FEED_MISSING if feed_misses_change(span, recorded.feed) else None


def as_diff(window: Window) -> Window:
    """The same window, captured from the rows at both ends: whatever happened in between counts as a change."""
    return replace(window, changed=True, insert_only=False, rows=None, feed_rows=None, spans=(), by_diff=True, came=())


def _is_whole(spans: Sequence[Span], commits: Sequence[Commit]) -> bool:
    """Whether the one part is as good as all of the window: what it leaves out can be read too."""
    return not spans or (spans[0].first, spans[0].last) == (commits[0].version, commits[-1].version)


def _behind(recorded: Position, now: Position, commits: tuple[Commit, ...], location: str) -> Window:
    """The cut is older than the state: the same rows if nothing changed in between."""
    between = [each for each in commits if now.version < each.version <= recorded.version]
    if effect_of(between).changed or are_touched(None, between, now.version):
        raise CutPassed
    return Window(now.version, now.version, changed=False, location=location)


def schema_digest(columns: Iterable[Column]) -> str:
    """
    Digests of columns, one part each, so that single columns can be told.

    Example:
        >>> one, two = Column("a", "int"), Column("b", "int")
        >>> keeps_columns(recorded=schema_digest([one, two]), used=schema_digest([two]))
        True
        >>> keeps_columns(recorded=schema_digest([one, two]), used=schema_digest([Column("b", "bigint")]))
        False
    """
    parts = [f"{column.name}:{column.type}" for column in columns]
    return "".join(hashlib.sha256(part.encode()).hexdigest()[:_DIGITS] for part in parts)


def columns_in(digest: str) -> int:
    """How many columns a digest stands for."""
    return len(digest) // _DIGITS


def keeps_columns(recorded: str, used: str) -> bool:
    """Whether a table had the columns that are used now, with their types, when it was recorded; "": not recorded."""
    return not recorded or set(_parts(used)) <= set(_parts(recorded))


def _parts(digest: str) -> list[str]:
    return [digest[start : start + _DIGITS] for start in range(0, len(digest), _DIGITS)]
