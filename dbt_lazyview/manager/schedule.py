"""
Schedule: which of the pending tasks is next, and whether now (Z 3.5). Pure; whoever asks hands the time in.

Every task has a moment at which it has to begin at the latest. That moment does not move while the task waits, so that
the task with the least slack is always the one with the earliest moment; and as every other task that comes to stand
before it had to begin before that fixed moment, no task waits forever.
"""

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

NEVER = float("inf")


@dataclass(frozen=True)
class Task:
    """What is pending for a view, all of it to be done at once; times in seconds."""

    view: str
    oldest: float  # when the oldest pending change was committed
    goal: float | None = None  # how old it may get: max_staleness; None: as old as the patience of the manager
    cost: float = 0.0  # how long a refresh is expected to take
    kept_until: float = NEVER  # when what is pending may be gone
    commits: int = 0  # that queued up

    def latest_start(self, patience: float) -> float:
        """
        When it has to begin.

        Example:
            >>> Task("v", oldest=100, goal=60, cost=10).latest_start(patience=3600)
            150.0
        """
        deadline = self.oldest + (patience if self.goal is None else self.goal)
        return float(min(deadline, self.kept_until) - self.cost)


@dataclass(frozen=True)
class Rules:
    """What a manager was told; times in seconds."""

    every: float = 5.0  # how often it wakes up
    patience: float = 86400.0  # how old a change may get where no goal is set
    combine: float = 5.0  # how long changes queue up before they are worth a task, unless that is too late
    share: float = 0.5  # of the time, that maintenance may take
    settle: float = 60.0  # how long nothing was added to a view delta before it is applied in idle time


class What(Enum):
    """What a manager does next."""

    REFRESH = "refresh"
    APPLY = "apply"
    SLEEP = "sleep"


@dataclass(frozen=True)
class Choice:
    """What to do next, and why."""

    what: What
    why: str
    task: Task | None = None
    slack: float | None = None  # seconds until the task has to begin
    seconds: float = 0.0  # to sleep


class Queue:
    """
    Tasks, one for each view, the one that has to begin first at the head.

    Example:
        >>> queue = Queue(Rules(patience=100))
        >>> for task in (Task("a", oldest=5), Task("b", oldest=3), Task("c", oldest=9, goal=20)):
        ...     queue.put(task)
        >>> [task.view for task in queue.in_order(lambda task: task.view != "b")]
        ['c', 'a']
        >>> len(queue)
        3
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._tasks: dict[str, Task] = {}
        self._heap: list[tuple[float, float, str]] = []

    def __len__(self) -> int:
        return len(self._tasks)

    def __iter__(self) -> Iterator[Task]:
        return iter(self._tasks.values())

    def put(self, task: Task) -> None:
        """A task takes the place of the one that the view had before: what queued up is done at once."""
        if self._tasks.get(task.view) != task:
            self._tasks[task.view] = task
            heapq.heappush(self._heap, self._entry(task))

    def drop(self, view: str) -> None:
        """The task is done, or the view is gone."""
        self._tasks.pop(view, None)

    def in_order(self, may: Callable[[Task], bool]) -> Iterator[Task]:
        """The tasks that may begin, by their slack; what is passed over keeps its place."""
        passed: list[tuple[float, float, str]] = []
        try:
            while self._heap:
                entry = heapq.heappop(self._heap)
                task = self._tasks.get(entry[-1])
                if task is None or self._entry(task) != entry or (passed and passed[-1] == entry):
                    continue  # it was done, or has changed
                passed.append(entry)
                if may(task):
                    yield task
        finally:
            for entry in passed:
                heapq.heappush(self._heap, entry)

    def _entry(self, task: Task) -> tuple[float, float, str]:
        return (task.latest_start(self.rules.patience), task.oldest, task.view)


class Budget:
    """
    A share of the time: after each work comes a rest, the longer the smaller the share.

    Example:
        >>> budget = Budget(share=0.25)
        >>> budget.spend(10.0, now=100.0)
        >>> budget.rest(now=100.0), budget.rest(now=120.0), budget.rest(now=500.0)
        (30.0, 10.0, 0.0)
    """

    def __init__(self, share: float) -> None:
        self.share, self._until = share, 0.0

    def spend(self, seconds: float, now: float) -> None:
        self._until = now + seconds * (1 - self.share) / self.share

    def rest(self, now: float) -> float:
        """How much longer to rest."""
        return max(self._until - now, 0.0)


def choose(
    queue: Queue,
    now: float,
    rest: float,
    busy: str,
    may: Callable[[Task], bool] = lambda _: True,
    waiting: Sequence[Task] = (),
) -> Choice:
    """
    What to do now. `rest`: what the budget says; `busy`: why the cluster is, or nothing; `may`: whether a view can be
    worked on, which it cannot while somebody else does; `waiting`: view deltas, for when there is nothing else to do.
    """
    rules = queue.rules
    settled = [each for each in waiting if now >= each.oldest + rules.settle]
    if not len(queue) and not settled:
        return Choice(What.SLEEP, "nothing pending", seconds=rules.every)
    if rest:
        return Choice(What.SLEEP, "budget spent", seconds=rest)

    def is_ripe(task: Task) -> bool:
        return now >= min(task.oldest + rules.combine, task.latest_start(rules.patience)) and may(task)

    task = next(queue.in_order(is_ripe), None)
    if task is None:
        return _in_idle_time(next(filter(may, settled), None), busy, rules.every)
    slack = task.latest_start(rules.patience) - now
    if busy and slack > 0:
        return Choice(What.SLEEP, f"busy: {busy}", task, slack, rules.every)
    return Choice(What.REFRESH, _why(task, slack, busy, rules.patience), task, slack)


def _in_idle_time(task: Task | None, busy: str, every: float) -> Choice:
    """No view has to be refreshed: a view delta may be applied, which nobody waits for."""
    if task is None:
        return Choice(What.SLEEP, "nothing can begin yet", seconds=every)
    if busy:
        return Choice(What.SLEEP, f"busy: {busy}", seconds=every)
    return Choice(What.APPLY, "nothing else to do", task)


def _why(task: Task, slack: float, busy: str, patience: float) -> str:
    if slack > 0:
        return "least slack" if task.goal is not None else "oldest change"
    is_lost_first = task.kept_until < task.oldest + (patience if task.goal is None else task.goal)
    late = "its changes may soon be gone" if is_lost_first else "its goal is at risk"
    return f"{late}, although busy: {busy}" if busy else late
