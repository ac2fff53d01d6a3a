"""A profile of dbt-spark, as it was before the package was installed: dbt finds the package, and models may be lazy."""

import json
from pathlib import Path

import pytest
from dbt.adapters.factory import AdapterContainer
from dbt.adapters.spark.impl import SparkAdapter

from dbt_lazyview.cli.main import FINE, main
from dbt_lazyview.spark_profiles import teach_lazy_views
from tests.functional.lazy.shop import Shop, lazy_view, totals

STORED = "file_format='delta', tblproperties={'delta.enableChangeDataFeed': 'true'}"
ORDERS = f"""
{{{{ config(materialized='incremental', incremental_strategy='append', {STORED}) }}}}
select * from values (1, 'north', 10) as t (id, region, amount)
"""
SCHEMA = """
models:
  - name: revenue
    data_tests: [lazy_view_matches_query]
"""


class TestTypeSpark:
    @pytest.fixture(scope="class")
    def dbt_profile_target(self, way, spark):
        return {"type": "spark", "threads": 2, **way.spark_profile()}

    @pytest.fixture(scope="class")
    def models(self):
        return {
            "orders.sql": ORDERS,
            "revenue.sql": totals("orders"),
            "top.sql": lazy_view("select region, revenue from {{ ref('revenue') }} where revenue > 0"),
            "report.sql": "{{ config(materialized='table', file_format='delta') }} select * from {{ ref('top') }}",
            "schema.yml": SCHEMA,
        }

    @pytest.fixture(scope="class")
    def shop(self, project, spark_folder):
        shop = Shop(project, spark_folder)
        assert "build (first_build): 1 row" in shop.dbt("build")
        return shop

    def test_follows_changes(self, shop):
        shop.sell("orders")
        assert "incremental: 1 change" in shop.dbt("run", "--select", "revenue")
        assert "noop: nothing new" in shop.dbt("run", "--select", "revenue")
        assert shop.rows("revenue") == [("north", 1, 10), ("south", 1, 7)]

    def test_readers_find_it_refreshed(self, shop):
        shop.sell("orders")
        assert ".top (read by report): incremental: " in shop.dbt("run", "--select", "report")
        assert shop.rows("report") == shop.rows("top") == [("north", 10), ("south", 14)]

    def test_tests_operations_and_the_command(self, shop, project, capsys):
        shop.sell("orders")
        shop.dbt("test")
        assert "revenue" in shop.operation("status")
        capsys.readouterr()
        places = ("--project-dir", str(project.project_root), "--profiles-dir", str(project.profiles_dir))
        assert main(["status", "--json", *places]) == FINE
        told = {each["view"].split(".")[-1] for each in json.loads(capsys.readouterr().out)}
        assert told == {"revenue", "top"}

    def test_commits_of_others_carry_no_record(self, shop):
        """They share connections of dbt-spark; a record left behind would make Delta skip what they write."""
        before = shop.sales("orders")
        shop.dbt("run", threads=4)
        shop.dbt("run", threads=4)
        assert shop.sales("orders") == before + 2
        for name in ("orders", "report"):
            log = Path(shop.tables / name / "_delta_log")
            commits = "".join(file.read_text() for file in log.glob("*.json"))
            assert '"userMetadata"' not in commits
            assert '"txn"' not in commits


def test_macros_of_dbt_spark_come_first():
    adapters = AdapterContainer()
    adapters.load_plugin("spark")
    assert adapters.get_adapter_package_names("spark") == ["dbt_spark", "dbt"]
    teach_lazy_views(adapters)
    assert adapters.get_adapter_package_names("spark") == ["dbt_spark", "dbt_lazyview", "dbt"]
    assert adapters.get_adapter_package_names("lazyview") == ["dbt_lazyview", "dbt_spark", "dbt"]
    adapters.load_plugin("spark")  # as the next invocation of the process begins
    assert adapters.get_adapter_class_by_name("spark") is SparkAdapter
