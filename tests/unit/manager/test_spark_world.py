"""Since when something is pending for a view, as the manager sees it."""

from types import SimpleNamespace

import pytest

from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.definition import Definition
from dbt_lazyview.maintenance.history import Commit
from dbt_lazyview.maintenance.state import State
from dbt_lazyview.maintenance.status import Status
from dbt_lazyview.maintenance.tables import Detail
from dbt_lazyview.maintenance.tasks import Pending, Task
from dbt_lazyview.manager.demands import Demands
from dbt_lazyview.manager.schedule import NEVER
from dbt_lazyview.manager.spark_world import POOL, POOL_OF_SERVER, SparkWorld

NODE = SimpleNamespace(unique_id="model.shop.v")
NOW = 1000.0  # seconds
APPEND = Commit(2, 900_000, "WRITE", {"mode": "Append"}, {"numOutputRows": "2"})


@pytest.fixture
def world():
    adapter = SimpleNamespace(own_settings={}, lazy_views_named=lambda _: [], _nodes=dict)
    made = SparkWorld(adapter, None, [], Demands())
    assert adapter.own_settings == {POOL_OF_SERVER: POOL}
    return made


def status(*sources: Pending, distrust: Reason | None = None, **configs) -> Status:
    detail = Detail("delta", "x", 0, "", {}, 1)
    refreshed = Commit(1, 700_000, "WRITE")
    definition = Definition("select 1", **configs)
    state = State(("v__state",), detail, definition, recorded=refreshed, newest=refreshed, distrust=distrust)
    return Status(("c", "shop", "v"), state, Task(sources))


def test_commits_tell_since_when(world):
    kept = Pending(("t",), 1, 2, (APPEND,), superseded=900_000, kept_seconds=1000)
    seen = world._seen(NODE, status(kept, max_staleness="2 minutes"), NOW)
    assert (seen.task.oldest, seen.task.goal, seen.behind, seen.commits) == (900.0, 120.0, 100.0, 1)
    assert seen.task.kept_until == 1400.0, "half of the time before they may be gone"
    assert seen.meets_goal
    assert not world._seen(NODE, status(kept, max_staleness="1 minute"), NOW).meets_goal


def test_nothing_pending(world):
    assert world._seen(NODE, status(Pending(("t",), 1, 1)), NOW).task is None


def test_snapshots_and_views_that_are_not_built_are_not_ours(world):
    pending = Pending(("t",), 1, 2, (APPEND,))
    assert world._seen(NODE, status(pending, policy="snapshot"), NOW).task is None
    assert world._seen(NODE, Status(("v",), State(("v__state",)), Task((pending,))), NOW).task is None


def test_what_has_to_be_computed_anew_waits_since_it_was_noticed(world):
    distrusted = status(distrust=Reason.STATE_CHANGED)
    assert world._seen(NODE, distrusted, NOW).task.oldest == NOW
    later = world._seen(NODE, distrusted, NOW + 60).task
    assert (later.oldest, later.kept_until) == (NOW, NEVER)
    assert world._seen(NODE, status(), NOW + 61).task is None
    assert world._seen(NODE, distrusted, NOW + 90).task.oldest == NOW + 90


def test_compared_sources_are_looked_at_twice_within_a_goal(world):
    copy = Pending(("t__copy_1",), 1, 1, is_copy=True)
    assert world._seen(NODE, status(copy), NOW).task is None, "nobody asked for it"
    assert world._seen(NODE, status(copy, max_staleness="10 minutes"), NOW).task.oldest == 700.0
    assert world._seen(NODE, status(copy, max_staleness="20 minutes"), NOW).task is None
    world._compared[NODE.unique_id] = 990.0
    assert world._seen(NODE, status(copy, max_staleness="10 minutes"), NOW).task is None
