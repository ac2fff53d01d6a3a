"""
What lazy views cost whoever writes their source: nothing, however many there are.

    python -m benchmarks.writes_with_views [--views 0 1 5 20] [--writes 15]

Writes the same rows, in turns, to tables that differ in the number of lazy views over them, and prints the median
time of a write. A refresh of all views at the end shows that they have something to catch up with.
"""

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median

from dbt_lazyview.adapter.session import new_session
from tests.functional.maintenance.lake import Lake

QUERY = "select region, count(*) as orders, sum(amount) as revenue from {table} where amount > {number} group by region"
WRITE = "insert into {table} select id, concat('r', id % 7), id % 100 from range({start}, {end})"
ROWS = 1000


def main() -> None:
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        lake = Lake(new_session(Path(folder), {}), "benchmark")
        tables = {f"sales_{count}": count for count in arguments.views}
        for table, count in tables.items():
            _build(lake, table, count)
        seconds = _measured(lake, list(tables), arguments.writes)
        _print(lake, tables, seconds)


def _build(lake: Lake, table: str, count: int) -> None:
    lake.run(f"create table {table} (id bigint, region string, amount decimal(10,2)) using delta")
    lake.run(WRITE.format(table=table, start=0, end=ROWS))
    for number in range(count):
        lake.refresh(f"{table}_v{number}", QUERY.format(table=table, number=number))


def _measured(lake: Lake, tables: list[str], writes: int) -> dict[str, list[float]]:
    """Seconds of each write; the tables take turns, so that whatever else the machine does meets all of them."""
    seconds: dict[str, list[float]] = {table: [] for table in tables}
    for turn in range(writes + 2):
        for table in tables:
            started = time.perf_counter()
            lake.run(WRITE.format(table=table, start=turn * ROWS, end=(turn + 1) * ROWS))
            if turn >= 2:  # the first ones warm up
                seconds[table].append(time.perf_counter() - started)
    return seconds


def _print(lake: Lake, tables: dict[str, int], seconds: dict[str, list[float]]) -> None:
    print("lazy views  seconds per write  seconds to refresh them all, later")
    for table, count in tables.items():
        started = time.perf_counter()
        for number in range(count):
            lake.refresh(f"{table}_v{number}", QUERY.format(table=table, number=number))
        refreshed = time.perf_counter() - started
        print(f"{count:10}  {median(seconds[table]):17.2f}  {refreshed:34.1f}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--views", type=int, nargs="+", default=[0, 1, 5, 20], help="numbers of views to compare")
    parser.add_argument("--writes", type=int, default=15, help="writes to each table")
    return parser.parse_args()


if __name__ == "__main__":
    main()
