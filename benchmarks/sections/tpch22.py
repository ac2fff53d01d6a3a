"""
All queries of TPC-H after refresh sets: orders and their lines that come, and others that go. After the first set of a
kind `auto` finds out what a refresh from such changes takes; the second one is measured. In a long run, or of large
tables.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks.bench import Bench, Refreshed, compared
from benchmarks.lake import Subject
from benchmarks.scope import Scope
from benchmarks.tpch import Warehouse, queries

SECTION = "tpch"
SECONDS = 11  # per point, at scale factor 1, with building the view


@dataclass(frozen=True)
class Sets:
    """Refresh sets of a kind: as dbgen makes them, or scattered over the tables."""

    share: float
    scattered: bool = False

    def come_to(self, warehouse: Warehouse) -> None:
        made = warehouse.scattered_set if self.scattered else warehouse.refresh_set
        made(self.share)

    def point(self, number: int) -> str:
        return f"query {number}, {self.share * 100:g} %{', scattered' if self.scattered else ''}"


AS_GENERATED = (Sets(0.001), Sets(0.01))
SCATTERED = (Sets(0.001, scattered=True), Sets(0.01, scattered=True))


def names(scope: Scope) -> list[str]:
    return [sets.point(number) for sets in _all_sets(scope) for number in queries()]


def run(bench: Bench) -> None:
    waiting = {sets: _waiting(bench, sets) for sets in _all_sets(bench.scope)}
    wanted = sorted({number for numbers in waiting.values() for number in numbers})
    if not wanted:
        return
    warehouse = bench.warehouse
    views = {number: Subject.of(f"query {number}", f"tpch_{number}", queries()[number]) for number in wanted}
    for number, view in views.items():
        bench.tell(f"TPC-H, query {number}: built in {bench.refresh(view)['seconds']:.1f} s")
    for sets, numbers in waiting.items():
        sets.come_to(warehouse)
        first = {number: bench.refresh_first(views[number]) for number in numbers}
        sets.come_to(warehouse)
        for number in numbers:
            _measure(bench, views[number], number, sets, first[number])
    bench.lake.drop(*views.values())
    warehouse.reset()


def _all_sets(scope: Scope) -> tuple[Sets, ...]:
    if scope.is_long:
        return (*AS_GENERATED, *SCATTERED)
    return AS_GENERATED if scope.is_large else ()


def _waiting(bench: Bench, sets: Sets) -> list[int]:
    return [number for number in queries() if not bench.results.has(SECTION, sets.point(number))]


def _measure(bench: Bench, view: Subject, number: int, sets: Sets, first: Refreshed) -> None:
    found: dict[str, Any] = {
        "query": number,
        "share": sets.share,
        "scattered": sets.scattered,
        "first": first,
        "refresh": bench.refresh_first(view),
        "full": bench.refresh_first(view, full=True),
    }
    full = found["full"]["seconds"]
    bench.point(SECTION, sets.point(number), partial(dict, found), lambda _: compared(found["refresh"], full))
