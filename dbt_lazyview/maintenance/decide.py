"""Plan, first half: noop, incremental or full, and why. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.plan import Window
from dbt_lazyview.compiler.reasons import Problem, Reason
from dbt_lazyview.maintenance.affected import Affected
from dbt_lazyview.maintenance.record import Position
from dbt_lazyview.maintenance.windows import Obstacle

LARGE_STATE = (
    64_000_000  # bytes; rows of it are marked as deleted, and it is not shuffled for the sake of a few changes
)
SMALL_STATE = 8_000_000  # bytes; overwriting less than this takes fewer jobs and less time than a MERGE
REWRITTEN = 32_000_000  # bytes of files that may hold changed rows; the same of rewriting them
ADVANCE_AFTER_VERSIONS = 100
ADVANCE_AFTER_MILLISECONDS = 24 * 3600 * 1000

BUILD, NOOP, INCREMENTAL, FULL = "build", "noop", "incremental", "full"
APPEND, OVERWRITE, REWRITE, MERGE = "append", "overwrite", "rewrite", "merge"  # strategies
CLONE = "clone"  # of another state
WRITES_ALL = (BUILD, FULL, CLONE)  # whatever the state held before
ALLOWED_UNDER_INCREMENTAL = (Reason.FIRST_BUILD, Reason.FULL_REFRESH_REQUESTED)


@dataclass(frozen=True)
class Situation:
    """Everything the decision depends on."""

    refresh_mode: str
    distrust: Reason | None  # of the state
    full_requested: bool = False
    is_due: bool = True  # asked for by name, not for the sake of a reader or a writer
    definition_changed: bool = False
    settings_changed: bool = False
    problems: tuple[Problem, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    windows: Mapping[Name, Window] | None = None

    @property
    def has_changes(self) -> bool:
        return any(window.changed for window in (self.windows or {}).values())


@dataclass(frozen=True)
class Decision:
    """What to do, and for a full refresh why; `about` names the source or construct it is about."""

    kind: str
    reason: Reason | None = None
    about: str = ""


def decide(situation: Situation) -> Decision:
    """
    Choose the cheapest right thing.

    Example:
        >>> decide(Situation("auto", distrust=Reason.FIRST_BUILD))
        Decision(kind='build', reason=<Reason.FIRST_BUILD: 'LV020'>, about='')
    """
    if situation.distrust is Reason.FIRST_BUILD:
        return Decision(BUILD, Reason.FIRST_BUILD)
    needed = _full_needed(situation)
    if needed:
        return needed
    return Decision(INCREMENTAL if situation.has_changes else NOOP)


def _full_needed(situation: Situation) -> Decision | None:
    if situation.full_requested:
        return Decision(FULL, Reason.FULL_REFRESH_REQUESTED)
    if situation.distrust:
        return Decision(FULL, situation.distrust)
    if situation.definition_changed:
        return Decision(FULL, Reason.DEFINITION_CHANGED)
    if situation.settings_changed:
        return Decision(FULL, Reason.SETTINGS_CHANGED)
    if situation.obstacles:
        return Decision(FULL, situation.obstacles[0].reason, situation.obstacles[0].source)
    return _full_by_nature(situation)


def _full_by_nature(situation: Situation) -> Decision | None:
    if situation.refresh_mode == "full" and (situation.is_due or situation.has_changes):
        return Decision(FULL, Reason.REFRESH_MODE_FULL)
    unseen = [problem for problem in situation.problems if problem.reason is Reason.SOURCE_UNVERSIONED]
    if unseen:
        return Decision(FULL, Reason.SOURCE_UNVERSIONED, unseen[0].what)
    volatile = [problem for problem in situation.problems if problem.reason is Reason.NON_DETERMINISTIC]
    if situation.problems and (situation.has_changes or (volatile and situation.is_due)):
        problem = (volatile or situation.problems)[0]
        return Decision(FULL, problem.reason, problem.what)
    return None


def why_refused(decision: Decision, refresh_mode: str, problems: tuple[Problem, ...]) -> Reason | None:
    """Why the mode forbids the decision: `incremental` never recomputes by itself, nor begins in vain."""
    if refresh_mode != "incremental":
        return None
    if problems:
        return problems[0].reason
    recomputes = decision.kind in (BUILD, FULL)
    return decision.reason if recomputes and decision.reason not in ALLOWED_UNDER_INCREMENTAL else None


def choose_strategy(state_bytes: int, is_parent: bool, affected: Affected | None = None) -> str:
    """
    How a change is folded in. Rows that are all new are appended. A small state is overwritten, unless that would bloat
    the change feed that children read; of other states few files are rewritten. What is left is merged into.
    """
    if affected and not affected.files:
        return APPEND
    if state_bytes < SMALL_STATE and not is_parent:
        return OVERWRITE
    return REWRITE if affected and affected.bytes < REWRITTEN else MERGE


def should_advance(recorded: Mapping[str, Position], now: Mapping[str, Position]) -> bool:
    """Whether versions without data changes lie so far back that the record should follow them, lest they expire."""
    return any(_lags(recorded[name], position) for name, position in now.items() if name in recorded)


def _lags(recorded: Position, now: Position) -> bool:
    versions, age = now.version - recorded.version, now.timestamp - recorded.timestamp
    return versions > ADVANCE_AFTER_VERSIONS or (versions > 0 and age > ADVANCE_AFTER_MILLISECONDS)
