"""
Valid times (B 6): the interval of commit time in which what a view shows, or showed, is the current answer; and the
newest moment at which several views and tables can be read together.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.cut import existing_delta
from dbt_lazyview.maintenance.errors import RefreshError, refresh_first
from dbt_lazyview.maintenance.history import Commit, effect_of
from dbt_lazyview.maintenance.record import Record, UnreadableRecord, from_json
from dbt_lazyview.maintenance.retention import files_kept_seconds
from dbt_lazyview.maintenance.state import State, load_state
from dbt_lazyview.maintenance.tables import Tables, name_of
from dbt_lazyview.maintenance.view_delta.roll import records_after
from dbt_lazyview.maintenance.view_delta.windows import cut_time

COMMITS = 50  # how far back in the history of a state or a table


@dataclass(frozen=True)
class ValidTime:
    """From the first moment at which something is the current answer to the first at which it is not; milliseconds."""

    since: int
    until: int | None = None  # None: it still is

    def overlaps(self, other: "ValidTime") -> bool:
        """
        Whether there is a moment in both.

        Example:
            >>> ValidTime(1, 5).overlaps(ValidTime(4)), ValidTime(1, 5).overlaps(ValidTime(5))
            (True, False)
        """
        starts = max(self.since, other.since)
        return all(each.until is None or starts < each.until for each in (self, other))

    def __and__(self, other: "ValidTime") -> "ValidTime":
        ends = [each.until for each in (self, other) if each.until is not None]
        return ValidTime(max(self.since, other.since), min(ends, default=None))


ALWAYS = ValidTime(0)


@dataclass(frozen=True)
class Reading:
    """One way to read a view or a table: its rows at some version, and when these are the answer."""

    name: Name
    valid: ValidTime
    state: State | None = None  # of a view
    version: int = 0  # of a table


def valid_time(tables: Tables, record: Record) -> ValidTime:
    """
    When what a record stands for is the current answer: from its newest commit on (conservative: that one may not have
    touched the view), until a base table changes.
    """
    ends = [_changed_after(tables, name_of(table), at.version) for table, at in record.cut.items()]
    return ValidTime(cut_time(record), min((each for each in ends if each is not None), default=None))


def _changed_after(tables: Tables, name: Name, version: int) -> int | None:
    detail = tables.source(name)
    if detail is None:
        return 0  # nothing can be said
    newest = tables.head(name, detail).version
    later = [each for each in tables.commits_between(name, version, newest) if each.version > version]
    return min((each.timestamp for each in later if effect_of([each]).changed), default=None)


def readings_of_view(tables: Tables, state_name: Name) -> Iterator[Reading]:
    """A view with every window that waits, newest first; then older versions of its state that can still be read."""
    state = load_state(tables, state_name)
    if state.distrust or state.record is None:
        raise refresh_first(state_name, state.distrust or Reason.RECORD_MISSING)
    for record in reversed(records_after(tables, state)):
        is_past = record.window != state.record.window
        shown = replace(state, base=state.own, record=record, is_past=is_past)
        yield Reading(state_name, valid_time(tables, record), shown)
    for commit, record in recorded_versions(tables, state):
        is_past = record.task != state.record.task
        shown = replace(state.own, newest=commit, record=record, recorded=commit, delta=state.delta, is_past=is_past)
        yield Reading(state_name, valid_time(tables, record), shown)


def recorded_versions(tables: Tables, state: State) -> Iterator[tuple[Commit, Record]]:
    """The newest commits of a state that carry a record, and how it was read then."""
    assert state.detail is not None
    oldest = (time.time() - files_kept_seconds(state.detail.properties) / 2) * 1000
    own = state.own
    for commit in tables.newest(state.name, COMMITS):
        is_kept = commit.timestamp > oldest or (own.recorded is not None and commit.version == own.recorded.version)
        record = _record(commit) if is_kept else None
        if record is not None and own.record is not None and record.fingerprint == own.record.fingerprint:
            yield commit, record


def _record(commit: Commit) -> Record | None:
    try:
        return from_json(commit.metadata)
    except UnreadableRecord:
        return None


def readings_of_table(tables: Tables, name: Name) -> Iterator[Reading]:
    """The versions of a table, newest first; one is the answer until the next one changes rows."""
    existing_delta(name, tables.source(name))
    until: int | None = None
    for commit in tables.newest(name, COMMITS):
        yield Reading(name, ValidTime(commit.timestamp, until), version=commit.version)
        until = commit.timestamp if effect_of([commit]).changed else until


def newest_consistent(readings: Mapping[str, Sequence[Reading]]) -> tuple[ValidTime, dict[str, Reading]] | None:
    """
    The newest valid time that one reading of each has in common, and these readings; None where there is none.

    Example:
        >>> a = [Reading(("a",), ValidTime(40)), Reading(("a",), ValidTime(10, 40))]
        >>> b = [Reading(("b",), ValidTime(20, 30))]
        >>> newest_consistent({"a": a, "b": b})[0]
        ValidTime(since=20, until=30)
    """
    found: list[tuple[ValidTime, dict[str, Reading]]] = [(ALWAYS, {})]
    for name, all_readings in readings.items():
        own = {each.valid: each for each in reversed(all_readings)}.values()  # of equal ones the newest
        found = [
            (valid & each.valid, {**chosen, name: each})
            for valid, chosen in found
            for each in own
            if valid.overlaps(each.valid)
        ]
    return max(found, key=lambda each: each[0].since, default=None)


def inconsistent(names: Sequence[str]) -> RefreshError:
    """There is no moment that all of them can be read at."""
    return RefreshError(
        Reason.POINT_UNREACHABLE,
        f"There is no time at which {', '.join(names)} are mutually consistent, of those that can still be read.",
        "Refresh them, or bring them to one time: dbt run-operation refresh with as_of.",
    )
