"""Status: how far each lazy view is behind and what was done to it last, told by metadata alone."""

from dataclasses import dataclass

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.definition import FULL, Definition
from dbt_lazyview.maintenance.history import Commit
from dbt_lazyview.maintenance.public import load_shown_state
from dbt_lazyview.maintenance.record import Record
from dbt_lazyview.maintenance.state import State
from dbt_lazyview.maintenance.tables import Tables
from dbt_lazyview.maintenance.tasks import Task, task_of
from dbt_lazyview.maintenance.tree import state_name
from dbt_lazyview.maintenance.view_delta.consistent import ValidTime


@dataclass(frozen=True)
class Status:
    """One view: its state as loaded, and what is pending for it."""

    view: Name
    state: State
    task: Task

    @property
    def is_built(self) -> bool:
        return self.state.detail is not None

    @property
    def is_known(self) -> bool:
        """Whether nothing but the task is pending."""
        reads_moving = self.definition is not None and self.definition.capture == FULL
        return self.task.is_known and not reads_moving

    @property
    def definition(self) -> Definition | None:
        return self.state.definition

    @property
    def last(self) -> Record | None:
        """The record of the last refresh that left one."""
        return self.state.record

    @property
    def last_commit(self) -> Commit | None:
        return self.state.recorded

    @property
    def cut_time(self) -> int | None:
        """Time of the newest commit the view stands for, epoch milliseconds."""
        return max((position.timestamp for position in self.last.cut.values()), default=None) if self.last else None

    @property
    def seconds(self) -> float | None:
        """How long the last refresh took, from its start to its commit; older records do not tell."""
        if self.last is None or self.last_commit is None or not self.last.started:
            return None
        return max(self.last_commit.timestamp - self.last.started, 0) / 1000

    @property
    def goal(self) -> float | None:
        """How many seconds old a change may get before the view shows it; None: nobody set a goal."""
        return self.definition.goal if self.definition else None

    def meets_goal(self, now: int) -> bool | None:
        """Whether nothing older is pending; None: no goal. `now` in epoch milliseconds."""
        if self.goal is None:
            return None
        return self.task.oldest is None or now - self.task.oldest <= self.goal * 1000

    @property
    def valid(self) -> ValidTime | None:
        """When what the view shows is the current answer (B 6)."""
        return None if self.cut_time is None else ValidTime(self.cut_time, self.task.oldest)

    @property
    def size(self) -> int:
        return self.state.detail.size if self.state.detail else 0


def status_of(tables: Tables, view: Name) -> Status:
    """Look at a view's state, and at its base tables."""
    state = load_shown_state(tables, state_name(view))
    return Status(view, state, task_of(tables, state))
