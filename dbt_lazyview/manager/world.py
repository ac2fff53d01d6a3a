"""What a manager sees of the world, and can do in it: Spark and dbt behind it, or a simulation."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from dbt_lazyview.manager.schedule import Task


@dataclass(frozen=True)
class Seen:
    """One view at a look; `task` is None where nothing is pending."""

    view: str
    task: Task | None = None
    goal: float | None = None  # seconds
    behind: float = 0.0  # age of the oldest pending change, seconds
    commits: int = 0
    changes: int | None = 0  # rows; None: not known
    warnings: Sequence[str] = ()  # what will be lost if nobody does anything
    waiting: Task | None = None  # a view delta that can be applied where there is nothing else to do

    @property
    def meets_goal(self) -> bool:
        return self.goal is None or self.behind <= self.goal


@dataclass(frozen=True)
class Done:
    """What came of a refresh."""

    kind: str
    line: str = ""  # in words
    seconds: float = 0.0
    changes: int | None = None
    problem: str = ""  # why it failed, nothing if it did not
    chores: Sequence[str] = field(default=())  # compacted, vacuumed

    @property
    def has_failed(self) -> bool:
        return bool(self.problem)


class World(Protocol):
    """Whatever cannot be reached raises, and is tried again later."""

    def look(self, now: float) -> Sequence[Seen]:
        """All views, and what is pending for each."""

    def why_busy(self) -> str:
        """Why the cluster is busy with other work; nothing if it is idle."""

    def is_in_use(self, view: str) -> bool:
        """Whether somebody refreshes the view on demand right now."""

    def key_of(self, view: str) -> str:
        """What a view, or its group, is called among processes."""

    def refresh(self, view: str) -> Done:
        """Bring a view to a new cut, at low priority."""

    def apply(self, view: str) -> Done:
        """Apply what waits in the view delta of a view, at low priority; it shows the same as before."""

    def rest(self) -> None:
        """There is time for what can wait, such as writing the journal."""
