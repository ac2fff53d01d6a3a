"""Load: what a state says about itself, and whether that can still be believed."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.plan import Unapplied
from dbt_lazyview.compiler.reasons import ModelError, Problem, Reason
from dbt_lazyview.maintenance.decide import WRITES_ALL
from dbt_lazyview.maintenance.definition import LATER, Definition, is_state, read_definition
from dbt_lazyview.maintenance.history import Commit, is_harmless_to_state, rows_written
from dbt_lazyview.maintenance.record import Record, UnreadableRecord, from_json
from dbt_lazyview.maintenance.tables import FIRST_LOOK, Detail, Tables, sql_name
from dbt_lazyview.names import DELTA_SUFFIX, PROPERTY_DELTA, STATE_SUFFIX

NO_VERSION = -1


@dataclass(frozen=True)
class State:
    """A state as loaded. `distrust` says why it cannot be maintained further, None if it can."""

    name: Name
    detail: Detail | None = None
    definition: Definition | None = None
    record: Record | None = None
    newest: Commit | None = None
    recorded: Commit | None = None  # the commit that carries the record
    distrust: Reason | None = None
    last_task: int | None = None
    base: "State | None" = None  # the table by itself, where the record is that of a view delta beside it
    delta: "State | None" = None  # the view delta, as loaded
    point: str = ""  # the epoch of a window that leads to a moment between two others
    is_past: bool = False  # rolled to an earlier moment: there is something newer

    @property
    def version(self) -> int:
        return self.newest.version if self.newest else NO_VERSION

    @property
    def own(self) -> "State":
        """The table by itself, without the view delta beside it."""
        return self.base or self

    @property
    def epoch(self) -> str:
        """What windows of a view delta go on from: the last record of ours that did not come out of them."""
        record = self.own.record
        return (record.epoch or record.token) if record else ""

    @property
    def unapplied(self) -> Unapplied | None:
        """What of the view delta is not in the table yet."""
        if self.base is None or self.delta is None or self.record is None or self.own.record is None:
            return None
        after, upto = self.own.record.window, self.record.window
        if after >= upto and not self.point:
            return None
        version = self.delta.version if after < upto else None  # a point alone is never written again
        return Unapplied(sql_name(self.delta.name), version, self.epoch, after, upto, self.point)

    @property
    def pruned(self) -> int:
        """The newest window that was deleted: nobody can go on from an earlier one."""
        newest = self.delta.record if self.delta else None
        return newest.pruned if newest and newest.epoch == self.epoch else 0

    @property
    def next_task(self) -> int:
        """Exactly one more than the last: two refreshers of one state try the same number, and one of them wins."""
        return self.last_task + 1 if self.last_task is not None else time.time_ns() // 1_000_000

    @property
    def waiting(self) -> int:
        """How many rows of the view delta are not applied; each window has one more, which ends it."""
        if self.unapplied is None or self.record is None:
            return 0
        return self.record.waiting + max((rows_written(self.recorded) if self.recorded else 0) or 0, 1) - 1


def load_state(tables: Tables, name: Name, at: int | None = None) -> State:
    """
    Read a state's properties and its newest record, and judge every commit that is not covered by it; `at` a version,
    as if nothing had been committed after it.
    """
    state = load_own_state(tables, name, at)
    is_deferred = state.definition is not None and state.definition.apply == LATER
    return with_delta(state, load_delta(tables, name)) if is_deferred and at is None and state.record else state


def load_own_state(tables: Tables, name: Name, at: int | None = None) -> State:
    """A state by itself, whatever waits in its view delta."""
    detail = tables.detail(name)
    if detail is None:
        return State(name, distrust=Reason.STATE_MISSING)
    if not is_state(detail.properties):
        raise ModelError((_foreign(name),))
    definition = read_definition(detail.properties)
    commits = _upto(tables.newest(name, FIRST_LOOK), at) or _upto(tables.commits(name, down_to=0), at)
    if not commits:
        return State(name, detail, definition, distrust=Reason.RECORD_MISSING)
    state = judge(State(name, detail, definition, newest=commits[0]), commits)
    if commits[-1].version > 0 and not _is_covered(state, commits):
        state = judge(state, _upto(tables.commits(name, down_to=0), at))
    return state if definition else replace(state, distrust=Reason.RECORD_FORMAT)


def load_delta(tables: Tables, state: Name) -> State:
    """The view delta beside a state, as a table of ours with a record; there may be none."""
    name = delta_name(state)
    detail = tables.detail(name)
    if detail is None:
        return State(name)
    if PROPERTY_DELTA not in detail.properties:
        raise ModelError((_foreign(name),))
    commits = tables.newest(name, FIRST_LOOK)
    found = judge(State(name, detail, newest=commits[0]), commits)
    is_whole = commits[-1].version == 0 or _is_covered(found, commits)
    return found if is_whole else judge(found, tables.commits(name, down_to=0))


def with_delta(state: State, delta: State) -> State:
    """A state with its view delta: it stands for what the newest window says, if that goes on from what is stored."""
    assert state.record is not None
    fallback = max(state.last_task or 0, state.record.window)
    delta = delta if delta.last_task is not None else replace(delta, last_task=fallback)
    newest = delta.record
    if newest is None or newest.epoch != state.epoch or newest.window <= state.record.window:
        return replace(state, delta=delta)
    distrust = state.distrust or delta.distrust
    return replace(state, record=newest, recorded=delta.recorded, base=state, delta=delta, distrust=distrust)


def delta_name(state: Name) -> Name:
    """
    The name of the view delta beside a state.

    Example:
        >>> delta_name(("x", "v__state"))
        ('x', 'v__delta')
    """
    return (*state[:-1], state[-1].removesuffix(STATE_SUFFIX) + DELTA_SUFFIX)


def _upto(commits: tuple[Commit, ...], version: int | None) -> tuple[Commit, ...]:
    return commits if version is None else tuple(each for each in commits if each.version <= version)


def _is_covered(state: State, commits: tuple[Commit, ...]) -> bool:
    """Whether the commits read so far reach down to all that the record stands on."""
    return state.record is not None and commits[-1].version <= state.record.onto + 1


def judge(state: State, commits: tuple[Commit, ...]) -> State:
    """Complete a state by its record, found in its commits (newest first)."""
    try:
        found = next(((commit, record) for commit in commits if (record := from_json(commit.metadata))), None)
    except UnreadableRecord as unreadable:
        return replace(state, distrust=Reason.RECORD_FORMAT, last_task=unreadable.task)
    if found is None:
        return replace(state, distrust=Reason.RECORD_MISSING)
    commit, record = found
    distrust = Reason.STATE_CHANGED if any(_uncovered(commits, commit, record)) else None
    return replace(state, record=record, recorded=commit, distrust=distrust, last_task=record.task)


def _uncovered(commits: Iterable[Commit], recorded: Commit, record: Record) -> Iterable[Commit]:
    """Commits of others that changed rows: above the record, or between what a refresh loaded and what it wrote."""
    floor = recorded.version if record.kind in WRITES_ALL else record.onto
    return (
        each for each in commits if each.version > floor and each is not recorded and not is_harmless_to_state(each)
    )


def _foreign(name: Name) -> Problem:
    return Problem(
        Reason.RESERVED_NAME, f"{sql_name(name)} exists and is not a state of a lazy view.",
        "A lazy view stores its rows in a table of this name, and this one belongs to somebody else.",
        "Rename that table, or give the model another alias.",
    )  # fmt: skip
