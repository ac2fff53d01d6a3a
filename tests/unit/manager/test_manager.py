"""The manager step by step, in a world of its own with a clock of its own."""

import os
import threading
import time
import urllib.error
import urllib.request

import pytest

from dbt_lazyview.adapter.manager_client import WAIT, wait_for_manager
from dbt_lazyview.manager.demands import Demands
from dbt_lazyview.manager.endpoint import as_json, serving, write_file
from dbt_lazyview.manager.load import of_server
from dbt_lazyview.manager.manager import Manager
from dbt_lazyview.manager.metrics import Metrics
from dbt_lazyview.manager.schedule import Rules, Task
from dbt_lazyview.manager.service import fingerprint
from dbt_lazyview.manager.world import Done, Seen

RULES = Rules(every=5, patience=1000, combine=0, share=0.5)


class SmallWorld:
    """Views with something pending since some time; a refresh takes three seconds."""

    def __init__(self, **pending: float) -> None:
        self.now, self.pending, self.refreshed = 100.0, dict(pending), []
        self.busy, self.in_use, self.away, self.fails, self.stays = "", set(), False, set(), set()
        self.warnings: dict[str, list[str]] = {}
        self.waiting: dict[str, float] = {}  # view deltas, since when
        self.applied: list[str] = []
        self.views = list(pending)

    def look(self, now):
        if self.away:
            raise ConnectionError("connection refused\nat line 7")
        return [self._seen(view) for view in self.views]

    def _seen(self, view):
        since = self.pending.get(view)
        task = None if since is None else Task(view, since, goal=50.0, cost=3.0, commits=2)
        behind = 0.0 if since is None else self.now - since
        waiting = Task(view, self.waiting[view]) if view in self.waiting else None
        return Seen(view, task, 50.0, behind, 2 if task else 0, 4, self.warnings.get(view, ()), waiting)

    def why_busy(self):
        return self.busy

    def is_in_use(self, view):
        return view in self.in_use

    def refresh(self, view):
        self.now += 3
        if view in self.fails:
            raise RuntimeError(f"{view} cannot be refreshed\nbecause")
        self.refreshed.append(view)
        if view in self.stays:
            return Done("noop")
        del self.pending[view]
        return Done("incremental", "4 changes", changes=4)

    def apply(self, view):
        self.now += 1
        if view in self.fails:
            raise RuntimeError("no")
        self.applied.append(view)
        del self.waiting[view]
        return Done("apply", "apply: 3 rows", chores=("compacted",))

    def key_of(self, view):
        return view

    def rest(self):
        pass


@pytest.fixture
def made():
    def make(**pending):
        world, told = SmallWorld(**pending), []
        return world, Manager(world, RULES, lambda: world.now, told.append, Metrics()), told

    return make


def step(world, manager) -> None:
    seconds = manager.step()
    world.now += seconds


def test_one_after_the_other_with_rests_between(made):
    world, manager, told = made(a=90.0, b=80.0)
    while world.pending:
        step(world, manager)
    assert world.refreshed == ["b", "a"]
    assert world.now >= 109, "half of the time it rested"
    assert [each["decision"] for each in told] == ["refresh", "refreshed", "sleep", "refresh", "refreshed"]
    assert told[0] == {"decision": "refresh", "why": "least slack", "view": "b", "slack_seconds": 27.0,
                       "waiting": 2, "commits": 2}  # fmt: skip
    step(world, manager)
    step(world, manager)
    assert [each["why"] for each in told[5:]] == ["nothing pending"], "told once"


def test_sleeps_while_busy(made):
    world, manager, told = made(a=90.0)
    world.busy = "9 tasks on 8 cores"
    for _ in range(3):
        step(world, manager)
    assert world.refreshed == []
    assert [each["why"] for each in told] == ["busy: 9 tasks on 8 cores"]
    assert "lazyview_manager_busy 1" in manager.metrics.text()
    world.busy = ""
    step(world, manager)
    assert world.refreshed == ["a"]


def test_leaves_a_view_to_whoever_works_on_it(made):
    world, manager, _ = made(a=90.0, b=95.0)
    world.in_use = {"a"}
    step(world, manager)
    assert world.refreshed == ["b"]


def test_a_view_that_fails_holds_up_nobody_and_is_tried_again_later_and_later(made):
    world, manager, told = made(a=80.0, b=90.0)
    world.fails = {"a"}
    while world.now < 400:
        step(world, manager)
    tries = [each["again_after_seconds"] for each in told if each["decision"] == "failed"]
    assert world.refreshed == ["b"]
    assert tries[:5] == [5, 10, 20, 40, 80]
    assert next(each["problem"] for each in told if each["decision"] == "failed") == "a cannot be refreshed"
    world.fails = set()
    while "a" in world.pending:
        step(world, manager)
    assert world.refreshed == ["b", "a"]


def test_a_view_that_stays_is_not_refreshed_over_and_over(made):
    world, manager, _ = made(a=90.0)
    world.stays = {"a"}
    while world.now < 200:
        step(world, manager)
    assert len(world.refreshed) < 6


