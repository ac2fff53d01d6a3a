"""
Cut-over: whether following very many changes would take longer than computing everything anew. Foreseen from what
refreshes of the same view took before, which every record hands on to the next one (decision 9).
"""

from collections.abc import Mapping

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.plan import Window
from dbt_lazyview.maintenance.decide import BUILD, FULL, INCREMENTAL
from dbt_lazyview.maintenance.record import Estimate, Experience, Record

MANY_CHANGES = 100_000  # fewer are followed without a second thought
# How many rows of a full computation a change is worth, until refreshes of the view itself have shown it.
INSERTED, OTHERWISE = 4, 8
MARGIN = 1.2  # what is about equal stays incremental
LEAST_GAIN = 2_000  # milliseconds
DOUBT = 0.9  # each time a rate keeps a view from following its changes, it is believed a little less


class AllAtOnce(Exception):
    """A part of what is pending is too much to follow already: no use to go by parts."""


def changes_in(windows: Mapping[Name, Window]) -> int | None:
    """How many rows changed in all; None where commits do not tell."""
    told = [window.rows for window in windows.values() if window.changed]
    return None if None in told else sum(rows for rows in told if rows is not None)


def learned(record: Record | None, ended: int) -> Experience:
    """
    What is known after a refresh, by its record and the time of its commit.

    Example:
        >>> from dbt_lazyview.maintenance.record import Settings
        >>> build = Record(1, "", BUILD, -1, {}, {}, Settings("UTC", "false"), "", started=1000, source_bytes=500)
        >>> learned(build, ended=9000)
        Experience(full=8000, full_bytes=500, change=0.0)
    """
    if record is None:
        return Experience()
    before, took = record.experience, ended - record.started
    if not record.started or took <= 0:
        return before
    if record.kind in (BUILD, FULL):
        rate = before.change * (DOUBT if record.estimate else 1)
        return Experience(took, record.source_bytes, rate)
    if record.kind == INCREMENTAL and record.changes is not None and record.changes >= MANY_CHANGES:
        return Experience(before.full, before.full_bytes, took / record.changes)
    return before


def foreseen(
    experience: Experience, changes: int, insert_only: bool, source_rows: int, source_bytes: int
) -> Estimate | None:
    """
    How long both ways would take; None where no full computation of the view was ever measured.

    Example:
        >>> foreseen(Experience(full=10_000, full_bytes=100), 500_000, True, source_rows=1_000_000, source_bytes=200)
        Estimate(incremental=40000, full=20000)
        >>> foreseen(Experience(10_000, 100, change=0.001), 500_000, True, source_rows=1_000_000, source_bytes=100)
        Estimate(incremental=500, full=10000)
    """
    if not experience.full or not source_rows:
        return None
    full = experience.full * max(source_bytes / experience.full_bytes, 1) if experience.full_bytes else experience.full
    rate = experience.change or full / source_rows * (INSERTED if insert_only else OTHERWISE)
    return Estimate(round(changes * rate), round(full))


def is_too_much(estimate: Estimate) -> bool:
    """
    Whether everything anew is clearly quicker.

    Example:
        >>> is_too_much(Estimate(40_000, 10_000)), is_too_much(Estimate(11_000, 10_000)), is_too_much(Estimate(900, 1))
        (True, False, False)
    """
    is_slower = estimate.incremental > MARGIN * estimate.full
    return is_slower and estimate.incremental - estimate.full > LEAST_GAIN
