"""What a refresh did, for people and for `run_results.json`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dbt_lazyview.maintenance.amounts import counted
from dbt_lazyview.maintenance.decide import NOOP
from dbt_lazyview.maintenance.durations import spoken
from dbt_lazyview.maintenance.record import Record

REGISTERED = "registered"  # left to its readers
ROLL = "roll"  # to an earlier moment that its view delta tells of


@dataclass(frozen=True)
class Outcome:
    """The decision, its reason, and what it cost."""

    view: str
    kind: str
    reason: str = ""
    changes: int | None = 0  # changed rows of the sources, None if their commits do not tell
    rows_changed: int | None = 0  # rows of the state that were written
    statements: int = 0
    strategy: str = ""
    seconds: float = 0.0
    parents: tuple["Outcome", ...] = ()  # refreshed on the way
    companions: tuple["Outcome", ...] = ()  # refreshed with it, as views of its group
    policy: str = ""
    refresh_mode: str = ""
    state_bytes: int = 0  # before
    record: Record | None = None  # None: nothing was written
    parts: int = 1
    is_part: bool = False  # more is to be done
    is_altered: bool = False  # its state follows other configs now
    chores: tuple[str, ...] = ()  # what was done to the state's files afterwards

    @property
    def line(self) -> str:
        """
        The outcome in one line, with the time that this view itself took.

        Example:
            >>> Outcome("v", "incremental", changes=12, rows_changed=3, strategy="merge", seconds=1.83).line
            'incremental: 12 changes, 3 rows, merge, 1.8 s'
            >>> Outcome("v", "full", "definition_changed", changes=None, rows_changed=5, seconds=2).line
            'full (definition_changed): 5 rows, 2.0 s'
            >>> Outcome("v", "registered", changes=1, seconds=0.21).line
            'registered: 1 change pending, 0.2 s'
            >>> Outcome("v", "full", "delta_too_large", changes=61_000, rows_changed=1, seconds=92).line
            'full (delta_too_large): 61,000 changes, 1 row, 1 min 32 s'
        """
        return f"{self.what}, {spoken(self.seconds)}"

    @property
    def what(self) -> str:
        """
        What was done.

        Example:
            >>> Outcome("v", "incremental", changes=12, rows_changed=3, strategy="merge", parts=2).what
            'incremental: 12 changes, 3 rows, merge, in 2 parts'
            >>> Outcome("v", "noop").what
            'noop: nothing new'
        """
        if self.kind == REGISTERED:
            pending = "nothing" if self.changes == 0 else counted(self.changes, "change") or "changes"
            return f"registered: {pending} pending"
        if self.kind == NOOP:
            return f"noop: {self.reason or 'nothing new'}"
        head = f"{self.kind} ({self.reason})" if self.reason else self.kind
        parts = f"in {self.parts} parts" if self.parts > 1 else ""
        told = [counted(self.changes, "change"), counted(self.rows_changed, "row"), self.strategy, *self.chores, parts]
        return f"{head}: {', '.join(filter(None, told))}" if any(told) else head


def combined(parts: Sequence[Outcome]) -> Outcome:
    """
    Consecutive refreshes of a view as one.

    Example:
        >>> combined([Outcome("v", "incremental", changes=2, seconds=1), Outcome("v", "noop", seconds=1)]).line
        'incremental: 2 changes, 0 rows, in 2 parts, 2.0 s'
    """
    if len(parts) == 1:
        return parts[0]
    telling = next((part for part in reversed(parts) if part.kind != NOOP), parts[-1])
    changes, rows = [part.changes for part in parts], [part.rows_changed for part in parts]
    return replace(
        telling, changes=_sum(changes), rows_changed=_sum(rows), statements=sum(part.statements for part in parts),
        seconds=sum(part.seconds for part in parts), parents=tuple(each for part in parts for each in part.parents),
        companions=tuple(each for part in parts for each in part.companions), parts=len(parts), is_part=False,
    )  # fmt: skip


def _sum(numbers: Sequence[int | None]) -> int | None:
    return None if None in numbers else sum(each for each in numbers if each is not None)
