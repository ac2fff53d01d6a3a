"""`dbt clone` and `--defer`: a developer goes on from production's states, without a rebuild or a change to them."""

import json
import shutil
from copy import deepcopy
from pathlib import Path

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture

ORDERS = """
{{ config(materialized='incremental', incremental_strategy='append') }}
select * from values (1, 'north', 10), (2, 'south', 20), (3, 'east', 5) as t (id, region, amount)
{% if is_incremental() %} where false {% endif %}
"""
STAGING = "select id, region, amount from {{ ref('orders') }} where amount > 0"
REVENUE = "select region, count(*) as orders, sum(amount) as revenue from {{ ref('stg_orders') }} group by region"
LARGE = "select id, amount from {{ ref('orders') }} where amount >= (select avg(amount) from {{ ref('orders') }})"
TOP = """
select r.region, r.revenue, count(o.id) as large_orders
from {{ ref('revenue') }} as r left join {{ ref('orders') }} as o on o.region = r.region and o.amount > 8
group by r.region, r.revenue
"""
VIEWS = ("revenue", "large", "top")


def refreshed():
    results = json.loads(Path("target/run_results.json").read_text())["results"]
    return {each["unique_id"].split(".")[-1]: each["adapter_response"].get("kind") for each in results}


class TestClone:
    @pytest.fixture(scope="class")
    def models(self):
        return {
            "orders.sql": ORDERS,
            "stg_orders.sql": STAGING,
            "revenue.sql": REVENUE,
            "large.sql": LARGE,
            "top.sql": TOP,
        }

    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"models": {"test": {name: {"+materialized": "lazy_view"} for name in VIEWS}}}

    @pytest.fixture(scope="class")
    def profiles_config_update(self, dbt_profile_target, unique_schema):
        outputs = {"default": dbt_profile_target, "dev": deepcopy(dbt_profile_target)}
        outputs["default"]["schema"] = unique_schema
        outputs["dev"]["schema"] = f"{unique_schema}_dev"
        return {"test": {"outputs": outputs, "target": "default"}}

    @pytest.fixture(scope="class")
    def production(self, project):
        """Built, refreshed once from changes, and its manifest kept."""
        run_dbt(["run"])
        project.run_sql("insert into {schema}.orders values (4, 'east', 9)")
        run_dbt(["run"])
        shutil.copytree(Path(project.project_root, "target"), Path(project.project_root, "state"))
        yield project.test_schema
        project.run_sql(f"drop schema if exists {project.test_schema}_dev cascade")

    def rows(self, project, relation):
        return sorted(map(tuple, project.run_sql(f"select * from {relation}", fetch="all")))

    def history(self, project, table):
        return [(row[0], row[4]) for row in project.run_sql(f"describe history {table}", fetch="all")]

    def test_a_developer_goes_on_from_production(self, project, production):
        dev = f"{production}_dev"
        cloned = run_dbt(["clone", "--state", "state", "--target", "dev", "--select", *VIEWS])
        assert [each.adapter_response["kind"] for each in cloned] == ["clone"] * 3
        for view in VIEWS:
            assert self.rows(project, f"{dev}.{view}") == self.rows(project, f"{production}.{view}")
        assert self.history(project, f"{dev}.revenue__state") == [(0, "CLONE")]

        states = {view: self.history(project, f"{production}.{view}__state") for view in VIEWS}
        project.run_sql(f"insert into {production}.orders values (5, 'north', 90), (6, 'west', 7)")
        run_dbt(["run", "--defer", "--state", "state", "--target", "dev", "--select", *VIEWS])
        assert refreshed() == dict.fromkeys(VIEWS, "incremental")
        assert self.rows(project, f"{dev}.revenue") == [
            ("east", 2, 14),
            ("north", 2, 100),
            ("south", 1, 20),
            ("west", 1, 7),
        ]
        assert self.rows(project, f"{dev}.large") == [(5, 90)]
        assert states == {view: self.history(project, f"{production}.{view}__state") for view in VIEWS}

    def test_views_of_production_are_read_as_they_are(self, project, production):
        """`top` alone: its parent is production's, which a developer does not refresh, and stands for older orders."""
        dev = f"{production}_dev"
        project.run_sql(f"drop view {dev}.revenue")
        project.run_sql(f"drop view {dev}.top")
        before = self.history(project, f"{production}.revenue__state")
        run_dbt(["clone", "--state", "state", "--target", "dev", "--select", "top"])
        run_dbt(["run", "--defer", "--state", "state", "--target", "dev", "--select", "top"])
        assert refreshed() == {"top": "noop"}
        assert self.rows(project, f"{dev}.top") == [("east", 14, 1), ("north", 10, 1), ("south", 20, 1)]
        assert self.history(project, f"{production}.revenue__state") == before

        run_dbt(["run", "--select", "revenue"])
        run_dbt(["run", "--defer", "--state", "state", "--target", "dev", "--select", "top"])
        assert refreshed() == {"top": "incremental"}
        expected = [("east", 14, 1), ("north", 100, 2), ("south", 20, 1), ("west", 7, 0)]
        assert self.rows(project, f"{dev}.top") == expected

    @pytest.mark.long
    def test_all_of_production_is_cloned(self, project, production):
        """What reads clones of its sources goes on from where these were cloned."""
        dev = f"{production}_dev"
        run_dbt(["run"])
        clone = ["clone", "--state", "state", "--target", "dev"]
        assert len(run_dbt([*clone, "--full-refresh"])) == 5
        assert {each.message for each in run_dbt(clone)} == {"No-op"}
        for view in VIEWS:
            assert self.rows(project, f"{dev}.{view}") == self.rows(project, f"{production}.{view}")
        before = self.history(project, f"{production}.large__state")
        project.run_sql(f"insert into {dev}.orders values (7, 'west', 1000)")
        run_dbt(["run", "--target", "dev", "--select", "large"])
        assert refreshed() == {"large": "incremental"}
        assert self.rows(project, f"{dev}.large") == [(7, 1000)]
        run_dbt(["run", "--target", "dev", "--select", "large", "revenue"])
        assert refreshed() == {"large": "noop", "revenue": "full"}, "the clone of a staging view is another query"
        assert self.rows(project, f"{dev}.revenue") == self.rows(project, f"{production}.revenue")
        assert self.history(project, f"{production}.large__state") == before

    def test_nothing_is_cloned_onto_itself(self, project, production):
        _, log = run_dbt_and_capture(["clone", "--state", "state", "--full-refresh", "--log-level", "debug"])
        assert "skipping clone for relation" in log
