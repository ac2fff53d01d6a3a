"""One warm Spark, the tables of TPC-H in it, and views that are refreshed both ways: from changes, and in full."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.meter import Cost, Meter
from benchmarks.results import Results
from benchmarks.tpch import Warehouse
from dbt_lazyview.adapter.session import new_session
from dbt_lazyview.maintenance.outcome import Outcome
from tests.functional.maintenance.lake import Lake

Measured = tuple[Outcome, Cost]


class Bench:
    """What the sections share."""

    def __init__(self, scale: float, folder: Path, results: Results) -> None:
        self.scale, self.results = scale, results
        self.started = time.monotonic()
        self.tell(f"TPC-H at scale factor {scale:g}: tables")
        session = new_session(folder / f"spark-sf{scale:g}", {})
        self.lake = Lake(session, "benchmark")
        self.meter = Meter(session)
        self.warehouse = Warehouse(self.lake, scale, folder)

    def tell(self, what: str) -> None:
        print(f"{time.monotonic() - self.started:7.0f} s  {what}", flush=True)

    def build(self, name: str, sql: str, **configs: Any) -> None:
        """A view twice: one is refreshed from changes, the other in full; both once before anything is measured."""
        self.lake.refresh(name, sql, **configs)
        self.lake.refresh(f"{name}__full", sql, **configs)

    def incremental(self, name: str, sql: str, **configs: Any) -> Measured:
        return self.meter.cost(lambda: self.lake.refresh(name, sql, **configs))

    def full(self, name: str, sql: str, **configs: Any) -> Measured:
        return self.meter.cost(lambda: self.lake.refresh(f"{name}__full", sql, full=True, **configs))

    def drop(self, *names: str) -> None:
        for name in names:
            for view in (name, f"{name}__full"):
                self.lake.run(f"drop view if exists {view}", f"drop table if exists {view}__state")

    def both(self, name: str, sql: str, change: Callable[[], Any]) -> dict[str, Any]:
        """A change, followed by the view both ways."""
        change()
        outcome, incremental = self.incremental(name, sql)
        _, full = self.full(name, sql)
        return point(outcome, incremental, full)


def point(outcome: Outcome, incremental: Cost, full: Cost) -> dict[str, Any]:
    """What is kept of a comparison."""
    return {
        "kind": outcome.kind,
        "strategy": outcome.strategy,
        "statements": outcome.statements,
        "ratio": round(full.seconds / incremental.seconds, 2),
        "incremental": incremental.as_dict(),
        "full": full.as_dict(),
    }
