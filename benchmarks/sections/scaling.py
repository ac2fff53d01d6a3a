"""The same few changes, whatever the size of the tables: files of several scale factors make up the comparison."""

from functools import partial
from statistics import median
from typing import Any

from benchmarks.bench import Bench, compared
from benchmarks.lake import Subject
from benchmarks.scope import Scope
from benchmarks.sections.names import CUSTOMERS_MOVED, MAIN_VIEW, STAR
from benchmarks.views import subject

SECTION = "scaling"
SECONDS = 30  # per point, at scale factor 1, with building the view
ORDERS = 200  # with their lines: about 1,000 rows
CUSTOMERS = 100
POINTS = {
    CUSTOMERS_MOVED: (MAIN_VIEW, CUSTOMERS, 0),
    f"{MAIN_VIEW}, {ORDERS} orders": (MAIN_VIEW, 0, ORDERS),
    f"{STAR}, {ORDERS} orders": (STAR, 0, ORDERS),
}
TIMES, FULL_TIMES = 3, 1


def names(scope: Scope) -> list[str]:
    """A quick run at a small scale factor does without the star, which says the same once more."""
    is_quick = not (scope.is_long or scope.is_large)
    return [name for name, (title, *_) in POINTS.items() if title == MAIN_VIEW or not is_quick]


def run(bench: Bench) -> None:
    missing = [name for name in names(bench.scope) if not bench.results.has(SECTION, name)]
    for title in (MAIN_VIEW, STAR):
        waiting = {name: POINTS[name] for name in missing if POINTS[name][0] == title}
        if waiting:
            _measure(bench, subject(title), waiting)


def _measure(bench: Bench, view: Subject, waiting: dict[str, tuple[str, int, int]]) -> None:
    warehouse, fulls = bench.warehouse, list[Any]()
    bench.lake.refresh(view)
    for name, (title, customers, orders) in waiting.items():
        found = [_refreshed(bench, view, customers, orders) for _ in range(TIMES + 1)][1:]  # the first one warms up
        fulls = fulls or [
            bench.refresh_first(view, full=True) for _ in range(1 if bench.scope.is_large else FULL_TIMES)
        ]
        point = {"view": title, "customers": customers, "orders": orders, "refreshes": found, "fulls": fulls}
        _tell(bench, name, point)
    bench.lake.drop(view)
    warehouse.reset()


def _refreshed(bench: Bench, view: Subject, customers: int, orders: int) -> Any:
    if customers:
        bench.warehouse.move_customers(customers)
    if orders:
        bench.warehouse.insert_orders(orders)
    return bench.refresh(view)


def _tell(bench: Bench, name: str, point: dict[str, Any]) -> None:
    middle = sorted(point["refreshes"], key=lambda each: each["seconds"])[len(point["refreshes"]) // 2]
    full = median(each["seconds"] for each in point["fulls"])
    bench.point(SECTION, name, partial(dict, point), lambda _: compared(middle, full))
