"""The world as it is: lazy views of a dbt project, maintained through its adapter."""

import time
from collections.abc import Callable
from typing import Any

from dbt_lazyview.adapter.connections import SessionHandle
from dbt_lazyview.adapter.response import ERROR, NOT_BUILT
from dbt_lazyview.adapter.turns import TURNS
from dbt_lazyview.adapter.watch import Watch
from dbt_lazyview.maintenance.policies import MANAGER, is_refreshed_by
from dbt_lazyview.maintenance.status import Status
from dbt_lazyview.maintenance.status_report import warnings
from dbt_lazyview.manager.demands import Demands
from dbt_lazyview.manager.load import Load, any_of, of_context
from dbt_lazyview.manager.schedule import NEVER, Task
from dbt_lazyview.manager.world import Done, Seen

POOL = "lazyview_manager"
POOL_OF_SERVER = "spark.sql.thriftserver.scheduler.pool"  # a setting of its sessions
POOL_OF_THREAD = "spark.scheduler.pool"
JOURNAL_EVERY = 60.0  # seconds
GUESSED_SECONDS = 2.0  # of a refresh that was never seen


class SparkWorld:
    """Views by their unique ids."""

    def __init__(self, adapter: Any, names: list[str] | None, loads: list[Load], demands: Demands) -> None:
        self.adapter, self.watch = adapter, Watch(adapter, names)
        adapter.own_settings[POOL_OF_SERVER] = POOL
        self.loads, self.demands = loads, demands
        self._costs: dict[str, float] = {}  # seconds of the last refresh by us
        self._noticed: dict[str, float] = {}  # since when something is pending that has no time of its own
        self._compared: dict[str, float] = {}  # when a view over compared sources was refreshed by us
        self._journal = 0.0
        self._is_embedded: bool | None = None

    def look(self, now: float) -> list[Seen]:
        self._lower_priority()
        return [self._seen(node, status, now) for node, status in self.watch.look()]

    def why_busy(self) -> str:
        return any_of(self.loads)()

    def is_in_use(self, view: str) -> bool:
        key = self.key_of(view)
        return TURNS.is_taken(key) or self.demands.has(key)

    def key_of(self, view: str) -> str:
        return self.watch.turn_key(view)

    def refresh(self, view: str) -> Done:
        began = time.monotonic()
        done = self._done(view, lambda node: self.adapter.refresh_stored(node, MANAGER))
        self._costs[view] = time.monotonic() - began
        self._compared[view] = time.time()
        return done

    def apply(self, view: str) -> Done:
        return self._done(view, self.adapter.apply_stored)

    def _done(self, view: str, work: Callable[[Any], Any]) -> Done:
        self.adapter.probes.forget()
        try:
            response = work(self.watch.nodes[view])
        finally:
            self.watch.forget(view)
            self._noticed.pop(view, None)
        problem = str(response) if response.kind in (ERROR, NOT_BUILT) else ""
        return Done(response.kind, str(response), changes=response.changes, problem=problem, chores=response.chores)

    def rest(self) -> None:
        if time.monotonic() - self._journal > JOURNAL_EVERY:
            self._journal = time.monotonic()
            self.adapter.write_journal()

    def close(self) -> None:
        self.adapter.write_journal()

    def _seen(self, node: Any, status: Status, now: float) -> Seen:
        view, task = node.unique_id, status.task
        behind = max(now - task.oldest / 1000, 0.0) if task.oldest else 0.0
        told = warnings(status, round(now * 1000))
        pending = self._task(view, status, now) if self._is_ours(status) else None
        return Seen(view, pending, status.goal, behind, task.commits, task.rows, told, _waiting(view, status))

    def _is_ours(self, status: Status) -> bool:
        """A view that is not built is for `dbt run`, a snapshot for whoever asks for it."""
        return status.definition is not None and is_refreshed_by(status.definition.policy, MANAGER)

    def _task(self, view: str, status: Status, now: float) -> Task | None:
        oldest = self._pending_since(view, status, now)
        if oldest is None:
            self._noticed.pop(view, None)
            return None
        kept = [at - each.kept_seconds * 500 for each in status.task.sources if (at := each.kept_until) is not None]
        cost = self._costs.get(view) or status.seconds or GUESSED_SECONDS
        return Task(view, oldest, status.goal, cost, min(kept, default=NEVER) / 1000, status.task.commits)

    def _pending_since(self, view: str, status: Status, now: float) -> float | None:
        if status.task.oldest is not None:
            return status.task.oldest / 1000
        if status.task.is_pending or status.state.distrust:  # it has to be computed anew, and no commit says since when
            return self._noticed.setdefault(view, now)
        return None if status.is_known else self._compared_long_ago(view, status, now)

    def _compared_long_ago(self, view: str, status: Status, now: float) -> float | None:
        """Sources that only a refresh can compare are looked at twice within the time that a goal allows."""
        refreshed = status.last_commit.timestamp / 1000 if status.last_commit else 0.0
        since = max(refreshed, self._compared.get(view, 0.0))
        return since if status.goal is not None and now - since >= status.goal / 2 else None

    def _lower_priority(self) -> None:
        """Let the jobs of this thread yield to those of others; on a server, a setting of the session does it."""
        if self._is_embedded is None:
            with self.adapter._engine("manager") as engine:
                handle = engine.connection.handle
                self._is_embedded = isinstance(handle, SessionHandle)
                if self._is_embedded:
                    context = handle.session.sparkContext
                    context.setLocalProperty(POOL_OF_THREAD, POOL)
                    self.loads = [*self.loads, of_context(context)]


def _waiting(view: str, status: Status) -> Task | None:
    """What is shown from a view delta and could be applied, since the last window came."""
    is_past = status.state.point or status.state.unapplied is None
    if is_past or status.state.distrust or status.last_commit is None:
        return None
    return Task(view, status.last_commit.timestamp / 1000)
