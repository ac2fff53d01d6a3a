"""TPC-H as Delta tables, and changes of them: rows that come, go and change, in any share."""

from functools import cache
from pathlib import Path

import duckdb
import duckdb_extension_tpch
from sqlglot import parse_one

from tests.functional.maintenance.lake import Lake

TABLES = ("region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem")
OTHER = "case c_mktsegment when 'BUILDING' then 'MACHINERY' else 'BUILDING' end"  # market segment
COPIES = 100_000_000  # added to the order keys of rows that come: existing keys stay below


class Warehouse:
    """The tables in a lake; orders and their lines come and go together."""

    def __init__(self, lake: Lake, scale: float, folder: Path) -> None:
        self.lake, self.scale = lake, scale
        self._generations = 0
        files = generated(scale, folder)
        for table in TABLES:
            lake.run(f"create or replace table {table} using delta as select * from parquet.`{files}/{table}.parquet`")
        self.orders = int(lake.run("select count(*) from orders")[0][0])

    def insert(self, share: float) -> int:
        """New orders with their lines: so large a share of what there was at first."""
        self._generations += 1
        shift = COPIES * self._generations
        chosen = _chosen("o_orderkey", share)
        self.lake.run(
            f"insert into orders select o_orderkey + {shift}, * except (o_orderkey) from orders "
            f"where o_orderkey < {COPIES} and {chosen}",
            f"insert into lineitem select l_orderkey + {shift}, * except (l_orderkey) from lineitem "
            f"where l_orderkey < {COPIES} and {chosen.replace('o_orderkey', 'l_orderkey')}",
        )
        return round(self.orders * share)

    def take_back(self) -> None:
        """The orders that came last go again."""
        shift = COPIES * self._generations
        self.lake.run(
            f"delete from lineitem where l_orderkey >= {shift}", f"delete from orders where o_orderkey >= {shift}"
        )
        self._generations -= 1

    def update(self, share: float) -> None:
        """Prices and quantities change."""
        self.lake.run(
            f"update orders set o_totalprice = o_totalprice + 1 where {_chosen('o_orderkey', share)}",
            f"update lineitem set l_quantity = l_quantity + 1, l_extendedprice = l_extendedprice + 1 "
            f"where {_chosen('l_orderkey', share)}",
        )

    def refresh_set(self, share: float) -> None:
        """Orders come, and as many others go."""
        self.insert(share)
        scattered = "pmod(xxhash64({key}), 1000000) >= {least}"
        for table, key in (("lineitem", "l_orderkey"), ("orders", "o_orderkey")):
            least = 1_000_000 - round(share * 1_000_000)
            self.lake.run(f"delete from {table} where {key} < {COPIES} and {scattered.format(key=key, least=least)}")

    def touch_customers(self, first: int, count: int) -> None:
        """Some consecutive customers get another market segment, as in Z 5.4."""
        self.lake.run(
            f"update customer set c_mktsegment = {OTHER} where c_custkey between {first} and {first + count - 1}"
        )

    def move_customers(self, count: int) -> None:
        """Some customers get another market segment, as in Z 5.1."""
        self.touch_customers(1, count)


@cache
def queries() -> dict[int, str]:
    """The 22 texts, in Spark's SQL."""
    rows = _database().execute("from tpch_queries()").fetchall()
    return {number: parse_one(text, dialect="duckdb").sql("spark") for number, text in rows}


@cache
def _database() -> duckdb.DuckDBPyConnection:
    extension = next(Path(duckdb_extension_tpch.__path__[0]).rglob("*.duckdb_extension"))
    database = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    database.execute(f"load '{extension}'")
    return database


def generated(scale: float, folder: Path) -> Path:
    """Parquet files with the tables, generated once."""
    files = folder / f"tpch-sf{scale:g}"
    if not (files / "done").exists():
        files.mkdir(parents=True, exist_ok=True)
        database = _database()
        database.execute(f"call dbgen(sf={scale})")
        for table in TABLES:
            database.execute(f"copy {table} to '{files}/{table}.parquet' (format parquet)")
        (files / "done").touch()
    return files


def _chosen(key: str, share: float) -> str:
    """A share of the orders, scattered over the table."""
    return f"pmod(xxhash64({key}), 1000000) < {round(share * 1_000_000)}"
