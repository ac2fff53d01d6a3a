"""What lazy views cost whoever writes their source, and what the change data feed does: in turns, on tables alike."""

from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

from benchmarks.bench import Bench
from benchmarks.lake import Subject
from benchmarks.scope import Scope
from benchmarks.sections.names import with_feed, with_views

SECTION = "writes"
SECONDS = 25  # per point
COUNTS, QUICK_COUNTS = (0, 1, 2, 8), (0, 8)  # lazy views
TURNS, TURNS_LONG = 4, 15
WARM_UP = 1
FEEDS = {"on": "true", "off": "false"}
QUERY = (
    "select n_name, c_mktsegment, count(*) as customers, sum(c_acctbal) as money from {table} "
    "join nation on c_nationkey = n_nationkey where c_custkey > {number} group by n_name, c_mktsegment"
)
WRITES = {
    "append": "insert into {table} select c_custkey + {shift}, * except (c_custkey) from customer "
    "where pmod(xxhash64(c_custkey), 100) = {turn}",
    "update": "update {table} set c_acctbal = c_acctbal + 1 where pmod(xxhash64(c_custkey), 100) = {turn}",
    "merge": "merge into {table} as t using (select * from customer where pmod(xxhash64(c_custkey), 100) = {turn}) "
    "as s on t.c_custkey = s.c_custkey when matched then update set c_acctbal = t.c_acctbal + 1 "
    "when not matched then insert *",
    "delete": "delete from {table} where pmod(xxhash64(c_custkey), 100) = {turn}",
}
SHIFT = 100_000_000  # of the keys of appended customers, per turn


def names(scope: Scope) -> list[str]:
    return [] if scope.is_large else [*(with_views(write) for write in ("append", "update")), *map(with_feed, WRITES)]


def run(bench: Bench) -> None:
    if all(bench.results.has(SECTION, each) for each in names(bench.scope)):
        return
    bench.prepare()
    counts = COUNTS if bench.scope.is_long else QUICK_COUNTS
    watched = {str(count): f"written_{count}" for count in counts}
    views = [each for count in counts for each in _views(count)]
    for table in watched.values():
        _copy(bench, table, "true")
    bench.lake.refresh(*views)
    for write in ("append", "update"):
        bench.point(SECTION, with_views(write), partial(_turns, bench, watched, write), _told)
    bench.lake.drop(*views)
    fed = {feed: f"fed_{feed}" for feed in FEEDS}
    for feed, table in fed.items():
        _copy(bench, table, FEEDS[feed])
    for write in WRITES:
        bench.point(SECTION, with_feed(write), partial(_turns, bench, fed, write), _told)
    for table in (*watched.values(), *fed.values()):
        bench.lake.run(f"drop table {table}")


def _views(count: int) -> list[Subject]:
    table = f"written_{count}"
    queries = {f"{table}_v{number}": QUERY.format(table=table, number=number) for number in range(count)}
    return [Subject.of("", name, sql) for name, sql in queries.items()]


def _copy(bench: Bench, table: str, feed: str) -> None:
    properties = f"tblproperties (delta.enableChangeDataFeed = {feed})"
    bench.lake.run(f"create table {table} using delta {properties} as select * from customer")


def _turns(bench: Bench, tables: dict[str, str], write: str) -> dict[str, Any]:
    """Median seconds by table. They take turns, so that whatever else the machine does meets all of them."""
    seconds: dict[str, list[float]] = {name: [] for name in tables}
    for turn in range(WARM_UP + (TURNS_LONG if bench.scope.is_long else TURNS)):
        for name, table in tables.items():
            seconds[name].append(bench.meter.seconds(_written(bench, write, table, turn)))
    return {name: round(median(taken[WARM_UP:]), 3) for name, taken in seconds.items()}


def _written(bench: Bench, write: str, table: str, turn: int) -> Callable[[], Any]:
    statement = WRITES[write].format(table=table, turn=turn, shift=SHIFT * (turn + 1))
    return lambda: bench.lake.run(statement)


def _told(found: dict[str, float]) -> str:
    return "  ".join(f"{name}: {seconds:.2f} s" for name, seconds in found.items())
