"""Paper Z, 5.4: a hundred small updates, followed by a refresh each, or combined and condensed into one."""

import random
from functools import partial
from typing import Any

from benchmarks.bench import Bench
from benchmarks.lake import Subject
from benchmarks.scope import Scope
from benchmarks.views import V1

SECTION = "combined"
SECONDS = 110  # per point
UPDATES = 100
ONE_BY_ONE, ONE_BY_ONE_LONG = 6, 20  # of them are followed by a refresh each; the others would cost the same
SKEWED = 100  # customers that all updates are about
VIEW = Subject.of("V1", "combined_1", V1)


def names(scope: Scope) -> list[str]:
    return [_name(where) for where in _places(scope)]


def run(bench: Bench) -> None:
    if all(bench.results.has(SECTION, each) for each in names(bench.scope)):
        return
    customers = {"scattered": bench.warehouse.customers, "skewed": SKEWED}
    bench.lake.refresh(VIEW)
    for where in _places(bench.scope):
        bench.point(SECTION, _name(where), partial(_measured, bench, where, customers[where]), _told)
    bench.lake.drop(VIEW)
    bench.warehouse.reset()


def _places(scope: Scope) -> tuple[str, ...]:
    if scope.is_large:
        return ()
    return ("scattered", "skewed") if scope.is_long else ("scattered",)


def _name(where: str) -> str:
    return f"{UPDATES} updates of 1-10 customers, {where}"


def _measured(bench: Bench, where: str, customers: int) -> dict[str, Any]:
    chance = random.Random(UPDATES)
    places = [(chance.randint(1, 10), chance.randint(1, customers)) for _ in range(UPDATES)]
    each = [_refreshed(bench, place) for place in places[: ONE_BY_ONE_LONG if bench.scope.is_long else ONE_BY_ONE]]
    for count, first in places:
        bench.warehouse.move_customers(count, first)
    together = bench.refresh(VIEW)
    seconds = sum(found["seconds"] for found in each) / len(each) * UPDATES
    return {"where": where, "one_by_one": round(seconds, 2), "refreshes": len(each), "together": together}


def _refreshed(bench: Bench, place: tuple[int, int]) -> Any:
    bench.warehouse.move_customers(*place)
    return bench.refresh(VIEW)


def _told(found: dict[str, Any]) -> str:
    together = found["together"]["seconds"]
    return f"{found['one_by_one']:.0f} s one by one, {together:.1f} s together: {found['one_by_one'] / together:.0f}x"