def test_applies_view_deltas_where_there_is_nothing_else_to_do(made):
    """The one that waits longest first, none that was added to just now, and after all that is pending."""
    world, manager, told = made(a=90.0)
    world.views = ["a", "b", "c", "d"]
    world.waiting = {"a": 10.0, "b": 30.0, "c": 20.0, "d": 90.0}
    world.fails = {"c"}
    while world.now < 145:
        step(world, manager)
    assert (world.refreshed, world.applied) == (["a"], ["a", "b"])
    assert [each["decision"] for each in told if each.get("view") == "b"] == ["apply", "refreshed"]
    assert next(each for each in told if each["decision"] == "apply")["why"] == "nothing else to do"
    assert [each["chores"] for each in told if "chores" in each] == [["compacted"], ["compacted"]]
    assert 'lazyview_refreshes_total{kind="apply",view="b"} 1' in manager.metrics.text()
    assert manager.has_work
    world.busy = "others"
    while world.now < 160:
        step(world, manager)
    assert world.applied == ["a", "b"], "nobody waits for it"
    world.busy, world.fails = "", set()
    while world.waiting:
        step(world, manager)
    assert world.applied[2:] == ["c", "d"]


def test_survives_a_server_that_is_away(made):
    world, manager, told = made(a=90.0)
    world.away = True
    for _ in range(9):
        step(world, manager)
    assert [each["seconds"] for each in told] == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert told[0]["problem"] == "connection refused"
    assert "lazyview_manager_reachable 0" in manager.metrics.text()
    world.away = False
    step(world, manager)
    assert world.refreshed == ["a"]


def test_views_that_are_gone_are_forgotten(made):
    world, manager, _ = made(a=90.0)
    world.busy = "others"
    step(world, manager)
    world.views = []
    world.busy = ""
    step(world, manager)
    assert world.refreshed == []
    assert not manager.has_work


def test_warns_once_of_what_may_be_lost(made):
    world, manager, told = made(a=90.0)
    world.busy, world.warnings = "others", {"a": ["its changes are kept for 2 h more"]}
    for _ in range(3):
        step(world, manager)
    warned = [each for each in told if each["decision"] == "warn"]
    assert warned == [{"decision": "warn", "view": "a", "warning": "its changes are kept for 2 h more"}]


def test_metrics(made):
    world, manager, _ = made(a=30.0, b=95.0)
    while world.pending:
        step(world, manager)
    text = manager.metrics.text()
    assert 'lazyview_refreshes_total{kind="incremental",view="a"} 1' in text
    assert 'lazyview_goals_missed_total{view="a"} 1' in text
    assert 'lazyview_goals_missed_total{view="b"} 0' in text
    assert 'lazyview_refresh_seconds_total{view="b"} 3' in text
    assert 'lazyview_goal_met{view="b"} 1' in text
    assert text.count("# TYPE lazyview_behind_seconds gauge") == 1
    assert text.endswith("\n")


def test_the_endpoint(tmp_path):
    answers = {"/metrics": lambda _: (200, "text/plain", "up 1\n"), "/healthz": lambda _: (503, "text/plain", "no\n")}
    with serving(0, answers) as port:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics?x=1") as answer:
            assert answer.read() == b"up 1\n"
        for path, status in (("/healthz", 503), ("/etc/passwd", 404)):
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(f"http://127.0.0.1:{port}{path}")
            assert refused.value.code == status
    write_file(tmp_path / "m.prom", "up 1\n")
    assert [each.name for each in tmp_path.iterdir()] == ["m.prom"]


def test_a_server_tells_whether_it_is_busy():
    pages = {
        "http://s:4040/api/v1/applications": [
            {"id": "old", "attempts": [{"completed": True}]},
            {"id": "app", "attempts": [{"completed": False}]},
        ],
        "http://s:4040/api/v1/applications/app/executors": [
            {"totalCores": 0, "activeTasks": 0, "isActive": True},
            {"totalCores": 4, "activeTasks": 3, "isActive": True},
            {"totalCores": 4, "activeTasks": 4, "isActive": False},
        ],
    }
    assert of_server("http://s:4040/", 0.5, pages.__getitem__)() == "3 tasks on 4 cores"
    assert of_server("http://s:4040", 0.8, pages.__getitem__)() == ""


def test_whoever_refreshes_on_demand_waits_for_what_runs():
    running, demands = ["a view"], Demands()
    answers = {WAIT: lambda query: as_json({"is_running": demands.wait(query["view"], lambda: running[0])})}
    with serving(0, answers) as port:
        url, began = f"http://127.0.0.1:{port}/", time.monotonic()
        assert wait_for_manager(url, "another & view")
        assert demands.has("another & view"), "the manager leaves it alone"
        threading.Timer(0.5, lambda: running.__setitem__(0, None)).start()
        assert wait_for_manager(url, "a view")
        assert time.monotonic() - began >= 0.5
    assert not wait_for_manager(url, "a view"), "nobody answers: go on"
    assert not wait_for_manager(None, "a view")


def test_a_project_that_changes_is_noticed(tmp_path):
    (tmp_path / "models").mkdir()
    model = tmp_path / "models" / "a.sql"
    model.write_text("select 1")
    before = fingerprint(tmp_path)
    for output in ("target", ".lazyview"):
        (tmp_path / output).mkdir()
        (tmp_path / output / "b.sql").write_text("select 1")
    assert fingerprint(tmp_path) == before, "what dbt and Spark write is none of it"
    os.utime(model, (9e9, 9e9))
    assert fingerprint(tmp_path) != before
    model.unlink()
    assert fingerprint(tmp_path) == (0, 0.0)
