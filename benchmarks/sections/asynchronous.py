"""Paper V, table 1: a refresh after each statement, against one after all of them."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.bench import Bench
from benchmarks.lake import Subject
from benchmarks.scope import Scope

SECTION = "asynchronous"
SECONDS = 40  # per point
COUNTS = (1, 10)  # statements of one row each
NEW = 900_000_000  # keys of customers that come
VIEW = Subject.of("totals of customers", "totals", """
    select n_nationkey, n_name, n_regionkey, c_custkey, c_name, sum(l_quantity * ps_supplycost) as total,
        count(*) as lines
    from nation
    join customer on n_nationkey = c_nationkey
    join orders on c_custkey = o_custkey
    join lineitem on o_orderkey = l_orderkey
    join partsupp on l_partkey = ps_partkey and l_suppkey = ps_suppkey
    group by n_nationkey, n_name, n_regionkey, c_custkey, c_name
""")  # fmt: skip
# Row {row} of a turn; what was inserted is updated, and then deleted.
STATEMENTS = {
    ("lineitem", "insert"): "insert into lineitem select * except (l_linenumber), {row} + 100 as l_linenumber "
    "from lineitem where l_orderkey = 1 and l_linenumber = 1",
    ("lineitem", "update"): "update lineitem set l_quantity = l_quantity + 1 "
    "where l_orderkey = 1 and l_linenumber = {row} + 100",
    ("lineitem", "delete"): "delete from lineitem where l_orderkey = 1 and l_linenumber = {row} + 100",
    ("customer", "insert"): "insert into customer select {row} + 900000000 as c_custkey, * except (c_custkey) "
    "from customer where c_custkey = 1",
    ("customer", "update"): "update customer set c_name = concat(c_name, '.') where c_custkey = {row} + 1",
    ("customer", "delete"): "delete from customer where c_custkey = {row} + 900000000",
}


def names(scope: Scope) -> list[str]:
    if not scope.is_long:
        return []
    return [_name(table, action, count) for count in COUNTS for table, action in (*STATEMENTS, ("", "combined"))]


def run(bench: Bench) -> None:
    if all(bench.results.has(SECTION, each) for each in names(bench.scope)):
        return
    bench.prepare()
    bench.lake.refresh(VIEW)
    for count in COUNTS:
        for (table, action), statement in STATEMENTS.items():
            bench.point(SECTION, _name(table, action, count), partial(_both, bench, statement, count), _told)
        bench.point(SECTION, _name("", "combined", count), partial(_combined, bench, count), _told)
    bench.lake.drop(VIEW)
    bench.warehouse.reset()


def _name(table: str, action: str, count: int) -> str:
    return f"{count} x {action} {table}".strip()


def _both(bench: Bench, statement: str, count: int) -> dict[str, Any]:
    """Rows of their own for each way, so that both find the same work."""
    synchronous = [_refreshed(bench, [statement.format(row=row)]) for row in range(count)]
    asynchronous = _refreshed(bench, [statement.format(row=row) for row in range(count, 2 * count)])
    return {"statements": count, "synchronous": round(sum(synchronous), 3), "asynchronous": asynchronous}


def _combined(bench: Bench, count: int) -> dict[str, Any]:
    statements = list(_all_statements(count))
    return {"statements": len(statements), "asynchronous": _refreshed(bench, statements)}


def _all_statements(count: int) -> Iterator[str]:
    for statement in STATEMENTS.values():
        yield from (statement.format(row=row) for row in range(2 * count, 3 * count))


def _refreshed(bench: Bench, statements: list[str]) -> float:
    bench.lake.run(*statements)
    return bench.refresh(VIEW)["seconds"]


def _told(found: dict[str, Any]) -> str:
    beside = f"{found['synchronous']:.1f} s synchronously, " if "synchronous" in found else ""
    return f"{beside}{found['asynchronous']:.1f} s asynchronously"
