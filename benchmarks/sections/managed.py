"""
What a manager costs whoever writes: the response time of updates to a table that no view reads, while nobody, or a
manager in the same Spark, maintains views of another one that is written too, so that there is always work.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from statistics import median
from typing import Any

from benchmarks.bench import Bench
from benchmarks.scope import Scope
from benchmarks.sections.writes import QUERY, SHIFT, WRITES
from dbt_lazyview.maintenance.definition import Definition
from dbt_lazyview.maintenance.tree import Target
from dbt_lazyview.manager.load import of_context
from dbt_lazyview.manager.manager import Manager
from dbt_lazyview.manager.metrics import Metrics
from dbt_lazyview.manager.spark_world import POOL, POOL_OF_THREAD
from tests.functional.maintenance.lake import RawEngine
from tests.functional.maintenance.lake_world import RULES, LakeWorld

SECTION = "managed"
SECONDS = 60  # per point
VIEWS = 4
TURNS, TURNS_LONG = 8, 30
WARM_UP = 2
PAUSE = 1.0  # seconds between writes
WATCHED, OTHER = "managed_customers", "other_customers"
WAYS: dict[str, tuple[float, bool, bool] | None] = {  # budget, low priority, asleep while others work
    "no manager": None,
    "never sleeps, all of the time, no pool": (1.0, False, False),
    "never sleeps, all of the time": (1.0, True, False),
    "never sleeps, half of the time": (0.5, True, False),
    "as `lazyview manage`: half of the time, asleep while others work": (0.5, True, True),
}


class BusyWorld(LakeWorld):
    """A world with others in it."""

    why: Callable[[], str]

    def why_busy(self) -> str:
        return self.why()


def names(scope: Scope) -> list[str]:
    return [] if scope.is_large else list(WAYS)


def run(bench: Bench) -> None:
    if all(bench.results.has(SECTION, each) for each in names(bench.scope)):
        return
    bench.prepare()
    for table in (WATCHED, OTHER):
        bench.lake.run(f"create or replace table {table} using delta as select * from customer")
    _watched(bench).work_off()
    for name, way in WAYS.items():
        bench.point(SECTION, name, partial(_measured, bench, way), _told)
    for view in _queries():
        bench.lake.run(f"drop view if exists {view}", f"drop table if exists {view}__state")
    for table in (WATCHED, OTHER):
        bench.lake.run(f"drop table {table}")


def _queries() -> dict[str, str]:
    return {f"managed_v{number}": QUERY.format(table=WATCHED, number=number) for number in range(VIEWS)}


def _watched(bench: Bench) -> "Watched":
    session = bench.lake.new_session()
    session.sql(f"use {bench.lake.schema}")
    engine = RawEngine(session)
    catalog = session.sql("select current_catalog()").collect()[0][0]
    targets = {
        name: Target((catalog, bench.lake.schema, name), Definition(sql, policy="deferred"))
        for name, sql in _queries().items()
    }
    return Watched(engine, targets)


class Watched:
    """The views, and a manager of them in a thread."""

    def __init__(self, engine: RawEngine, targets: dict[str, Target]) -> None:
        self.engine, self.targets = engine, targets
        self.stop, self.done = threading.Event(), list[str]()

    def work_off(self) -> None:
        """Build what is not there, refresh what is pending."""
        world = LakeWorld(self.engine, self.targets)
        for name in self.targets:
            world.refresh(name)

    def manage(self, way: tuple[float, bool, bool]) -> None:
        share, has_pool, sleeps = way
        context = self.engine.session.sparkContext
        if has_pool:
            context.setLocalProperty(POOL_OF_THREAD, POOL)
        world = BusyWorld(self.engine, self.targets)
        world.why = of_context(context) if sleeps else str
        rules = replace(RULES, share=share, every=0.5)
        manager = Manager(world, rules, time.time, lambda told: self.done.append(told["decision"]), Metrics())
        while not self.stop.is_set():
            self.stop.wait(manager.step())


def _measured(bench: Bench, way: tuple[float, bool, bool] | None) -> dict[str, Any]:
    watched = _watched(bench)
    watched.work_off()
    thread = threading.Thread(target=watched.manage, args=(way,))
    if way:
        thread.start()
    seconds = _written(bench, WARM_UP + (TURNS_LONG if bench.scope.is_long else TURNS))[WARM_UP:]
    watched.stop.set()
    if way:
        thread.join()
    refreshes = watched.done.count("refreshed")
    return {"median": round(median(seconds), 3), "slowest": round(max(seconds), 3), "refreshes": refreshes}


def _written(bench: Bench, turns: int) -> list[float]:
    """Seconds of each update of the table that no view reads; the other one gets rows in between."""
    seconds = []
    for turn in range(turns):
        bench.lake.run(WRITES["append"].format(table=WATCHED, turn=turn, shift=SHIFT * (turn + 1)))
        started = time.perf_counter()
        bench.lake.run(WRITES["update"].format(table=OTHER, turn=turn))
        seconds.append(time.perf_counter() - started)
        time.sleep(PAUSE)
    return seconds


def _told(found: dict[str, Any]) -> str:
    return f"median {found['median']:.2f} s, slowest {found['slowest']:.2f} s, {found['refreshes']} refreshes"
