"""TPC-H on real Spark and Delta: the original query texts as lazy views, through rounds of the refresh functions."""

import os

import pytest

from tests.functional.maintenance.lake import Lake
from tests.property.tpc_lake import TpcLake

EVERYTHING = os.environ.get("LAZYVIEW_ALL_TPCH")  # all 22 through three rounds take half an hour
SAMPLE = [4, 13, 17]  # a semi join, groups over an outer join, a correlated subquery
SCALE = 0.01 if EVERYTHING else 0.001
ROUNDS = 3 if EVERYTHING else 1

# Refresh functions 1 and 2 of the benchmark (new sales, old sales), and updates on every side.
CHANGES = (
    "insert into orders select o_orderkey + 10000000 * {n}, * except (o_orderkey) from orders "
    "where o_orderkey % 97 = {n} and o_orderkey < 10000000",
    "insert into lineitem select l_orderkey + 10000000 * {n}, * except (l_orderkey) from lineitem "
    "where l_orderkey % 97 = {n} and l_orderkey < 10000000",
    "delete from orders where o_orderkey % 101 = {n}",
    "delete from lineitem where l_orderkey % 101 = {n}",
    "update lineitem set l_quantity = l_quantity + 1, l_discount = 0 where l_orderkey % 53 = {n}",
    "update customer set c_acctbal = -c_acctbal, c_nationkey = (c_nationkey + 1) % 25 where c_custkey % 53 = {n}",
    "update supplier set s_nationkey = (s_nationkey + 1) % 25 where s_suppkey % 7 = {n}",
    "update part set p_size = p_size % 50 + 1 where p_partkey % 17 = {n}",
    "update partsupp set ps_supplycost = ps_supplycost + 1 where ps_partkey % 19 = {n}",
)


@pytest.fixture(scope="module")
def queries(spark, tmp_path_factory):
    """The tables on a lake, and the texts over them."""
    folder = tmp_path_factory.mktemp("tpch")
    generated = TpcLake("tpch", SCALE)
    lake = Lake(spark, "tpch_on_spark")
    for table in generated.tables:
        generated.db.execute(f"copy {table} to '{folder}/{table}.parquet' (format parquet)")
        lake.run(f"create table {table} using delta as select * from parquet.`{folder}/{table}.parquet`")
    chosen = generated.queries if EVERYTHING else {number: generated.queries[number] for number in SAMPLE}
    return lake, {f"q{number}": text for number, text in chosen.items()}


def test_tpch_is_incremental_and_equals_its_queries(queries):
    lake, texts = queries
    for name, text in texts.items():
        assert lake.refresh(name, text).kind == "build", name
    for number in range(1, ROUNDS + 1):
        lake.run(*(change.format(n=number) for change in CHANGES))
        for name, text in texts.items():
            outcome = lake.refresh(name, text)
            assert (outcome.kind, outcome.reason) == ("incremental", ""), name
            assert lake.differences(name, text) == [], name
