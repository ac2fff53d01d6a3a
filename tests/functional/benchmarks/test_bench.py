"""The benchmark on real tables: one view, one change that comes and goes, tiny tables."""

import json

import pytest
from dbt.adapters.factory import reset_adapters

from benchmarks import page, tpch
from benchmarks.results import Results
from benchmarks.run import run
from benchmarks.scope import Scope
from benchmarks.sections import curves
from benchmarks.sections.curves import Change, Group
from benchmarks.sections.names import DELETES, INSERTS
from benchmarks.views import subject

pytestmark = pytest.mark.in_process("measures an embedded Spark")

VIEW = "join and aggregate"
ROUND = (Change(INSERTS, 0.1), Change(DELETES, 0.1, has_full=False))
TABLES = ("orders", "lineitem")
SCALE = 0.001


@pytest.fixture
def small(monkeypatch, way):
    """Few tables and one round; the tables go again, and so does the adapter, which has a profile of its own."""
    monkeypatch.setattr(curves, "groups", lambda scope: [Group((subject(VIEW),), (ROUND,))])
    monkeypatch.setattr(tpch, "TABLES", TABLES)
    monkeypatch.setattr(tpch, "CHANGED", TABLES)
    session = way.session()
    yield
    for table in TABLES:
        session.sql(f"drop table if exists {table}").collect()
    reset_adapters()


def measured(folder, spark_folder):
    results = Results(folder / "sf0.001.json", SCALE)
    run(Scope(SCALE), ["curves"], folder, results, spark_folder)
    return results.points


@pytest.mark.long
def test_a_run_measures_once_and_the_page_tells_of_it(small, tmp_path, spark_folder, monkeypatch):
    points = measured(tmp_path, spark_folder)
    came, went = (points["curves"][each.point(VIEW)] for each in ROUND)
    assert (came["refresh"]["kind"], went["refresh"]["kind"]) == ("incremental", "incremental")
    assert came["refresh"]["changes"] == went["refresh"]["changes"] > 100
    assert came["full"]["kind"] == "full"
    for figure in ("seconds", "jobs", "rows_read", "bytes_read", "bytes_written", "statements"):
        assert came["refresh"][figure] > 0, figure

    monkeypatch.setattr(tpch, "generated", lambda *_: pytest.fail("begun again"))
    assert measured(tmp_path, spark_folder) == points == json.loads((tmp_path / "sf0.001.json").read_text())["points"]

    page.write(tmp_path)
    assert (
        f"| {VIEW} | {came['full']['seconds'] / came['refresh']['seconds']:.1f}x" in (tmp_path / page.NAME).read_text()
    )
