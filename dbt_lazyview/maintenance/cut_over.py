"""
Cut-over: whether following changes would take longer than computing everything anew. Foreseen from what refreshes of
the same view took before, which every record hands on to the next one (decision 9).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.plan import Window
from dbt_lazyview.maintenance.decide import BUILD, FULL, INCREMENTAL
from dbt_lazyview.maintenance.record import Estimate, Experience, Pace, Record

# Few changes cost about the same, however many they are, and so do some; what one of many adds can be told.
SOME_CHANGES = 10_000
MANY_CHANGES = 100_000
SMALL_SOURCES = 16 * 2**20  # bytes; few changes of these are followed without a second thought
INSERTS, OTHERS, REWRITES = "inserts", "others", "rewrites"  # kinds of changes, each with a pace of its own
# How many rows of a full computation a change is worth, until refreshes of the view itself have shown it. Of a table
# that was rewritten most rows came as they went: they are read and condensed, and go no further.
WORTH = {INSERTS: 4, OTHERS: 8, REWRITES: 1}
# Where nothing is known of one kind: what another one tells of it.
LIKE = {INSERTS: OTHERS, OTHERS: INSERTS, REWRITES: OTHERS}
# How many times as long as some inserts as many deletes or updates take, until they have shown it: 2.2 to 3 measured.
DEARER = {INSERTS: 1 / 3, OTHERS: 3, REWRITES: 1}
SOME_AS_FEW = 1.5  # how many times as long as few changes some take, until they have shown it: 1.4 to 1.5 measured
MANY_AS_FEW = 2  # the same of many, at least
# What is about equal stays incremental: so many times as long, and so many milliseconds more. Of what takes long, a
# tenth is much.
CLEARLY = ((1.2, 500), (1.1, 2_000))
APART = 1.5  # so many times as many changes tell something else
WARMED = 0.5  # a full computation that takes so much of the time of the one before was not quicker by chance
DOUBT = 0.97  # each time experience keeps a view from following its changes, it is believed a little less


class AllAtOnce(Exception):
    """A part of what is pending is too much to follow already: no use to go by parts."""


@dataclass(frozen=True)
class Pending:
    """So many rows to follow."""

    kind: str
    rows: int


def pending_in(windows: Mapping[Name, Window]) -> Pending | None:
    """What is to follow: rows that changed, or, where tables were rewritten, rows in their feeds; None if not told."""
    changes = changes_in(windows)
    if changes is not None:
        return Pending(INSERTS if only_inserts(windows) else OTHERS, changes)
    told = [window.feed_rows if window.rows is None else window.rows for window in windows.values() if window.changed]
    return None if None in told else Pending(REWRITES, sum(rows for rows in told if rows is not None))


def changes_in(windows: Mapping[Name, Window]) -> int | None:
    """How many rows changed in all; None where commits do not tell."""
    told = [window.rows for window in windows.values() if window.changed]
    return None if None in told else sum(rows for rows in told if rows is not None)


def only_inserts(windows: Mapping[Name, Window]) -> bool:
    return all(window.insert_only for window in windows.values() if window.changed)


def noted(windows: Mapping[Name, Window]) -> dict[str, Any]:
    """What a record keeps of them, for `learned`."""
    pending = pending_in(windows)
    rewritten = pending.rows if pending and pending.kind == REWRITES else None
    return {"insert_only": only_inserts(windows), "rewritten": rewritten}


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
        return _after_full(before, took, record)
    rows = record.changes if record.rewritten is None else record.rewritten
    if record.kind == INCREMENTAL and rows is not None:
        kind = _kind_of(record)
        return _with(before, {kind: _after_changes(own_pace(before, kind), took, rows)})
    return before


def _kind_of(record: Record) -> str:
    if record.rewritten is not None:
        return REWRITES
    return INSERTS if record.insert_only else OTHERS


def own_pace(known: Experience, kind: str) -> Pace:
    """How long changes of a kind take, as far as it was measured."""
    return {INSERTS: known.inserts, OTHERS: known.others, REWRITES: known.rewrites}[kind]


def _with(known: Experience, paces: Mapping[str, Any]) -> Experience:
    return replace(known, **paces)


def _after_full(known: Experience, took: int, record: Record) -> Experience:
    """
    Experience that decided is doubted. Where the full computation took a fraction of the one before, it says as much of
    all that was measured with that one: in the first minutes of a process everything takes long. The rest is chance.
    """
    if record.estimate:
        kind = _kind_of(record)
        known = _with(known, {kind: _times(pace_of(known, kind), DOUBT)})
    expected = known.full * _grown(known, record.source_bytes)
    if took <= expected * WARMED:
        known = _with(known, {kind: _times(own_pace(known, kind), took / expected) for kind in LIKE})
    return replace(known, full=took, full_bytes=record.source_bytes)


def _times(pace: Pace, factor: float) -> Pace:
    return replace(pace, least=round(pace.least * factor), row=pace.row * factor, some=round(pace.some * factor))


def _after_changes(pace: Pace, took: int, changes: int) -> Pace:
    if changes < SOME_CHANGES:
        return _shared_out(replace(pace, least=_expected(took, pace.least)))
    if changes < MANY_CHANGES:
        return _shared_out(replace(pace, some=_expected(took, pace.some)))
    known = _few_or_some(pace)
    if known:
        return replace(pace, row=max(took - known, 0) / changes)
    return _from_both(pace, took, changes) if pace.many else replace(pace, row=took / changes, many=changes)


def _shared_out(pace: Pace) -> Pace:
    """What was divided by many rows alone has another part, once it is known what fewer take."""
    if not pace.many:
        return pace
    return replace(pace, row=max(pace.row * pace.many - _few_or_some(pace), 0) / pace.many, many=0)


def _from_both(pace: Pace, took: int, changes: int) -> Pace:
    """
    Two windows of many changes tell what each row adds, and what does not depend on them, unless they are about equal.

    Example:
        >>> _from_both(Pace(row=0.02, many=100_000), took=4_500, changes=600_000)
        Pace(least=0, row=0.005, some=1500, many=0)
        >>> _from_both(Pace(row=0.02, many=100_000), took=1_500, changes=120_000)
        Pace(least=0, row=0.0125, some=0, many=120000)
    """
    (fewer, of_fewer), (more, of_more) = sorted([(pace.many, pace.row * pace.many), (changes, took)])
    if more < APART * fewer:
        return replace(pace, row=took / changes, many=changes)
    quicker = min(of_fewer, of_more)  # what took longer although it was less may have had other reasons
    row = (of_more - quicker) / (more - fewer)
    return replace(pace, row=row, some=round(quicker - row * fewer), many=0)


def _expected(took: int, before: int) -> int:
    """What was quicker than before can be so again; what was slower may have had other reasons."""
    return round((took + before) / 2) if 0 < before < took else took


def _few_or_some(pace: Pace) -> int:
    return pace.least or pace.some


def pace_of(experience: Experience, kind: str) -> Pace:
    """
    How long changes of a kind take: as it was measured, or else as those of another kind let expect.

    Example:
        >>> pace_of(Experience(inserts=Pace(3_000, 0.01), others=Pace(4_000)), OTHERS)
        Pace(least=4000, row=0.02, some=6000, many=0)
        >>> pace_of(Experience(inserts=Pace(1_000, some=3_000)), OTHERS)
        Pace(least=1000, row=0.0, some=9000, many=0)
    """
    own, other = own_pace(experience, kind), own_pace(experience, LIKE[kind])
    ratio, least = WORTH[kind] / WORTH[LIKE[kind]], own.least or other.least
    some = own.some or round(other.some * DEARER[kind] or least * SOME_AS_FEW)
    return Pace(least, own.row or other.row * ratio, some, own.many if own.row else other.many)


def is_question(experience: Experience, pending: Pending, source_bytes: int) -> bool:
    """Whether anything speaks for computing everything anew."""
    slow = _at_least(pace_of(experience, pending.kind), pending.rows) > experience.full
    return bool(experience.full) and (pending.rows >= MANY_CHANGES or (slow and source_bytes >= SMALL_SOURCES))


def _at_least(pace: Pace, changes: int) -> int:
    """How long so many changes take, apart from what each of many adds."""
    return _few_or_some(pace) if changes < SOME_CHANGES or changes >= MANY_CHANGES else pace.some or pace.least


def foreseen(experience: Experience, pending: Pending, source_rows: Callable[[], int], source_bytes: int) -> Estimate:
    """
    How long both ways would take; rows of the sources are counted only where nothing better is known.

    Example:
        >>> foreseen(Experience(full=10_000, full_bytes=100), Pending(INSERTS, 500_000), lambda: 1_000_000, 200)
        Estimate(incremental=40000, full=20000)
        >>> known = Experience(10_000, 100, inserts=Pace(3_000, 0.01))
        >>> foreseen(known, Pending(INSERTS, 500_000), lambda: 0, source_bytes=100)
        Estimate(incremental=8000, full=10000)
        >>> few_take_long = Experience(10_000, 100, inserts=Pace(8_000))
        >>> foreseen(few_take_long, Pending(INSERTS, 100_000), lambda: 1_000_000, source_bytes=100)
        Estimate(incremental=16000, full=10000)
        >>> some_take_long = Experience(10_000, 100, inserts=Pace(3_000, 0.01, some=9_000))
        >>> foreseen(some_take_long, Pending(INSERTS, 300_000), lambda: 0, source_bytes=100)
        Estimate(incremental=11000, full=10000)
        >>> only_many = Experience(10_000, 100, inserts=Pace(row=0.02, many=100_000))
        >>> foreseen(only_many, Pending(INSERTS, 1_100_000), lambda: 10_000_000, source_bytes=100)
        Estimate(incremental=11489, full=10000)
    """
    full, pace = experience.full * _grown(experience, source_bytes), pace_of(experience, pending.kind)
    least = _at_least(pace, pending.rows)
    if pending.rows < MANY_CHANGES:
        return Estimate(least, round(full))

    def guessed_rate() -> float:
        return full / max(source_rows(), 1) * WORTH[pending.kind]

    if pace.many and not least:
        return Estimate(_from_one(pace, pending.rows, guessed_rate), round(full))
    rate = pace.row or guessed_rate()
    beyond = own_pace(experience, pending.kind).some + (pending.rows - MANY_CHANGES) * rate
    guessed = 0 if pace.row else least * MANY_AS_FEW
    return Estimate(round(max(least + pending.rows * rate, beyond, guessed)), round(full))


def _from_one(pace: Pace, rows: int, guessed_rate: Callable[[], float]) -> int:
    """
    By one window of many changes alone. More rows take longer, by a guess at least, and at most as many times as long
    as they are more. Queries of TPC-H were seen near either end; taken is what lies between.
    """
    most = rows * pace.row
    if rows <= pace.many:
        return round(most)
    least = pace.many * pace.row + (rows - pace.many) * guessed_rate()
    return round(sqrt(min(least, most) * most))


def _grown(experience: Experience, source_bytes: int) -> float:
    """
    How many times as long a full computation takes by now; of sources that shrank, half of it as before.

    Example:
        >>> [_grown(Experience(full_bytes=100), size) for size in (300, 100, 50)], _grown(Experience(), 100)
        ([3.0, 1.0, 0.75], 1)
    """
    ratio = source_bytes / experience.full_bytes if experience.full_bytes else 1
    return ratio if ratio >= 1 else (1 + ratio) / 2


def is_too_much(estimate: Estimate) -> bool:
    """
    Whether everything anew is clearly quicker.

    Example:
        >>> is_too_much(Estimate(40_000, 10_000)), is_too_much(Estimate(11_000, 10_000)), is_too_much(Estimate(400, 1))
        (True, False, False)
        >>> is_too_much(Estimate(28_000, 25_000)), is_too_much(Estimate(2_800, 2_500))
        (True, False)
    """
    more = estimate.incremental - estimate.full
    return any(estimate.incremental > margin * estimate.full and more > least for margin, least in CLEARLY)
