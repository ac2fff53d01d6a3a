"""Through dbt: upstream tables and seeds that every run replaces, readers of a view with a violated key, grants."""

import json
import re
from pathlib import Path

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture, write_file

PEOPLE = "id,name\n1,a\n2,b\n"
STAGED = "{{ config(materialized='table') }} select id, name from {{ ref('people') }}"
NAMES = "{{ config(materialized='lazy_view', refresh_mode='incremental', unique_key='id') }} select id, name from {}"
STILL = """
{{ config(materialized='lazy_view', policy='snapshot', unique_key='id') }} select id, name from {{ ref('staged') }}
"""
GRANTED = "{{ config(materialized='lazy_view', grants={'select': ['reader']}) }} select id from {{ ref('people') }}"
GRANTS = """
{% macro lazyview__call_dcl_statements(statements) %}
    {% do log('GRANTS: ' ~ statements, info=true) %}
    {% do spark__call_dcl_statements(statements) if not var('has_grants', true) %}
{% endmacro %}
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
    def macros(self):
        return {"grants.sql": GRANTS}

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

    def test_grants_are_those_of_the_public_view(self, project):
        write_file(GRANTED, project.project_root, "models", "granted.sql")
        _, log = run_dbt_and_capture(["run", "--select", "granted"])
        assert re.findall(r"GRANTS: (.*)", log.replace("`", "")) == [
            f"['grant select on {project.test_schema}.granted to reader']"
        ]
        project.run_sql("drop view {schema}.granted")
        results = run_dbt(["run", "--select", "granted", "--vars", "{has_grants: false}"], expect_pass=False)
        assert "grant select on" in results.results[0].message, "Spark has none, and says so"
        assert project.run_sql("select count(*) from {schema}.granted", fetch="one")[0] == 3
