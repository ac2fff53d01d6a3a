"""TPC-H as Delta tables, and changes of them: rows that come, go and change, in any share."""

from functools import cache, cached_property
from pathlib import Path

import duckdb
import duckdb_extension_tpch
from sqlglot import parse_one

from benchmarks.lake import Lake

TABLES = ("region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem")
FACTS = ("orders", "lineitem")
CHANGED = ("customer", *FACTS)
OTHER = "case c_mktsegment when 'BUILDING' then 'MACHINERY' else 'BUILDING' end"  # market segment
UNITS = 1_000_000  # that shares of the orders are counted in
USED, SPREAD = 8, 32  # of so many keys in a row dbgen uses the first ones
AS_GENERATED = f"{{key}} % {SPREAD} < {USED}"  # a key that dbgen uses
COPIES = 100_000_000  # added to the order keys of rows that come: existing keys stay below
STEP = 1.0  # so large a scale factor is generated at once


class Warehouse:
    """The tables in a lake; orders and their lines come and go together."""

    def __init__(self, lake: Lake, scale: float, folder: Path) -> None:
        self.lake, self.scale = lake, scale
        self._generations = self._written = 0
        self._touched: tuple[str, ...] = ()  # tables that the last change wrote
        self._there: list[int] = []  # generations of orders that came and did not go
        self._left = UNITS  # of the orders that were there at first: scattered sets take them away from the end
        self._replaced = 0  # of the orders, in eights from the first on: by refresh sets
        self._leave_only_tables()
        self._files = generated(scale, folder)
        for table in TABLES:
            self._restore(table)

    @cached_property
    def customers(self) -> int:
        return int(self.lake.run("select count(*) from customer")[0][0])

    @cached_property
    def orders(self) -> int:
        return int(self.lake.run("select count(*) from orders")[0][0])

    def reset(self) -> None:
        """The tables as they were at first; views over them are gone by now."""
        self._there.clear()
        self._left = UNITS
        self._replaced = 0
        for table in CHANGED:
            self._restore(table)

    def insert(self, share: float) -> None:
        """New orders with their lines: so large a share of what there was at first."""
        self.insert_where(_chosen("{key}", share))

    def insert_orders(self, count: int) -> None:
        """So many new orders, with their lines: about five rows for each."""
        last = self.lake.run(f"select o_orderkey from orders order by o_orderkey limit 1 offset {count - 1}")[0][0]
        self.insert_where(f"{{key}} <= {last}")

    def insert_where(self, chosen: str) -> None:
        """Copies of chosen orders and their lines come, under keys that nobody had before, as from a sequence."""
        self._touched = FACTS
        self._generations += 1
        self._there.append(self._generations)
        for table, key in (("orders", "o_orderkey"), ("lineitem", "l_orderkey")):
            self.lake.run(
                f"insert into {table} select {key} + {COPIES * self._generations}, * except ({key}) from {table} "
                f"where {key} < {COPIES} and {chosen.format(key=key)}"
            )

    def take_back(self) -> None:
        """The orders that came last go again."""
        self._touched = FACTS
        first = COPIES * self._there.pop()
        self.lake.run(
            f"delete from lineitem where l_orderkey >= {first}", f"delete from orders where o_orderkey >= {first}"
        )

    def update(self, share: float) -> None:
        """Prices and quantities change."""
        self._touched = FACTS
        self.lake.run(
            f"update orders set o_totalprice = o_totalprice + 1 where {_chosen('o_orderkey', share)}",
            f"update lineitem set l_quantity = l_quantity + 1, l_extendedprice = l_extendedprice + 1 "
            f"where {_chosen('l_orderkey', share)}",
        )

    def refresh_set(self, share: float) -> None:
        """
        As dbgen makes them: consecutive orders go, and as many come under keys between theirs. What comes is otherwise
        like the orders halfway on.
        """
        self._touched = FACTS
        eights = self.orders // USED
        count, ahead = round(share * eights), eights // 2 * SPREAD
        first, last = self._replaced * SPREAD, (self._replaced + count) * SPREAD
        self._replaced += count
        for table, key in (("orders", "o_orderkey"), ("lineitem", "l_orderkey")):
            generated = AS_GENERATED.format(key=key)
            self.lake.run(
                f"insert into {table} select {key} - {ahead - USED}, * except ({key}) from {table} "
                f"where {key} >= {first + ahead} and {key} < {last + ahead} and {generated}",
                f"delete from {table} where {key} >= {first} and {key} < {last} and {generated}",
            )

    def scattered_set(self, share: float) -> None:
        """Orders come under keys that rise, and as many others go, scattered over the tables."""
        self.insert(share)
        self._left, before = self._left - round(share * UNITS), self._left
        for table, key in (("lineitem", "l_orderkey"), ("orders", "o_orderkey")):
            chosen = f"{_unit(key)} >= {self._left} and {_unit(key)} < {before}"
            self.lake.run(f"delete from {table} where {key} < {COPIES} and {chosen}")

    def move_customers(self, count: int, first: int = 1) -> None:
        """Some consecutive customers get another market segment, as in Z 5."""
        self._touched = ("customer",)
        self.lake.run(
            f"update customer set c_mktsegment = {OTHER} where c_custkey between {first} and {first + count - 1}"
        )

    def write_nothing(self) -> None:
        """
        A commit without rows to every table that changed last: whoever reads next is the first to read that version.
        Delta remembers what it found out about a version, and would spare a full refresh what the one before it paid
        for.
        """
        self._written += 1
        for table in self._touched:
            self.lake.run(f"alter table {table} set tblproperties ('benchmark.written' = '{self._written}')")

    def _leave_only_tables(self) -> None:
        """Drop what a run that was cut off left behind."""
        for _, name, *_ in self.lake.run("show views"):
            self.lake.run(f"drop view if exists `{name}`")
        for _, name, *_ in self.lake.run("show tables"):
            if name not in TABLES:
                self.lake.run(f"drop table if exists `{name}`")

    def _restore(self, table: str) -> None:
        """Bring a table back to its first version, which costs little; create it where it is not there any more."""
        try:
            version = self.lake.run(f"describe history {table} limit 1")[0][0]
            if version:
                self.lake.run(f"restore table {table} to version as of 0")
            self.lake.run(f"select 1 from {table} limit 1")
        except Exception:
            self.lake.run(
                f"drop table if exists {table}",
                f"create table {table} using delta as select * from parquet.`{self._files / table}`",
            )


