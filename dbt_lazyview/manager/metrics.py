"""Metrics in the text format of Prometheus: what each view is behind, and what the manager did."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from threading import Lock

from dbt_lazyview.manager.schedule import Choice, Task
from dbt_lazyview.manager.world import Done, Seen

Labels = tuple[tuple[str, str], ...]

# Name -> its kind and what it says.
FAMILIES = {
    "lazyview_behind_seconds": ("gauge", "Age of the oldest change that the view does not show yet."),
    "lazyview_pending_commits": ("gauge", "Commits of sources that the view does not show yet."),
    "lazyview_goal_seconds": ("gauge", "max_staleness of the view."),
    "lazyview_goal_met": ("gauge", "1 if the view is not further behind than its max_staleness."),
    "lazyview_retention_warnings": ("gauge", "Sources whose changes may be gone before the view has seen them."),
    "lazyview_refreshes_total": ("counter", "Refreshes by the manager, by what came of them."),
    "lazyview_refresh_seconds_total": ("counter", "Time that the manager spent on refreshes."),
    "lazyview_changes_total": ("counter", "Changed rows that the manager folded in."),
    "lazyview_goals_missed_total": ("counter", "Refreshes that ended after the goal of the view."),
    "lazyview_manager_decisions_total": ("counter", "Times the manager woke up, by what it decided."),
    "lazyview_manager_busy": ("gauge", "1 if the cluster was busy with other work at the last look."),
    "lazyview_manager_reachable": ("gauge", "1 if Spark answered at the last look."),
    "lazyview_manager_last_look_timestamp_seconds": ("gauge", "When the manager last looked."),
}


class Metrics:
    """Counters and gauges; read by one thread while another one writes."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._views: Sequence[Seen] = ()
        self._counts: Counter[tuple[str, Labels]] = Counter()
        self.is_busy, self.is_reachable, self.last_look = False, False, 0.0

    def saw(self, seen: Sequence[Seen], now: float) -> None:
        with self._lock:
            self._views, self.is_reachable, self.last_look = seen, True, now

    def lost(self) -> None:
        with self._lock:
            self.is_reachable = False

    def decided(self, choice: Choice) -> None:
        why = choice.why.partition(":")[0].partition(",")[0]
        self._count("lazyview_manager_decisions_total", 1, decision=choice.what.value, why=why)

    def refreshed(self, task: Task, done: Done, seconds: float, now: float) -> None:
        self._count("lazyview_refreshes_total", 1, view=task.view, kind="failed" if done.has_failed else done.kind)
        self._count("lazyview_refresh_seconds_total", seconds, view=task.view)
        self._count("lazyview_changes_total", done.changes or 0, view=task.view)
        missed = task.goal is not None and now - task.oldest > task.goal
        self._count("lazyview_goals_missed_total", int(missed), view=task.view)

    def text(self) -> str:
        """Everything, as Prometheus reads it."""
        with self._lock:
            samples = [*self._gauges(), *((name, labels, value) for (name, labels), value in self._counts.items())]
        lines = []
        for name, (kind, what) in FAMILIES.items():
            own = [_sample(*sample) for sample in samples if sample[0] == name]
            lines += [f"# HELP {name} {what}", f"# TYPE {name} {kind}", *sorted(own)] if own else []
        return "\n".join(lines) + "\n"

    def _gauges(self) -> Iterable[tuple[str, Labels, float]]:
        yield "lazyview_manager_busy", (), float(self.is_busy)
        yield "lazyview_manager_reachable", (), float(self.is_reachable)
        yield "lazyview_manager_last_look_timestamp_seconds", (), self.last_look
        for seen in self._views:
            labels = _labels({"view": seen.view})
            yield "lazyview_behind_seconds", labels, seen.behind
            yield "lazyview_pending_commits", labels, float(seen.commits)
            yield "lazyview_retention_warnings", labels, float(len(seen.warnings))
            if seen.goal is not None:
                yield "lazyview_goal_seconds", labels, seen.goal
                yield "lazyview_goal_met", labels, float(seen.meets_goal)

    def _count(self, name: str, by: float, **labels: str) -> None:
        with self._lock:
            self._counts[(name, _labels(labels))] += by  # type: ignore[assignment]


def _labels(labels: Mapping[str, str]) -> Labels:
    return tuple(sorted(labels.items()))


def _sample(name: str, labels: Labels, value: float) -> str:
    """
    One line.

    Example:
        >>> _sample("lazyview_behind_seconds", (("view", 'odd "name"'),), 2.5)
        'lazyview_behind_seconds{view="odd \\\\"name\\\\""} 2.5'
    """
    told = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels)
    number = int(value) if float(value).is_integer() else value
    return f"{name}{{{told}}} {number}" if told else f"{name} {number}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
