"""
How the cost of a refresh grows: with the rows of its sources, with their files, with the commits and the changes it
catches up with, with the number of tables it joins.

    python -m benchmarks.scale [--sf 0.1 1] [--parts sizes files commits changes joins] [--folder FOLDER]

Prints a table for each part, and keeps the points in benchmarks/scale.json; docs/scale.md says what follows.
A scale factor is that of TPC-H: 6 million order lines, 1.5 million orders, 150,000 customers.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.driver import Driver
from dbt_lazyview.adapter.session import new_session
from tests.functional.maintenance.lake import Lake

RESULTS = Path(__file__).with_name("scale.json")
SETTINGS = {"spark.sql.ansi.enabled": "false", "spark.driver.memory": "4g"}
REPEATS = 3  # refreshes of which the quickest counts

GROUPS = """
    select c.segment, o.priority, count(*) as lines, sum(l.amount) as revenue
    from lines as l join orders as o on o.id = l.order_id join customers as c on c.id = o.customer
    group by c.segment, o.priority
"""
ROWS = """
    select l.order_id, l.line, l.amount, o.priority, o.ordered
    from lines as l join orders as o on o.id = l.order_id where l.amount > 900
"""
VIEWS = {"groups": GROUPS, "rows": ROWS}
Point = dict[str, Any]


class Shop:
    """Tables of the shape of TPC-H, made by Spark itself, and changes of them."""

    def __init__(self, lake: Lake, scale: float) -> None:
        self.lake, self.orders, self.added = lake, round(1_500_000 * scale), 0
        customers = max(self.orders // 10, 1)
        lake.run(
            f"""create or replace table customers using delta as
                select id, concat('segment ', id % 5) as segment, md5(string(id)) as note from range({customers})""",
            f"""create or replace table orders using delta as
                select id, pmod(xxhash64(id), {customers}) as customer, concat('priority ', id % 5) as priority,
                    date_add(date '2020-01-01', int(id * 2500 / {self.orders})) as ordered, md5(string(id)) as note
                from range({self.orders})""",
            f"""create or replace table lines using delta as
                select id div 4 as order_id, int(id % 4) as line, pmod(xxhash64(id), 200000) as part,
                    cast(pmod(xxhash64(id), 100000) / 100 as decimal(12,2)) as amount, md5(string(id)) as note
                from range({self.orders * 4})""",
        )

    def come(self, count: int) -> None:
        """New orders, with four lines each."""
        first = self.orders + self.added
        self.added += count
        self.lake.run(
            f"""insert into orders select id, pmod(xxhash64(id), {self.orders // 10}), concat('priority ', id % 5),
                date '2026-11-01', 'new' from range({first}, {first + count})""",
            f"""insert into lines select id div 4, int(id % 4), 1, cast(950 as decimal(12,2)), 'new'
                from range({first * 4}, {(first + count) * 4})""",
        )

    def change(self, count: int) -> None:
        """Scattered orders get another priority, and their lines another amount."""
        step = max(self.orders // count, 1)
        self.lake.run(
            f"update orders set priority = concat('priority ', pmod(xxhash64(priority, id), 5)) where id % {step} = 0",
            f"update lines set amount = 1000 - amount where order_id % {step} = 0 and line = 0",
        )


class Scale:
    """One warm Spark on a folder, and what is measured on it."""

    def __init__(self, folder: Path) -> None:
        session = new_session(folder, SETTINGS)
        self.lake, self.driver = Lake(session, "scale"), Driver(session)

    def refreshed(self, name: str, sql: str, change: Callable[[], Any]) -> Point:
        """A view after a change: the quickest of some refreshes."""
        points = []
        for _ in range(REPEATS):
            change()
            outcome, cost = self.driver.cost(lambda: self.lake.refresh(name, sql))
            assert outcome.kind == "incremental", outcome
            points.append({**cost, "strategy": outcome.strategy})
        return min(points, key=lambda each: float(each["seconds"]))

    def recomputed(self, name: str, sql: str) -> Point:
        return {**self.driver.cost(lambda: self.lake.refresh(name, sql, full=True))[1], "strategy": "full"}

    def drop(self, *names: str) -> None:
        for name in names:
            self.lake.run(f"drop view if exists {name}", f"drop table if exists {name}__state")


def sizes(scale: Scale, factors: list[float]) -> Iterator[tuple[str, Point]]:
    """The same changes in ever larger tables."""
    for factor in factors:
        shop = Shop(scale.lake, factor)
        for name, sql in VIEWS.items():
            scale.lake.refresh(name, sql)
            label = f"SF {factor:g}, {name}"
            yield f"{label}, 1,000 orders come", scale.refreshed(name, sql, lambda shop=shop: shop.come(1000))
            yield f"{label}, 1,000 orders change", scale.refreshed(name, sql, lambda shop=shop: shop.change(1000))
            yield f"{label}, everything anew", scale.recomputed(name, sql)
        scale.drop(*VIEWS)


def changes(scale: Scale, factors: list[float]) -> Iterator[tuple[str, Point]]:
    """Ever more changes in the largest tables."""
    shop = Shop(scale.lake, max(factors))
    scale.lake.refresh("groups", GROUPS)
    for count in (100, 1_000, 10_000, 100_000):
        yield f"{count:,} orders come", scale.refreshed("groups", GROUPS, lambda count=count: shop.come(count))
    scale.drop("groups")


def files(scale: Scale, _: list[float]) -> Iterator[tuple[str, Point]]:
    """A table of ever more files, all of which a refresh has to look at, since changes are scattered over its keys."""
    query = "select m.kind, count(*) as n from few as f join many as m on m.id = f.id group by m.kind"
    insert = "insert into few select pmod(xxhash64(id, rand()), 100000) from range(50)"
    scale.lake.run("create or replace table few (id bigint) using delta")
    for count in (10, 100, 1_000, 3_000):
        scale.lake.run(
            f"""create or replace table many using delta as select /*+ repartition({count}) */
                id, concat('kind ', id % 9) as kind from range(100000)"""
        )
        scale.lake.refresh("v", query)
        yield f"{count:,} files", scale.refreshed("v", query, lambda: scale.lake.run(insert))
        scale.drop("v")


def commits(scale: Scale, _: list[float]) -> Iterator[tuple[str, Point]]:
    """Ever more commits of one row each between two refreshes."""
    query = "select kind, count(*) as n, sum(amount) as amount from trickle group by kind"
    scale.lake.run("create or replace table trickle (id int, kind string, amount int) using delta")
    scale.lake.run("insert into trickle select id, concat('kind ', id % 9), id from range(1000)")
    scale.lake.refresh("v", query)
    for count in (1, 10, 100, 300):
        statements = ["insert into trickle values (1, 'kind 1', 1)"] * count
        yield f"{count} commits", scale.refreshed("v", query, lambda each=statements: scale.lake.run(*each))
    scale.drop("v")


def joins(scale: Scale, _: list[float]) -> Iterator[tuple[str, Point]]:
    """A join of ever more tables, all of which changed: a term for each, which reads all of them."""
    names = [f"t{number}" for number in range(8)]
    for name in names:
        scale.lake.run(f"create or replace table {name} using delta as select id, id % 7 as v from range(1000)")
    for count in (2, 4, 6, 8):
        read = " join ".join(names[:1] + [f"{each} on {each}.id = t0.id" for each in names[1:count]])
        query = f"select t0.v, count(*) as n, sum(t1.v) as s from {read} group by t0.v"
        scale.lake.refresh("v", query)
        inserts = [f"insert into {each} values (1, 1)" for each in names[1:count]] + ["delete from t0 where id = 2"]
        inserts += ["insert into t0 values (2, 3)"]
        yield f"{count} tables", scale.refreshed("v", query, lambda each=inserts: scale.lake.run(*each))
        scale.drop("v")


PARTS = {"sizes": sizes, "changes": changes, "files": files, "commits": commits, "joins": joins}


def main() -> None:
    arguments = _arguments()
    points: dict[str, dict[str, Point]] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        scale = Scale(Path(folder))
        for part in arguments.parts:
            print(f"\n{(PARTS[part].__doc__ or '').strip()}\n", *Driver.heading(), sep="\n", flush=True)
            found = points.setdefault(part, {})
            for name, point in PARTS[part](scale, arguments.sf):
                found[name] = point
                print(Driver.line(name, point), flush=True)
            RESULTS.parent.mkdir(parents=True, exist_ok=True)
            RESULTS.write_text(json.dumps(points, indent=1) + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sf", type=float, nargs="+", default=[0.1, 1])
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--folder", type=Path, help="where tables are kept while it runs")
    return parser.parse_args()


if __name__ == "__main__":
    main()