@cache
def queries() -> dict[int, str]:
    """The 22 texts, in Spark's SQL."""
    rows = _database().execute("from tpch_queries()").fetchall()
    return {number: parse_one(text, dialect="duckdb").sql("spark") for number, text in rows}


def _database() -> duckdb.DuckDBPyConnection:
    extension = next(Path(duckdb_extension_tpch.__path__[0]).rglob("*.duckdb_extension"))
    database = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    database.execute(f"load '{extension}'; set enable_progress_bar = false")
    return database


def generated(scale: float, folder: Path) -> Path:
    """Parquet files with the tables, generated once; in steps, so that large ones fit into memory."""
    files = folder / f"tables-sf{scale:g}"
    if not (files / "done").exists():
        for table in TABLES:
            (files / table).mkdir(parents=True, exist_ok=True)
        steps = max(round(scale / STEP), 1)
        for step in range(steps):
            _generate(scale, steps, step, files)
        (files / "done").touch()
    return files


def _generate(scale: float, steps: int, step: int, files: Path) -> None:
    with _database() as database:
        database.execute(f"call dbgen(sf={scale}, children={steps}, step={step})")
        for table in TABLES:
            database.execute(f"copy {table} to '{files}/{table}/{step}.parquet' (format parquet)")


def _chosen(key: str, share: float) -> str:
    """A share of the orders, scattered over the table."""
    return f"{_unit(key)} < {round(share * UNITS)}"


def _unit(key: str) -> str:
    """A number for each order, as if by chance."""
    return f"pmod(xxhash64({key}), {UNITS})"
