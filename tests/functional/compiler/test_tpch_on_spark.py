"""TPC-H on real Spark: the original query texts as views, through rounds of changes in every table."""

import os

import pytest

from tests.functional.compiler.rows_on_spark import RowsOnSpark
from tests.property.tpc_lake import TpcLake

EVERYTHING = bool(os.environ.get("LAZYVIEW_ALL_TPCH"))  # all 22 through three rounds take a quarter of an hour
SAMPLE = (4, 13, 15, 17)  # a semi join, groups over an outer join, a global scalar, a correlated subquery
SCALE, ROUNDS = (0.01, 3) if EVERYTHING else (0.001, 1)


@pytest.fixture(scope="module")
def benchmark():
    return TpcLake("tpch", SCALE)


@pytest.fixture(scope="module")
def lake(spark, benchmark, tmp_path_factory):
    """The tables as Spark sees them; `shown` shows it what they have become."""
    return TpcOnSpark(spark.newSession(), benchmark, tmp_path_factory.mktemp("tpch"))


class TpcOnSpark(RowsOnSpark):
    def __init__(self, session, benchmark, folder):
        schemas = {name: ", ".join(f"{c.name} {c.type}" for c in columns) for name, columns in benchmark.tables.items()}
        super().__init__(session, schemas)
        self.benchmark, self.folder = benchmark, folder
        self.load(self.schemas)

    def change(self, number):
        """A round: rows of every table go, come back changed, or come anew."""
        self.benchmark.change(number, 23)
        self.load([*self.schemas, *(f"changes_of_{name}" for name in self.schemas)])

    def load(self, tables):
        for name in tables:
            path = f"{self.folder}/{name}.parquet"
            self.benchmark.db.execute(f"copy {name} to '{path}' (format parquet)")
            typed = [f"cast({c.name} as {c.type})" for c in self.benchmark.tables[name.removeprefix("changes_of_")]]
            weight = ["lv_w as lv_weight"] if name.startswith("changes_of_") else []
            self.keep(name, f"select {', '.join(typed + weight)} from parquet.`{path}`")


def test_tpch_equals_its_queries(lake, benchmark):
    chosen = benchmark.queries if EVERYTHING else SAMPLE
    views = {number: lake.build(f"q{number}", benchmark.queries[number]) for number in chosen}
    for number in range(1, ROUNDS + 1):
        lake.change(number)
        for query, view in views.items():
            view.refresh()
            assert view.differences() == {}, (query, number)
