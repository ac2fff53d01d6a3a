"""
What a manager costs whoever writes: the response time of writes while nobody, or a manager, maintains views.

    python -m benchmarks.writes_with_manager [--views 4] [--writes 20] [--seconds 1]

Writes go to one table, views are over another one that is written too, so that the manager always has work. It works
in a thread of the same Spark: as everybody else, or at low priority (the pool of `lazyview manage`); with all of the
time or half of it as its budget; and as `lazyview manage` does it, asleep while others work.
"""

import argparse
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from dbt_lazyview.adapter.session import new_session
from dbt_lazyview.manager.load import of_context
from dbt_lazyview.manager.manager import Manager
from dbt_lazyview.manager.metrics import Metrics
from dbt_lazyview.manager.spark_world import POOL, POOL_OF_THREAD
from tests.functional.maintenance.lake import Lake
from tests.functional.maintenance.lake_world import RULES, LakeWorld

QUERY = "select region, count(*) as orders, sum(amount) as revenue from sales where amount > {number} group by region"
WRITE = "insert into {table} select id, concat('r', id % 7), id % 100 from range({start}, {end})"
ROWS = 1000
WAYS = {  # budget, whether it has low priority, whether it sleeps while others work
    "no manager": None,
    "manager, all of the time, no pool": (1.0, False, False),
    "manager, all of the time": (1.0, True, False),
    "manager, half of the time": (0.5, True, False),
    "manager, half of the time, sleeps while busy": (0.5, True, True),
}


class BusyWorld(LakeWorld):
    """A world that may have others in it."""

    def __init__(self, *args: Any, context: Any) -> None:
        super().__init__(*args)
        self.why = of_context(context)

    def why_busy(self) -> str:
        return self.why()


def managed(lake: Lake, way: tuple[float, bool, bool], stop: threading.Event, done: list[str]) -> None:
    """Refresh what is pending until told to stop."""
    share, has_pool, sleeps = way
    context = lake.root.sparkContext
    if has_pool:
        context.setLocalProperty(POOL_OF_THREAD, POOL)
    targets = {name: lake.target(name, sql) for name, sql in views(lake).items()}
    world = BusyWorld(lake.engine(), targets, context=context) if sleeps else LakeWorld(lake.engine(), targets)
    tell = lambda told: done.append(told["decision"])  # noqa: E731
    manager = Manager(world, replace(RULES, share=share, every=0.5), time.time, tell, Metrics())
    while not stop.is_set():
        stop.wait(manager.step())


def views(lake: Lake) -> dict[str, str]:
    return {f"v{number}": QUERY.format(number=number) for number in range(lake.views)}  # type: ignore[attr-defined]


def measured(lake: Lake, writes: int, pause: float) -> list[float]:
    """Seconds of writes to a table that no view reads, one each second; the views' table is written in between."""
    seconds = []
    for turn in range(writes):
        lake.run(WRITE.format(table="sales", start=turn, end=turn + 10))
        started = time.perf_counter()
        lake.run(WRITE.format(table="other", start=turn * ROWS, end=(turn + 1) * ROWS))
        seconds.append(time.perf_counter() - started)
        time.sleep(pause)
    return seconds


def main() -> None:
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        lake = Lake(new_session(Path(folder), {}), "benchmark")
        lake.views = arguments.views  # type: ignore[attr-defined]
        for table in ("sales", "other"):
            lake.run(f"create table {table} (id bigint, region string, amount decimal(10,2)) using delta")
        for name, sql in views(lake).items():
            lake.refresh(name, sql)
        measured(lake, 3, 0)
        print("| while it writes | median | slowest | refreshes |\n|---|---:|---:|---:|")
        for name, way in WAYS.items():
            print(_line(lake, name, way, arguments))


def _line(lake: Lake, name: str, way: Any, arguments: argparse.Namespace) -> str:
    stop, done = threading.Event(), list[str]()
    thread = threading.Thread(target=managed, args=(lake, way, stop, done))
    if way:
        thread.start()
    seconds = measured(lake, arguments.writes, arguments.seconds)
    stop.set()
    if way:
        thread.join()
    return f"| {name} | {median(seconds):.2f} s | {max(seconds):.2f} s | {done.count('refreshed')} |"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--views", type=int, default=4)
    parser.add_argument("--writes", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=1.0, help="between writes")
    return parser.parse_args()


if __name__ == "__main__":
    main()
