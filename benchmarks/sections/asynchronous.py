"""Paper V, table 1: a refresh after each statement, against one after all of them."""

from functools import partial
from typing import Any

from benchmarks.bench import Bench
from benchmarks.lake import Subject
from benchmarks.scope import Scope

SECTION = "asynchronous"
SECONDS = 40  # per point
COUNTS = (1, 10)  # statements of one row each
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
# Each action has rows of its own, so that none undoes another.
STATEMENTS = {
    ("lineitem", "insert"): "insert into lineitem by name select * except (l_linenumber), 100 as l_linenumber "
    "from lineitem where l_orderkey = {inserted} and l_linenumber = 1",
    ("lineitem", "delete"): "delete from lineitem where l_orderkey = {deleted} and l_linenumber = 1",
    ("lineitem", "update"): "update lineitem set l_quantity = l_quantity + 1 "
    "where l_orderkey = {updated} and l_linenumber = 1",
    ("customer", "insert"): "insert into customer select {row} + 900000000 as c_custkey, * except (c_custkey) "
    "from customer where c_custkey = 1",
    ("customer", "delete"): "delete from customer where c_custkey = {row} + 61",
    ("customer", "update"): "update customer set c_name = concat(c_name, '.') where c_custkey = {row} + 1",
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
    one_by_one, at_once, _ = _rows(count)
    synchronous = [_refreshed(bench, [_of_row(statement, row)]) for row in one_by_one]
    asynchronous = _refreshed(bench, [_of_row(statement, row) for row in at_once])
    return {"statements": count, "synchronous": round(sum(synchronous), 3), "asynchronous": asynchronous}


def _combined(bench: Bench, count: int) -> dict[str, Any]:
    statements = [_of_row(statement, row) for statement in STATEMENTS.values() for row in _rows(count)[2]]
    return {"statements": len(statements), "asynchronous": _refreshed(bench, statements)}


def _rows(count: int) -> tuple[range, range, range]:
    """
    Rows for statements one by one, at once, and combined with others.

    Example:
        >>> _rows(1), _rows(10)[0]
        ((range(3, 4), range(4, 5), range(5, 6)), range(30, 40))
    """
    first, second, third = (range(start * count, (start + 1) * count) for start in (3, 4, 5))
    return first, second, third


def _of_row(statement: str, row: int) -> str:
    inserted, deleted, updated = (order_key(row + shift) for shift in (0, 500, 1000))
    return statement.format(row=row, inserted=inserted, deleted=deleted, updated=updated)


def order_key(number: int) -> int:
    """
    The key of an order: TPC-H uses eight of 32.

    Example:
        >>> [order_key(number) for number in (1, 7, 8, 15)]
        [1, 7, 32, 39]
    """
    return number // 8 * 32 + number % 8


def _refreshed(bench: Bench, statements: list[str]) -> float:
    bench.lake.run(*statements)
    return bench.refresh(VIEW)["seconds"]


def _told(found: dict[str, Any]) -> str:
    beside = f"{found['synchronous']:.1f} s synchronously, " if "synchronous" in found else ""
    return f"{beside}{found['asynchronous']:.1f} s asynchronously"
