"""The world of a manager without dbt: the lazy views of a lake."""

from collections.abc import Callable, Mapping, Sequence

from dbt_lazyview.maintenance.outcome import Outcome
from dbt_lazyview.maintenance.plan import Request
from dbt_lazyview.maintenance.policies import MANAGER
from dbt_lazyview.maintenance.refresh import refresh
from dbt_lazyview.maintenance.settings import read_settings
from dbt_lazyview.maintenance.status import status_of
from dbt_lazyview.maintenance.tables import Tables
from dbt_lazyview.maintenance.tree import Target
from dbt_lazyview.maintenance.view_delta.idle import apply_waiting
from dbt_lazyview.manager.manager import Manager
from dbt_lazyview.manager.metrics import Metrics
from dbt_lazyview.manager.schedule import Rules, Task
from dbt_lazyview.manager.world import Done, Seen
from tests.functional.maintenance.lake import Lake, RawEngine

RULES = Rules(every=0.1, combine=0.0, share=1.0)


class LakeWorld:
    """Views by their names; looks and refreshes by one engine."""

    def __init__(self, engine: RawEngine, targets: Mapping[str, Target]) -> None:
        self.engine, self.targets = engine, targets
        self.problems: list[Exception] = []

    def look(self, _now: float) -> Sequence[Seen]:
        tables = Tables(self.engine, read_settings(self.engine).time_zone)
        return [self._seen(tables, name, target) for name, target in self.targets.items()]

    def why_busy(self) -> str:
        return ""

    def is_in_use(self, _view: str) -> bool:
        return False

    def key_of(self, view: str) -> str:
        return view

    def refresh(self, view: str) -> Done:
        return self._done(lambda: refresh(self.engine, self.targets[view], Request(trigger=MANAGER)))

    def apply(self, view: str) -> Done:
        return self._done(lambda: apply_waiting(self.engine, self.targets[view]))

    def _done(self, work: Callable[[], Outcome]) -> Done:
        try:
            outcome = work()
        except Exception as problem:
            self.problems.append(problem)
            raise
        return Done(outcome.kind, outcome.line, changes=outcome.changes, chores=outcome.chores)

    def rest(self) -> None:
        """Nothing."""

    def _seen(self, tables: Tables, name: str, target: Target) -> Seen:
        status = status_of(tables, target.name)
        oldest = status.task.oldest
        task = Task(name, oldest / 1000, commits=status.task.commits) if oldest else None
        waiting = Task(name, 0.0) if status.state.unapplied else None
        return Seen(name, task, commits=status.task.commits, waiting=waiting)


def manager_of(lake: Lake, engine: RawEngine, queries: Mapping[str, str], clock, told=lambda _: None, **configs):
    """A manager of some views, and its world."""
    targets = {name: lake.target(name, sql, **configs.get(name, {})) for name, sql in queries.items()}
    world = LakeWorld(engine, targets)
    return Manager(world, RULES, clock, told, Metrics()), world
