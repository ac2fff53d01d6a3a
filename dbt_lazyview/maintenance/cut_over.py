"""
Cut-over: whether following changes would take longer than computing everything anew. Foreseen from what refreshes of
the same view took before, which every record hands on to the next one (decision 9).
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.plan import Window
from dbt_lazyview.maintenance.decide import BUILD, FULL, INCREMENTAL
from dbt_lazyview.maintenance.record import Estimate, Experience, Pace, Record

# Few changes cost about the same, however many they are, and so do some; what one of many adds can be told.
SOME_CHANGES = 10_000
MANY_CHANGES = 100_000
SMALL_SOURCES = 16 * 2**20  # bytes; few changes of these are followed without a second thought
# How many rows of a full computation a change is worth, until refreshes of the view itself have shown it.
INSERTED, OTHERWISE = 4, 8
# How many times as long as some inserts as many deletes or updates take, until they have shown it: 2.2 to 3 measured.
DEARER = 3
MARGIN = 1.2  # what is about equal stays incremental
LEAST_GAIN = 1_000  # milliseconds
DOUBT = 0.97  # each time experience keeps a view from following its changes, it is believed a little less


class AllAtOnce(Exception):
    """A part of what is pending is too much to follow already: no use to go by parts."""


def changes_in(windows: Mapping[Name, Window]) -> int | None:
    """How many rows changed in all; None where commits do not tell."""
    told = [window.rows for window in windows.values() if window.changed]
    return None if None in told else sum(rows for rows in told if rows is not None)


def only_inserts(windows: Mapping[Name, Window]) -> bool:
    return all(window.insert_only for window in windows.values() if window.changed)


def learned(record: Record | None, ended: int) -> Experience:
    """
    What is known after a refresh, by its record and the time of its commit.

    Example:
        >>> from dbt_lazyview.maintenance.record import Settings
        >>> build = Record(1, "", BUILD, -1, {}, {}, Settings("UTC", "false"), "", started=1000, source_bytes=500)
        >>> learned(build, ended=9000).full
        8000
    """
    if record is None:
        return Experience()
    before, took = record.experience, ended - record.started
    if not record.started or took <= 0:
        return before
    if record.kind in (BUILD, FULL):
        believed = _doubted(pace_of(before, record.insert_only))
        known = _at_pace(before, record.insert_only, believed) if record.estimate else before
        return replace(known, full=took, full_bytes=record.source_bytes)
    if record.kind == INCREMENTAL and record.changes is not None:
        pace = before.inserts if record.insert_only else before.others
        return _at_pace(before, record.insert_only, _after_changes(pace, took, record.changes))
    return before


def _at_pace(known: Experience, insert_only: bool, pace: Pace) -> Experience:
    return replace(known, inserts=pace) if insert_only else replace(known, others=pace)


def _doubted(pace: Pace) -> Pace:
    return Pace(round(pace.least * DOUBT), pace.row * DOUBT, round(pace.some * DOUBT))


def _after_changes(pace: Pace, took: int, changes: int) -> Pace:
    if changes < SOME_CHANGES:
        return replace(pace, least=_between(took, pace.least))
    if changes < MANY_CHANGES:
        return replace(pace, some=_between(took, pace.some))
    return replace(pace, row=max(took - _few_or_some(pace), 0) / changes)


def _between(took: int, before: int) -> int:
    return round((took + before) / 2) if before else took


def _few_or_some(pace: Pace) -> int:
    return pace.least or pace.some


def pace_of(experience: Experience, insert_only: bool) -> Pace:
    """
    How long changes of a kind take: as it was measured, or else as those of the other kind let expect.

    Example:
        >>> pace_of(Experience(inserts=Pace(3_000, 0.01), others=Pace(4_000)), insert_only=False)
        Pace(least=4000, row=0.02, some=0)
        >>> pace_of(Experience(inserts=Pace(1_000, some=3_000)), insert_only=False)
        Pace(least=1000, row=0.0, some=9000)
    """
    own, other, ratio, some = experience.inserts, experience.others, INSERTED / OTHERWISE, 1 / DEARER
    if not insert_only:
        own, other, ratio, some = other, own, 1 / ratio, DEARER
    return Pace(own.least or other.least, own.row or other.row * ratio, own.some or round(other.some * some))


def is_question(experience: Experience, changes: int, insert_only: bool, source_bytes: int) -> bool:
    """Whether anything speaks for computing everything anew."""
    is_slow = source_bytes >= SMALL_SOURCES and _at_least(pace_of(experience, insert_only), changes) > experience.full
    return bool(experience.full) and (changes >= MANY_CHANGES or is_slow)


def _at_least(pace: Pace, changes: int) -> int:
    """How long so many changes take, apart from what each of many adds."""
    return _few_or_some(pace) if changes < SOME_CHANGES or changes >= MANY_CHANGES else pace.some or pace.least


def foreseen(
    experience: Experience, changes: int, insert_only: bool, source_rows: Callable[[], int], source_bytes: int
) -> Estimate:
    """
    How long both ways would take; rows of the sources are counted only where nothing better is known.

    Example:
        >>> foreseen(Experience(full=10_000, full_bytes=100), 500_000, True, lambda: 1_000_000, source_bytes=200)
        Estimate(incremental=40000, full=20000)
        >>> known = Experience(10_000, 100, inserts=Pace(3_000, 0.01))
        >>> foreseen(known, 500_000, True, lambda: 0, source_bytes=100)
        Estimate(incremental=8000, full=10000)
    """
    grown = max(source_bytes / experience.full_bytes, 1) if experience.full_bytes else 1
    full, pace = experience.full * grown, pace_of(experience, insert_only)
    if changes < MANY_CHANGES:
        return Estimate(_at_least(pace, changes), round(full))
    rate = pace.row or full / max(source_rows(), 1) * (INSERTED if insert_only else OTHERWISE)
    return Estimate(round(_at_least(pace, changes) + changes * rate), round(full))


def is_too_much(estimate: Estimate) -> bool:
    """
    Whether everything anew is clearly quicker.

    Example:
        >>> is_too_much(Estimate(40_000, 10_000)), is_too_much(Estimate(11_000, 10_000)), is_too_much(Estimate(900, 1))
        (True, False, False)
    """
    is_slower = estimate.incremental > MARGIN * estimate.full
    return is_slower and estimate.incremental - estimate.full > LEAST_GAIN
