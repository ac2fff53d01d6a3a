"""TPC-H and TPC-DS on real Spark: original query texts as views, through rounds of changes in every table they read."""

import os

import pytest

from tests.functional.compiler.rows_on_spark import RowsOnSpark
from tests.property.tpc_lake import TpcLake, chosen_queries

pytestmark = pytest.mark.in_process("rows and changes are temporary views of this process, no tables")

ALL_OF_TPCH = bool(os.environ.get("LAZYVIEW_ALL_TPCH"))  # all 22 through three rounds take a quarter of an hour
# Sums that may overflow over joins, a semi join, groups over an outer join, a global scalar, a correlated subquery.
TPCH_SAMPLE = [3, 4, 13, 15, 17]
TPCH_SCALE, TPCH_ROUNDS = (0.01, 3) if ALL_OF_TPCH else (0.001, 1)
TPCDS_SAMPLE = [1, 86, 97]  # groups compared with their average, a rollup that is ranked, a full join of groups


class TpcOnSpark(RowsOnSpark):
    """The tables that some queries read, with the columns that they name, as Spark sees them."""

    def __init__(self, session, benchmark, numbers, folder):
        self.benchmark, self.folder = benchmark, folder
        self.columns = _columns_read(benchmark, numbers)
        super().__init__(session, self.columns)
        self.load(self.columns)
        self.views = {number: self.build(f"q{number}", benchmark.queries[number]) for number in numbers}

    def change(self, number):
        """A round: rows of every table go, come back changed, or come anew."""
        self.benchmark.change(number, 23)
        self.load([*self.columns, *(f"changes_of_{name}" for name in self.columns)])

    def load(self, tables):
        for name in tables:
            path = f"{self.folder}/{name}.parquet"
            self.benchmark.db.execute(f"copy {name} to '{path}' (format parquet)")
            typed = self.columns[name.removeprefix("changes_of_")]
            weight = ["lv_w as lv_weight"] if name.startswith("changes_of_") else []
            self.keep(name, f"select {', '.join(typed + weight)} from parquet.`{path}`")

    def differences(self):
        """Of each view from its query, after a refresh."""
        for view in self.views.values():
            view.refresh()
        found = {number: view.differences() for number, view in self.views.items()}
        return {number: rows for number, rows in found.items() if rows}


def _columns_read(benchmark, numbers):
    """What to select from each table, in the types that the compiler was told; no two tables share a name."""
    texts = " ".join(benchmark.queries[number].lower() for number in numbers)
    tables = {each.name[-1] for number in numbers for each in benchmark.compiled(number, is_owner=False).reads}
    return {
        table: [f"cast({c.name} as {c.type}) as {c.name}" for c in benchmark.tables[table] if c.name in texts]
        for table in tables
    }


def test_tpch_equals_its_queries(spark, tmp_path):
    benchmark = TpcLake("tpch", TPCH_SCALE)
    numbers = list(benchmark.queries) if ALL_OF_TPCH else TPCH_SAMPLE
    lake = TpcOnSpark(spark.newSession(), benchmark, numbers, tmp_path)
    for number in range(1, TPCH_ROUNDS + 1):
        lake.change(number)
        assert lake.differences() == {}, number


@pytest.mark.long
def test_tpcds_equals_its_queries(spark, tmp_path):
    benchmark = TpcLake("tpcds", 0.01)
    benchmark.db.execute("delete from date_dim where d_year not between 1998 and 2002")  # nothing was sold then
    lake = TpcOnSpark(spark.newSession(), benchmark, chosen_queries(TPCDS_SAMPLE), tmp_path)
    lake.change(1)
    assert lake.differences() == {}
