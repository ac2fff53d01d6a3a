"""
Cut-over: whether following changes would take longer than computing everything anew. Foreseen from what refreshes of
the same view took before, which every record hands on to the next one (decision 9).
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.plan import Window
from dbt_lazyview.maintenance.decide import BUILD, FULL, INCREMENTAL
from dbt_lazyview.maintenance.record import Estimate, Experience, Record

MANY_CHANGES = 100_000  # fewer cost about the same, however many they are
SMALL_SOURCES = 16 * 2**20  # bytes; few changes of these are followed without a second thought
# How many rows of a full computation a change is worth, until refreshes of the view itself have shown it.
INSERTED, OTHERWISE = 4, 8
MARGIN = 1.2  # what is about equal stays incremental
LEAST_GAIN = 2_000  # milliseconds
DOUBT = 0.9  # each time experience keeps a view from following its changes, it is believed a little less


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
        >>> learned(build, ended=9000)
        Experience(full=8000, full_bytes=500, least=0, insert=0.0, change=0.0)
    """
    if record is None:
        return Experience()
    before, took = record.experience, ended - record.started
    if not record.started or took <= 0:
        return before
    if record.kind in (BUILD, FULL):
        known = _doubted(before) if record.estimate else before
        return replace(known, full=took, full_bytes=record.source_bytes)
    if record.kind == INCREMENTAL and record.changes is not None:
        return _after_changes(before, took, record.changes, record.insert_only)
    return before


def _doubted(known: Experience) -> Experience:
    return replace(
        known, least=round(known.least * DOUBT), insert=known.insert * DOUBT, change=known.change * DOUBT
    )  # fmt: skip


def _after_changes(before: Experience, took: int, changes: int, insert_only: bool) -> Experience:
    if changes < MANY_CHANGES:
        return replace(before, least=round((took + before.least) / 2) if before.least else took)
    rate = max(took - before.least, 0) / changes
    return replace(before, insert=rate) if insert_only else replace(before, change=rate)


def is_question(experience: Experience, changes: int, source_bytes: int) -> bool:
    """Whether anything speaks for computing everything anew."""
    is_slow = source_bytes >= SMALL_SOURCES and experience.least > experience.full
    return bool(experience.full) and (changes >= MANY_CHANGES or is_slow)


def foreseen(
    experience: Experience, changes: int, insert_only: bool, source_rows: Callable[[], int], source_bytes: int
) -> Estimate:
    """
    How long both ways would take; rows of the sources are counted only where nothing better is known.

    Example:
        >>> foreseen(Experience(full=10_000, full_bytes=100), 500_000, True, lambda: 1_000_000, source_bytes=200)
        Estimate(incremental=40000, full=20000)
        >>> foreseen(Experience(10_000, 100, least=3_000, insert=0.01), 500_000, True, lambda: 0, source_bytes=100)
        Estimate(incremental=8000, full=10000)
    """
    grown = max(source_bytes / experience.full_bytes, 1) if experience.full_bytes else 1
    full = experience.full * grown
    rate = _rate(experience, insert_only) if changes >= MANY_CHANGES else 0.0
    if rate is None:
        rate = full / max(source_rows(), 1) * (INSERTED if insert_only else OTHERWISE)
    return Estimate(round(experience.least + changes * rate), round(full))


def _rate(experience: Experience, insert_only: bool) -> float | None:
    """Milliseconds per change, by windows of the same kind or else of the other one."""
    own, other, ratio = experience.insert, experience.change, INSERTED / OTHERWISE
    if not insert_only:
        own, other, ratio = other, own, 1 / ratio
    return own or other * ratio or None


def is_too_much(estimate: Estimate) -> bool:
    """
    Whether everything anew is clearly quicker.

    Example:
        >>> is_too_much(Estimate(40_000, 10_000)), is_too_much(Estimate(11_000, 10_000)), is_too_much(Estimate(900, 1))
        (True, False, False)
    """
    is_slower = estimate.incremental > MARGIN * estimate.full
    return is_slower and estimate.incremental - estimate.full > LEAST_GAIN
