"""The manager: looks, chooses, lets a view be refreshed, and sleeps, until it is told to stop."""

from collections.abc import Callable
from typing import Any

from dbt_lazyview.manager.metrics import Metrics
from dbt_lazyview.manager.pauses import Pauses
from dbt_lazyview.manager.schedule import Budget, Choice, Queue, Rules, Task, What, choose
from dbt_lazyview.manager.world import Done, Seen, World

WORLD = "the world"  # as a key of pauses
LONGEST_AWAY = 60.0  # seconds between two tries to reach a server that does not answer

Tell = Callable[[dict[str, Any]], None]


class Manager:
    """
    One step after the other; each says how long to sleep after it.

    Nothing it knows has to survive it: what is pending stands in Delta's logs, and what was done in the states.
    """

    def __init__(self, world: World, rules: Rules, clock: Callable[[], float], tell: Tell, metrics: Metrics) -> None:
        self.world, self.rules, self.clock, self.tell, self.metrics = world, rules, clock, tell, metrics
        self.queue, self.budget, self.pauses = Queue(rules), Budget(rules.share), Pauses()
        self.away = Pauses(first=1.0, longest=LONGEST_AWAY)
        self.running: str | None = None  # the view that is refreshed now
        self.waiting: list[Task] = []  # view deltas, the one that waits longest first
        self._told = ""  # why it sleeps; told when that changes
        self._warned: dict[str, tuple[str, ...]] = {}

    @property
    def has_work(self) -> bool:
        return any(self.pauses.is_over(task.view, self.clock()) for task in (*self.queue, *self.waiting))

    def step(self) -> float:
        """Look and do at most one thing; how long to sleep, in seconds."""
        try:
            self._look()
            choice = self._choice()
        except Exception as problem:  # whatever it is: a manager outlives it
            return self._unreachable(problem)
        self.away.clear(WORLD)
        self.metrics.decided(choice)
        if choice.what is What.SLEEP or choice.task is None:
            return self._sleep(choice)
        return self._work(choice, choice.task)

    def _look(self) -> None:
        seen = self.world.look(self.clock())
        for each in seen:
            self._queue_up(each)
            self._warn(each)
        for gone in {task.view for task in self.queue} - {each.view for each in seen}:
            self.queue.drop(gone)
        waiting = [each.waiting for each in seen if each.waiting and not each.task]
        self.waiting = sorted(waiting, key=lambda task: task.oldest)
        self.metrics.saw(seen, self.clock())

    def _queue_up(self, seen: Seen) -> None:
        if seen.task:
            self.queue.put(seen.task)
        else:
            self.queue.drop(seen.view)
        if not seen.task and not seen.waiting:
            self.pauses.clear(seen.view)

    def _choice(self) -> Choice:
        now = self.clock()
        busy = self.world.why_busy() if len(self.queue) or self.waiting else ""
        self.metrics.is_busy = bool(busy)
        return choose(self.queue, now, self.budget.rest(now), busy, self._may, self.waiting)

    def _may(self, task: Task) -> bool:
        return self.pauses.is_over(task.view, self.clock()) and not self.world.is_in_use(task.view)

    def _sleep(self, choice: Choice) -> float:
        if choice.why != self._told:
            self._told = choice.why
            self.tell({"decision": "sleep", "why": choice.why, "waiting": len(self.queue), **_task_facts(choice)})
        self.world.rest()
        return min(choice.seconds, self.rules.every)

    def _work(self, choice: Choice, task: Task) -> float:
        """Refresh a view, or apply what waits for it."""
        waiting = {"waiting": len(self.queue), "commits": task.commits}
        self.tell({"decision": choice.what.value, "why": choice.why, **_task_facts(choice), **waiting})
        self._told, self.running = "", task.view
        began, work = self.clock(), self.world.refresh if choice.what is What.REFRESH else self.world.apply
        try:
            done = work(task.view)
        except Exception as problem:
            done = Done("error", problem=_first_line(problem))
        finally:
            self.running = None
        self.budget.spend(self.clock() - began, self.clock())
        self._note(task, done, self.clock() - began)
        return 0.0

    def _note(self, task: Task, done: Done, seconds: float) -> None:
        """What came of it. A view that failed, or stays as it is although something is pending, has to wait."""
        self.queue.drop(task.view)
        self.metrics.refreshed(task, done, seconds, self.clock())
        facts = {"view": task.view, "kind": done.kind, "seconds": round(seconds, 3), "changes": done.changes}
        more: dict[str, Any] = {"chores": list(done.chores)} if done.chores else {}
        if done.has_failed or done.kind == "noop":  # nothing was done about what was seen
            more["again_after_seconds"] = self.pauses.fail(task.view, self.clock())
        else:
            self.pauses.clear(task.view)
        told = {"problem": done.problem} if done.has_failed else {"line": done.line}
        self.tell({"decision": "failed" if done.has_failed else "refreshed", **facts, **told, **more})

    def _warn(self, seen: Seen) -> None:
        """Tell of what may be lost, once."""
        warnings = tuple(seen.warnings)
        if warnings and seen.view not in self._warned:
            for each in warnings:
                self.tell({"decision": "warn", "view": seen.view, "warning": each})
        self._warned = {**self._warned, seen.view: warnings} if warnings else _without(self._warned, seen.view)

    def _unreachable(self, problem: Exception) -> float:
        seconds = self.away.fail(WORLD, self.clock())
        self.metrics.lost()
        self.tell(
            {"decision": "wait", "why": "Spark does not answer", "problem": _first_line(problem), "seconds": seconds}
        )
        self._told = ""
        return seconds


def _task_facts(choice: Choice) -> dict[str, Any]:
    if choice.task is None:
        return {}
    slack = {} if choice.slack is None else {"slack_seconds": round(choice.slack, 1)}
    return {"view": choice.task.view, **slack}


def _without(warned: dict[str, tuple[str, ...]], view: str) -> dict[str, tuple[str, ...]]:
    return {name: told for name, told in warned.items() if name != view} if view in warned else warned


def _first_line(problem: Exception) -> str:
    text = str(getattr(problem, "msg", None) or problem).strip()
    return text.splitlines()[0] if text else type(problem).__name__
