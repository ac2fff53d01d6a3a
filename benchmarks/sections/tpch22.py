"""
All queries of TPC-H after refresh sets: orders and their lines that come, and others that go. After the first set of a
size `auto` finds out what a refresh from so many changes takes; the second one is measured. In a long run.
"""

from functools import partial
from typing import Any

from benchmarks.bench import Bench, Refreshed, compared
from benchmarks.lake import Subject
from benchmarks.scope import Scope
from benchmarks.tpch import queries

SECTION = "tpch"
SECONDS = 16  # per point, at scale factor 1, with building the view
SHARES = (0.001, 0.01)


def names(scope: Scope) -> list[str]:
    return [_name(number, share) for share in _shares(scope) for number in queries()]


def run(bench: Bench) -> None:
    waiting = {share: _waiting(bench, share) for share in _shares(bench.scope)}
    wanted = sorted({number for numbers in waiting.values() for number in numbers})
    if not wanted:
        return
    warehouse = bench.warehouse
    views = {number: Subject.of(f"query {number}", f"tpch_{number}", queries()[number]) for number in wanted}
    for number, view in views.items():
        bench.tell(f"TPC-H, query {number}: built in {bench.refresh(view)['seconds']:.1f} s")
    for share, numbers in waiting.items():
        warehouse.refresh_set(share)
        first = {number: bench.refresh_first(views[number]) for number in numbers}
        warehouse.refresh_set(share)
        for number in numbers:
            _measure(bench, views[number], number, share, first[number])
    bench.lake.drop(*views.values())
    warehouse.reset()


def _shares(scope: Scope) -> tuple[float, ...]:
    return SHARES if scope.is_long else ()


def _waiting(bench: Bench, share: float) -> list[int]:
    return [number for number in queries() if not bench.results.has(SECTION, _name(number, share))]


def _measure(bench: Bench, view: Subject, number: int, share: float, first: Refreshed) -> None:
    found: dict[str, Any] = {
        "query": number,
        "share": share,
        "first": first,
        "refresh": bench.refresh_first(view),
        "full": bench.refresh_first(view, full=True),
    }
    full = found["full"]["seconds"]
    bench.point(SECTION, _name(number, share), partial(dict, found), lambda _: compared(found["refresh"], full))


def _name(number: int, share: float) -> str:
    return f"query {number}, {share * 100:g} %"
