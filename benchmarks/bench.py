"""One warm Spark with the tables of TPC-H in it, a meter, and the points that were measured: what sections share."""

import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.lake import Lake, Subject
from benchmarks.meter import Cost, Meter
from benchmarks.progress import Progress, told
from benchmarks.results import Results
from benchmarks.scope import Scope
from benchmarks.tpch import Warehouse
from dbt_lazyview.maintenance.outcome import Outcome

Refreshed = dict[str, Any]  # what is kept of a refresh
SETTLED = 0.5  # seconds in which what writers leave to the background comes to an end


class Bench:
    """Measures, keeps and tells."""

    def __init__(self, scope: Scope, folder: Path, spark: Path, results: Results, progress: Progress) -> None:
        self.scope, self.folder, self.results, self.progress = scope, folder, results, progress
        self.spark_folder = spark
        self.started = time.monotonic()

    def open(self, adapter: Any) -> None:
        """Begin with the adapter of an invocation; the lake can be written after it ended, too."""
        self.lake = Lake(adapter)
        self.meter = Meter(self.lake.session)

    @cached_property
    def warehouse(self) -> Warehouse:
        self.tell(f"tables of TPC-H at scale factor {self.scope.scale:g}")
        return Warehouse(self.lake, self.scope.scale, self.folder)

    def prepare(self) -> None:
        """See to it that the tables are there."""
        _ = self.warehouse

    def tell(self, what: str) -> None:
        elapsed = time.monotonic() - self.started
        print(f"{told(elapsed):>7}  {'about ' + told(self.progress.rest(elapsed)) + ' to go':>16}  {what}", flush=True)

    def point(self, section: str, name: str, measure: Callable[[], Any], say: Callable[[Any], str]) -> Any:
        """A point as measured before, or now, and told."""
        if not self.results.has(section, name):
            self.results.put(section, name, measure())
            self.progress.done(section)
            self.tell(f"{name:<52} {say(self.results.points[section][name])}")
        return self.results.points[section][name]

    def refresh(self, *subjects: Subject, full: bool = False) -> Refreshed:
        """Refresh, and measure it."""
        outcomes, cost = self.meter.cost(lambda: self.lake.refresh(*subjects, full=full))
        return refreshed(outcomes, cost)

    def refresh_first(self, subject: Subject, full: bool = False) -> Refreshed:
        """Refresh before anybody else has read the tables as they are, and measure it: so two ways can be compared."""
        self.warehouse.write_nothing()
        time.sleep(SETTLED)
        return self.refresh(subject, full=full)


def refreshed(outcomes: list[Outcome], cost: Cost) -> Refreshed:
    """What is kept of a refresh: decision, expectation, and what it cost."""
    estimates = [each.record.estimate for each in outcomes if each.record and each.record.estimate]
    expected = {"expected": [[each.incremental, each.full] for each in estimates]} if estimates else {}
    return {
        "kind": _all_of(each.kind for each in outcomes),
        "reason": _all_of(each.reason for each in outcomes),
        "strategy": _all_of(each.strategy for each in outcomes),
        "changes": outcomes[0].changes,
        "statements": sum(each.statements for each in outcomes),
        **expected,
        **cost.as_dict(),
    }


def _all_of(words: Any) -> str:
    return ", ".join(dict.fromkeys(word for word in words if word))


def compared(found: dict[str, Any], full: float | None) -> str:
    """A refresh beside the time of a full one, for the screen."""
    ratio = f"{full / found['seconds']:5.1f}x" if full else " " * 6
    beside = f"{full:6.1f} s" if full else " " * 8
    how = " ".join(filter(None, [found["kind"], f"({found['reason']})" if found["reason"] else "", found["strategy"]]))
    return f"{found['seconds']:6.2f} s {beside} {ratio} {found['jobs']:4} jobs  {how}"
