"""Refreshes that find nothing to do: one view, ten, fifty over the same tables, as one invocation of dbt does them."""

from functools import partial
from statistics import median
from typing import Any

from benchmarks.bench import Bench
from benchmarks.lake import Subject
from benchmarks.scope import Scope

SECTION = "idle"
SECONDS = 18  # per point
COUNTS = (1, 10, 50)
TIMES = 2
QUERY = (
    "select r_name, count(*) as suppliers, sum(s_acctbal) as money "
    "from supplier join nation on s_nationkey = n_nationkey join region on n_regionkey = r_regionkey "
    "where s_suppkey > {number} group by r_name"
)


def names(scope: Scope) -> list[str]:
    return [] if scope.is_large else [_name(count) for count in COUNTS]


def run(bench: Bench) -> None:
    if all(bench.results.has(SECTION, each) for each in names(bench.scope)):
        return
    bench.prepare()
    views = [Subject.of("", f"idle_{number}", QUERY.format(number=number)) for number in range(max(COUNTS))]
    bench.lake.refresh(*views)
    for count in COUNTS:
        bench.point(SECTION, _name(count), partial(_noops, bench, views[:count]), _told)
    bench.lake.drop(*views)


def _name(count: int) -> str:
    return f"{count} view{'s' if count > 1 else ''}, nothing pending"


def _noops(bench: Bench, views: list[Subject]) -> dict[str, Any]:
    runs = [bench.refresh(*views) for _ in range(TIMES + 1)][1:]  # the first one warms up
    assert all(each["kind"] == "noop" for each in runs), runs
    seconds = median(each["seconds"] for each in runs)
    return {"views": len(views), "seconds": seconds, "jobs": runs[0]["jobs"], "rows_read": runs[0]["rows_read"]}


def _told(found: dict[str, Any]) -> str:
    return f"{found['seconds']:6.2f} s, {found['seconds'] / found['views']:.3f} s each, {found['jobs']} jobs"
