"""What happened to a source between the version a state has seen and the version it shall see."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from dbt_lazyview.compiler.catalog import Column
from dbt_lazyview.compiler.plan import Window
from dbt_lazyview.compiler.reasons import Reason
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


def lineage_broken(recorded: Position, commits: Iterable[Commit]) -> Reason | None:
    """Why the table is not the recorded one: its history must show the recorded version at the recorded time."""
    times = {commit.version: commit.timestamp for commit in commits}
    if recorded.version in times:
        return None if times[recorded.version] == recorded.timestamp else Reason.SOURCE_RECREATED
    return Reason.HISTORY_GONE if recorded.version < min(times) else Reason.SOURCE_RECREATED


def follow(recorded: Position, now: Position, commits: tuple[Commit, ...], location: str) -> Window | Reason:
    """The window from a recorded version to the one of the cut, or why there is none; commits newest first."""
    if is_same_version(recorded, now):
        return Window(now.version, now.version, changed=False, location=location)
    if broken := lineage_broken(recorded, commits):
        return broken
    if recorded.version > now.version:
        return _behind(recorded, now, commits, location)
    span = tuple(reversed([each for each in commits if recorded.version < each.version <= now.version]))
    effect = effect_of(span)
    if effect.changed and feed_misses_change(span, recorded.feed):
        return Reason.CHANGE_FEED_MISSING
    if not keeps_columns(recorded.schema, now.schema):
        return Reason.SOURCE_SCHEMA_CHANGED
    insert_only = effect.changed and effect.insert_only
    return Window(recorded.version, now.version, effect.changed, insert_only, effect.rows, location)


def _behind(recorded: Position, now: Position, commits: tuple[Commit, ...], location: str) -> Window:
    """The cut is older than the state: the same rows if nothing changed in between."""
    if effect_of(each for each in commits if now.version < each.version <= recorded.version).changed:
        raise CutPassed
    return Window(now.version, now.version, changed=False, location=location)


def schema_digest(columns: Iterable[Column]) -> str:
    """
    Digests of a table's columns, growing by one part per column, so that columns added at the end can be told.

    Example:
        >>> one, two = Column("a", "int"), Column("b", "int")
        >>> keeps_columns(schema_digest([one]), schema_digest([one, two]))
        True
        >>> keeps_columns(schema_digest([one, two]), schema_digest([one]))
        False
    """
    parts = [f"{column.name}:{column.type}" for column in columns]
    return "".join(hashlib.sha256(part.encode()).hexdigest()[:_DIGITS] for part in parts)


def columns_in(digest: str) -> int:
    """How many columns a digest stands for."""
    return len(digest) // _DIGITS


def keeps_columns(recorded: str, now: str) -> bool:
    """Whether a table still has the recorded columns, in their order and with their types; "" was not recorded."""
    return not recorded or not now or now.startswith(recorded)
