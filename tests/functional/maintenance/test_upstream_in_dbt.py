"""Upstream through dbt: tables and seeds that every run replaces, and readers of a view whose key is violated."""

import json
from pathlib import Path

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture, write_file

PEOPLE = "id,name\n1,a\n2,b\n"
STAGED = "{{ config(materialized='table') }} select id, name from {{ ref('people') }}"
NAMES = "{{ config(materialized='lazy_view', refresh_mode='incremental', unique_key='id') }} select id, name from {}"
STILL = """
{{ config(materialized='lazy_view', policy='snapshot', unique_key='id') }} select id, name from {{ ref('staged') }}
"""
READER = "{{ config(materialized='table') }} select count(*) as n from {{ ref('%s') }}"


def kinds():
    """How each lazy view of the last run was refreshed."""
    results = json.loads(Path("target/run_results.json").read_text())["results"]
    found = {each["unique_id"].split(".")[-1]: each["adapter_response"].get("kind") for each in results}
    return {name: kind for name, kind in found.items() if kind}


class TestUpstreamInDbt:
    @pytest.fixture(scope="class")
    def seeds(self):
        return {"people.csv": PEOPLE}

    @pytest.fixture(scope="class")
    def models(self):
        return {
            "staged.sql": STAGED, "names.sql": NAMES.replace("{}", "{{ ref('staged') }}"), "still.sql": STILL,
            "seeded.sql": NAMES.replace("{}", "{{ ref('people') }}"), "reader.sql": READER % "names",
            "still_reader.sql": READER % "still",
        }  # fmt: skip

    def test_everything_upstream_is_replaced_at_each_run(self, project):
        run_dbt(["build"])
        assert kinds() == {"names": "build", "seeded": "build", "still": "build"}
        run_dbt(["build", "--select", "people", "staged", "names", "seeded"])
        assert kinds() == {"names": "incremental", "seeded": "incremental"}
        run_dbt(["build", "--full-refresh", "--select", "people", "staged"])
        run_dbt(["run", "--select", "names", "seeded"])
        assert kinds() == {"names": "incremental", "seeded": "incremental"}
        for view in ("names", "seeded"):
            rows = project.run_sql(f"select id, name from {{schema}}.{view} order by id", fetch="all")
            assert [tuple(row) for row in rows] == [(1, "a"), (2, "b")]

    def test_readers_of_a_view_whose_key_is_violated(self, project):
        write_file(PEOPLE + "2,c\n", project.project_root, "seeds", "people.csv")
        run_dbt(["build", "--select", "people", "staged"])
        results, _ = run_dbt_and_capture(["run", "--select", "still", "reader"], expect_pass=False)
        assert all("id = 2: 2 rows" in result.message and "LV044" in result.message for result in results)
        results = run_dbt(["run", "--select", "still_reader"], expect_pass=False)
        assert "id = 2: 2 rows" in results.results[0].message, "a snapshot is read as it is"
        write_file(PEOPLE + "3,c\n", project.project_root, "seeds", "people.csv")
        run_dbt(["build"])
        assert project.run_sql("select n from {schema}.still_reader", fetch="one")[0] == 3
