"""Advise: which policy, refresh mode or layout would have been cheaper, judged by a view's own history (Z 6.1, C 5)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from dbt_lazyview.maintenance.decide import BUILD, FULL, INCREMENTAL
from dbt_lazyview.maintenance.durations import spoken
from dbt_lazyview.maintenance.policies import DEFERRED, DEMAND, IMMEDIATE, WRITER

ENOUGH = 3  # refreshes of a kind before anything is concluded from them
MANY_FILES = 100
SMALL_FILE = 1_000_000  # bytes
ASKED_FOR = ("first_build", "full_refresh_requested", "definition_changed", "refresh_mode_full")
MENDED_BY_PREPARING = ("change_feed_missing", "history_gone")


@dataclass(frozen=True)
class Refreshed:
    """One refresh, as its record and commit tell it."""

    kind: str
    reason: str
    trigger: str
    seconds: float
    at: int = 0  # when it was committed, epoch milliseconds
    changes: int | None = None
    rows: int | None = None  # written to the state
    strategy: str = ""
    staleness: float | None = None  # how old the oldest change it folded in had become, seconds; None: not known


@dataclass(frozen=True)
class Life:
    """A view, and what happened to it and its sources in the time its history tells of."""

    view: str
    policy: str
    refresh_mode: str
    refreshes: Sequence[Refreshed]
    writes: int  # commits of its sources that changed rows
    files: int
    size: int
    deferred_parents: Sequence[str] = ()
    goal: float | None = None  # max_staleness in seconds

    @property
    def kept_goals(self) -> list[bool]:
        """For each refresh that folded in changes of a known age, whether it came in time."""
        known = [each.staleness for each in self.refreshes if each.staleness is not None]
        return [age <= self.goal for age in known] if self.goal is not None else []


@dataclass(frozen=True)
class Advice:
    """What to change, and why."""

    what: str
    why: str


def advise(life: Life) -> list[Advice]:
    """
    All that the history suggests.

    Example:
        >>> waits = [Refreshed("incremental", "", "demand", 2.0)] * 4
        >>> advise(Life("v", "deferred", "auto", waits, writes=4, files=1, size=9))[0].what
        'policy: immediate'
    """
    rules = (_eager, _lazy, _full, _why_full, _two_levels, _layout)
    return [advice for rule in rules if (advice := rule(life)) is not None]


def _eager(life: Life) -> Advice | None:
    """Z 6.1: eager suits sources that are seldom written, with a reader soon after each write."""
    waits = _by_trigger(life, DEMAND)
    if life.policy != DEFERRED or len(waits) < ENOUGH or life.writes > 1.5 * len(waits):
        return None
    return Advice(
        "policy: immediate",
        f"its sources were written {life.writes} times, and {len(waits)} times a reader had to wait for a refresh "
        f"({spoken(_mean(waits))} on average): there is little to combine, and readers need not wait",
    )


def _lazy(life: Life) -> Advice | None:
    """Z 6.1: lazy suits frequent small updates and costly maintenance; C 5: immediate views do not scale."""
    written = _by_trigger(life, WRITER)
    if life.policy != IMMEDIATE or len(written) < ENOUGH:
        return None
    took = spoken(sum(each.seconds for each in written))
    return Advice(
        "policy: deferred, unless readers cannot wait",
        f"it was refreshed {len(written)} times after a write ({took} in all): "
        "a deferred view does that once for each reader",
    )


def _full(life: Life) -> Advice | None:
    incremental, full = _by_kind(life, INCREMENTAL), _by_kind(life, FULL, BUILD)
    if life.refresh_mode == "full" or len(incremental) < ENOUGH or not full or _mean(incremental) < _mean(full):
        return None
    return Advice(
        "refresh_mode: full",
        f"a refresh from changes took {spoken(_mean(incremental))} on average, one from all rows {spoken(_mean(full))}",
    )


def _why_full(life: Life) -> Advice | None:
    reasons = Counter(each.reason for each in _by_kind(life, FULL) if each.reason not in ASKED_FOR)
    if not reasons:
        return None
    reason, times = reasons.most_common(1)[0]
    remedy = "dbt run-operation prepare_sources" if reason in MENDED_BY_PREPARING else "see docs/reasons.md"
    return Advice(remedy, f"it was computed from all rows {times} times because of {reason}")


def _two_levels(life: Life) -> Advice | None:
    """C 5: of two deferred levels, the reader of the upper one waits for both."""
    waits = _by_trigger(life, DEMAND)
    if life.policy != DEFERRED or not life.deferred_parents or len(waits) < ENOUGH:
        return None
    parents = ", ".join(life.deferred_parents)
    return Advice(f"policy: immediate for {parents}", "both levels are deferred, so its readers wait for both")


def _layout(life: Life) -> Advice | None:
    if life.files < MANY_FILES or life.size / life.files > SMALL_FILE:
        return None
    return Advice(f"OPTIMIZE {life.view}__state", f"its state has {life.files} small files")


def _by_trigger(life: Life, trigger: str) -> list[Refreshed]:
    return [each for each in life.refreshes if each.trigger == trigger]


def _by_kind(life: Life, *kinds: str) -> list[Refreshed]:
    return [each for each in life.refreshes if each.kind in kinds]


def _mean(refreshes: Iterable[Refreshed]) -> float:
    return fmean(each.seconds for each in refreshes)
