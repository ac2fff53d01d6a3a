"""Paper Z, 5.1 to 5.3 and 5.5: how long updates and queries take under views that are refreshed later, or at once."""

import time
from functools import partial
from itertools import product
from typing import Any

from benchmarks.bench import Bench
from benchmarks.lake import Subject
from benchmarks.scope import Scope
from benchmarks.views import V1, V2

SECTION = "responses"
SECONDS = 8  # per point, at scale factor 1
SMALL = (1, 10, 100)  # customers; figures 5 and 6
LARGE = (150, 1_500, 15_000, 150_000)  # figure 9
ASKED = 100  # figure 7
QUICK = {1: (1, 100), 2: (100,)}  # customers, by the number of views
LONG = {0: (ASKED,), 1: (*SMALL, *LARGE), 2: SMALL, 8: (ASKED,)}
PAUSE = 10.0  # seconds until somebody asks, which is enough for a refresh in the background
FIRST = Subject.of("V1", "response_1", V1)
SECOND = Subject.of("V2", "response_2", V2)
# Stands for V2 in a quick run: as many rows as customers, and no join of large tables to build it.
SMALLER = Subject.of(
    "customers",
    "response_2",
    "select c_custkey, c_name, n_name, c_mktsegment, c_acctbal from customer join nation on c_nationkey = n_nationkey",
)
# With V1 and V2 they are the eight of figure 5.
BY_GROUPS = [
    Subject.of(
        f"{rows} by {keys}",
        f"response_{number}",
        f"select {keys}, count(*) as customers, sum(c_acctbal) as balance from {rows} group by {keys}",
    )
    for number, (rows, keys) in enumerate(
        product(
            ("customer", "(select * from customer where c_acctbal > 0)"),
            ("c_mktsegment", "c_nationkey", "c_nationkey, c_mktsegment"),
        ),
        start=3,
    )
]


def names(scope: Scope) -> list[str]:
    if scope.is_large:
        return []
    counts = _counts(scope)
    return [*(_updated(count, views) for views in counts for count in counts[views]), *_queries()]


def run(bench: Bench) -> None:
    if all(bench.results.has(SECTION, each) for each in names(bench.scope)):
        return
    bench.warehouse.move_customers(1)
    views = [FIRST, SECOND if bench.scope.is_long else SMALLER, *BY_GROUPS]
    for number, counts in _counts(bench.scope).items():
        _updates(bench, views[:number], counts)
    bench.lake.refresh(FIRST)
    for name, measure in _queries().items():
        bench.point(SECTION, name, partial(measure, bench), _told)
    bench.lake.drop(*views)
    bench.warehouse.reset()


def _updates(bench: Bench, views: list[Subject], counts: list[int]) -> None:
    waiting = {name: count for count in counts if not bench.results.has(SECTION, name := _updated(count, len(views)))}
    if waiting:
        bench.lake.refresh(*views)
        _lazily(bench, views, 5)
        _eagerly(bench, views, 5)  # both warm up
    for name, count in waiting.items():
        bench.point(SECTION, name, partial(_both, bench, views, count), _told)


def _counts(scope: Scope) -> dict[int, list[int]]:
    """The numbers of customers, by the number of views."""
    most = 150_000 * scope.scale
    counts = LONG if scope.is_long else QUICK
    return {views: [count for count in each if count <= most] for views, each in counts.items()}


def _updated(count: int, views: int) -> str:
    return f"{count} customer{'s' if count > 1 else ''} updated, {views} view{'s' if views != 1 else ''}"


def _both(bench: Bench, views: list[Subject], count: int) -> dict[str, Any]:
    """Lazily, whoever updates waits for the update alone; eagerly, for the refreshes as well."""
    lazily, eagerly = _lazily(bench, views, count), _eagerly(bench, views, count)
    return {"customers": count, "views": [each.title for each in views], **lazily, "eager": eagerly}


def _lazily(bench: Bench, views: list[Subject], count: int) -> dict[str, Any]:
    update = bench.meter.seconds(lambda: bench.warehouse.move_customers(count))
    found = bench.refresh(*views) if views else {"seconds": 0.0, "kind": ""}
    return {"update": update, "refresh": found["seconds"], "kind": found["kind"]}


def _eagerly(bench: Bench, views: list[Subject], count: int) -> float:
    def update_and_refresh() -> None:
        bench.warehouse.move_customers(count)
        bench.lake.refresh(*views)

    return bench.meter.seconds(update_and_refresh)


def _queries() -> dict[str, Any]:
    return {
        "query after an eager update": lambda bench: _asked(bench, eager=True),
        "query 0 s after an update": lambda bench: _asked(bench),
        f"query {PAUSE:g} s after an update": lambda bench: _asked(bench, pause=PAUSE),
    }


def _asked(bench: Bench, eager: bool = False, pause: float = 0.0) -> dict[str, float]:
    """Somebody updates, and somebody reads the view, who finds it refreshed or has to wait for that."""
    change = bench.warehouse.move_customers
    update = _eagerly(bench, [FIRST], ASKED) if eager else bench.meter.seconds(lambda: change(ASKED))
    if pause:
        began = time.monotonic()
        bench.lake.refresh(FIRST)  # in the background
        time.sleep(max(pause - (time.monotonic() - began), 0))
    check = bench.refresh(FIRST)["seconds"]  # before dbt builds or tests what reads it
    query = bench.meter.seconds(lambda: bench.lake.run(f"select * from {next(iter(FIRST.models))}"))
    return {"update": update, "check": check, "query": query}


def _told(found: dict[str, Any]) -> str:
    parts = ("update", "refresh", "eager", "check", "query")
    return "  ".join(f"{part} {found[part]:.2f} s" for part in parts if part in found)
