"""Whoever reads a lazy view finds it refreshed: dependents, tests and snapshots, whatever was selected."""

import shutil
from pathlib import Path

import pytest
from dbt.tests.util import write_file

from tests.functional.lazy.shop import Shop, Watch, appending, lazy_view, table, totals

SCHEMA = """
models:
  - name: revenue
    columns: [{name: sales, data_tests: [not_null]}]
unit_tests:
  - name: report_sums_up
    model: report
    given: [{input: ref('top_view'), rows: [{region: a, revenue: 1}]}]
    expect: {rows: [{region: a, revenue: 1}]}
"""
REPORT = table("select region, revenue from {{ ref('top_view') }} {{ 'where nonsense' if var('fails', false) }}")
HISTORY = """
snapshots:
  - name: history
    relation: ref('revenue')
    config: {unique_key: region, strategy: check, check_cols: all}
"""
VIEWS = ("revenue", "top")


class TestOnDemand:
    @pytest.fixture(scope="class")
    def models(self):
        return {
            "orders.sql": appending(),
            "stg.sql": "select * from {{ ref('orders') }}",
            "revenue.sql": totals("stg"),
            "top.sql": lazy_view("select region, revenue from {{ ref('revenue') }} where revenue > 0"),
            "top_view.sql": "select * from {{ ref('top') }}",
            "inlined.sql": "{{ config(materialized='ephemeral') }} select * from {{ ref('revenue') }}",
            "report.sql": REPORT,
            "inlined_report.sql": table("select * from {{ ref('inlined') }}"),
            "north.sql": table("select revenue from {{ ref('inlined') }} where region = 'north'"),
            "south.sql": table("select r.revenue from {{ ref('revenue') }} as r where r.region in ('south', 'west')"),
            "schema.yml": SCHEMA,
        }

    @pytest.fixture(scope="class")
    def snapshots(self):
        return {"history.yml": HISTORY}

    @pytest.fixture(scope="class")
    def shop(self, project, spark_folder):
        shop = Shop(project, spark_folder)
        shop.dbt("build")
        return shop

    @pytest.mark.parametrize("threads", [1, 4])
    def test_dependents_find_it_refreshed_once(self, shop, threads):
        shop.sell("orders")
        with Watch(shop, *VIEWS) as refreshed:
            log = shop.dbt("run", "--select", "report", "inlined_report", "top_view", threads=threads)
        assert sorted(refreshed) == ["revenue", "top"]
        assert all(len(triggers) == 1 for triggers in refreshed.values())
        assert shop.rows("report") == shop.rows("top")
        assert shop.rows("inlined_report") == shop.rows("revenue")
        told = [line for line in log.splitlines() if "Lazy view" in line]
        assert [line for line in told if ".top (read by" in line and "): incremental: 1 change" in line]

    def test_a_reader_of_part_of_a_view(self, shop):
        """What is pending is about the south."""
        shop.sell("orders")
        with Watch(shop, *VIEWS) as refreshed:
            log = shop.dbt("run", "--select", "north")
        assert refreshed == {}
        assert "revenue stays as it is: north reads no row that changed" in log
        with Watch(shop, *VIEWS) as refreshed:
            shop.dbt("run", "--select", "north", "south")
        assert refreshed == {"revenue": ["demand"]}
        assert shop.rows("south") == [row[2:] for row in shop.rows("revenue") if row[0] == "south"]

    def test_tests_and_snapshots_too(self, shop):
        shop.sell("orders")
        with Watch(shop, *VIEWS) as refreshed:
            shop.dbt("test", "--select", "revenue")
        assert refreshed == {"revenue": ["demand"]}
        shop.sell("orders")
        with Watch(shop, *VIEWS) as refreshed:
            shop.dbt("snapshot")
        assert refreshed == {"revenue": ["demand"]}
        assert ("south", shop.rows("revenue")[1][1]) in [row[:2] for row in shop.rows("history")]

    def test_never_without_rows_or_elsewhere(self, shop, project):
        state = Path(project.project_root, "production")
        shutil.copytree(Path(project.project_root, "target"), state)
        shop.sell("orders")
        with Watch(shop, *VIEWS) as refreshed:
            shop.dbt("run", "--empty", "--select", "report")
            shop.dbt("compile", "--select", "report")
            shop.dbt("show", "--select", "report")
            shop.dbt("docs", "generate", "--select", "report")
            shop.dbt("run", "--select", "report", "--sample", "3 days")
            shop.dbt("run", "--select", "report", "--defer", "--favor-state", "--state", str(state))
        assert refreshed == {}
        with Watch(shop, *VIEWS) as refreshed:  # exists here, so it is read here
            shop.dbt("run", "--select", "inlined_report", "--defer", "--state", str(state))
        assert refreshed == {"revenue": ["demand"]}

    def test_retry(self, shop):
        shop.dbt("run", "--select", "report", "--vars", "{fails: true}", expect_pass=False)
        shop.sell("orders")
        with Watch(shop, *VIEWS) as refreshed:
            shop.dbt("retry", "--vars", "{fails: false}")
        assert sorted(refreshed) == ["revenue", "top"]
        assert shop.rows("report") == shop.rows("top")

    def test_every_reader_learns_of_a_failure(self, shop, project):
        write_file(table("select id as no_region from {{ ref('orders') }}"), project.project_root, "models", "stg.sql")
        shop.dbt("run", "--select", "stg")
        log = shop.dbt("run", "--select", "report", "inlined_report", expect_pass=False)
        for reader, view in [("report", "top"), ("inlined_report", "revenue")]:
            assert f"{reader} reads the lazy view {view}, which could not be refreshed." in log
