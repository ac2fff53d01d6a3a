"""The experiments of paper Z (section 5): updates of customers under lazy views."""

import random

from benchmarks.bench import Bench
from benchmarks.views import V1, V2

SECTION = "papers"
CUSTOMERS = (1, 10, 100)
MANY_CUSTOMERS = (150, 1_500, 15_000)
UPDATES = 100
ONE_BY_ONE = 10  # of these refreshed one after the other; the rest would cost the same


def run(bench: Bench, is_quick: bool) -> None:
    views = {"z_v1": V1} if is_quick else {"z_v1": V1, "z_v2": V2}
    for name, sql in views.items():
        bench.lake.refresh(name, sql)
    bench.warehouse.move_customers(3)
    for name, sql in views.items():
        bench.lake.refresh(name, sql)
    for count in (*CUSTOMERS, *MANY_CUSTOMERS):
        told = bench.results.point(
            SECTION, f"{count} customers updated", lambda count=count: _responses(bench, views, count)
        )
        bench.tell(f"{count} customers: update {told['update']:.1f} s, refresh later {told['refresh']:.1f} s")
    for where, last in (("scattered", None), ("skewed", 100)):
        told = bench.results.point(SECTION, f"{UPDATES} updates, {where}", lambda last=last: _many(bench, last))
        bench.tell(f"{UPDATES} updates, {where}: {told['ratio']:.0f}x cheaper together")
    bench.drop(*views)


def _responses(bench: Bench, views: dict[str, str], count: int) -> dict[str, float]:
    """Z 5.1 and 5.2: whoever updates waits for the update alone; eagerly, for the refresh as well."""
    _, update = bench.meter.cost(lambda: bench.warehouse.move_customers(count))
    refreshes = [bench.incremental(name, sql)[1] for name, sql in views.items()]
    return {"update": update.seconds, "refresh": round(sum(each.seconds for each in refreshes), 3)}


def _many(bench: Bench, last: int | None) -> dict[str, float]:
    """Z 5.4: many small updates, refreshed one by one, or combined and condensed."""
    chance = random.Random(UPDATES)
    customers = last or round(150_000 * bench.scale)
    places = [(chance.randint(1, customers), chance.randint(1, 10)) for _ in range(UPDATES)]
    single = 0.0
    for first, count in places[:ONE_BY_ONE]:
        bench.warehouse.touch_customers(first, count)
        single += bench.incremental("z_v1", V1)[1].seconds
    for first, count in places:
        bench.warehouse.touch_customers(first, count)
    _, together = bench.incremental("z_v1", V1)
    alone = single / ONE_BY_ONE * UPDATES
    return {"one_by_one": round(alone, 1), "together": together.seconds, "ratio": round(alone / together.seconds, 1)}
