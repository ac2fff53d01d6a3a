"""What dbt offers to any materialization, with lazy views: contracts, storage, hooks, names, docs, selection, retry."""

import json
import re
import shutil
from pathlib import Path

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture, write_file

ORDERS = """
{{ config(materialized='incremental', incremental_strategy='append') }}
select id, region, amount, cast(day as date) as day, current_timestamp() as loaded_at
from values (1, 'north', 10, '2026-01-01'), (2, 'south', 20, '2026-01-02') as t (id, region, amount, day)
{% if is_incremental() %} where false {% endif %}
"""
BY_REGION = "select region, count(*) as orders, sum(amount) as revenue from {{ ref('orders') }} group by region"
BY_DAY = "select day, sum(amount) as revenue from {{ ref('orders') }} group by day"
PARTITIONED = "{{ config(partition_by=['day'], tblproperties={'team': 'sales'}, location_root=var('root')) }}" + BY_DAY
CLUSTERED = "{{ config(clustered_by='region', on_configuration_change='fail') }}" + BY_REGION
HOOKED = (
    """{{ config(alias='renamed', schema='extra', tags=['daily'], meta={'owner': 'sales'},
    pre_hook="insert into {{ target.schema }}.audit values ('before')",
    post_hook="insert into {{ target.schema }}.audit select 'after ' || count(*) from {{ this }}") }}"""
    + BY_REGION
)
FROZEN = "{{ config(full_refresh=false) }}" + BY_REGION
REPORT = "{{ config(materialized='table') }} select * from {{ ref('versioned', v=2) }}"
CONTRACT = """
version: 2
groups: [{name: finance, owner: {name: Finance}}]
exposures:
  - {name: dashboard, type: dashboard, owner: {name: Sales}, depends_on: [ref('by_region')]}
sources:
  - name: raw
    schema: "{{ target.schema }}"
    tables: [{name: orders, loaded_at_field: loaded_at, freshness: {error_after: {count: 1, period: day}}}]
models:
  - name: by_region
    description: Revenue by region.
    access: public
    group: finance
    config: {contract: {enforced: true}, persist_docs: {relation: true, columns: true}}
    constraints: [{type: check, name: paid, expression: revenue >= 0}]
    columns:
      - {name: region, data_type: string, description: Where it was sold., constraints: [{type: not_null}]}
      - {name: orders, data_type: bigint}
      - {name: revenue, data_type: bigint}
  - name: versioned
    latest_version: 2
    access: private
    group: finance
    versions: [{v: 1}, {v: 2}]
  - name: report
    group: finance
  - name: unused
    config: {enabled: false}
unit_tests:
  - name: sums_by_region
    model: by_region
    given:
      - input: ref('orders')
        rows: [{region: north, amount: 1}, {region: north, amount: 2}, {region: south, amount: 4}]
    expect:
      rows: [{region: north, orders: 2, revenue: 3}, {region: south, orders: 1, revenue: 4}]
"""
VIEWS = ["by_region", "partitioned", "clustered", "hooked", "frozen", "versioned_v1", "versioned_v2"]


def responses():
    results = json.loads(Path("target/run_results.json").read_text())["results"]
    return {each["unique_id"].split(".", 2)[-1]: each for each in results}


def kinds():
    return {name: each["adapter_response"].get("kind") for name, each in responses().items()}


class TestFeatures:
    @pytest.fixture(scope="class")
    def models(self):
        lazy = {
            "by_region": BY_REGION, "partitioned": PARTITIONED, "clustered": CLUSTERED, "hooked": HOOKED,
            "frozen": FROZEN, "versioned_v1": BY_REGION, "versioned_v2": BY_DAY, "unused": "select 1 as one",
        }  # fmt: skip
        marts = {f"{name}.sql": sql for name, sql in lazy.items()}
        return {"orders.sql": ORDERS, "report.sql": REPORT, "docs.yml": CONTRACT, "marts": marts}

    @pytest.fixture(scope="class")
    def project_config_update(self, tmp_path_factory):
        root = tmp_path_factory.mktemp("states")
        return {"models": {"test": {"marts": {"+materialized": "lazy_view"}}}, "vars": {"root": str(root)}}

    @pytest.fixture(scope="class")
    def built(self, project):
        project.run_sql("create table {schema}.audit (what string) using delta")
        run_dbt(["build"])
        shutil.copytree(Path(project.project_root, "target"), Path(project.project_root, "state"))
        return responses()

    def rows(self, project, relation):
        return sorted(map(tuple, project.run_sql(f"select * from {{schema}}{relation}", fetch="all")))

    def detail(self, project, state):
        return project.run_sql(f"describe detail {{schema}}.{state}", fetch="all")[0]

    def test_all_of_them_are_built(self, project, built):
        assert all(each["status"] in ("success", "pass", "no-op") for each in built.values())
        assert {built[name.replace("_v", ".v")]["adapter_response"]["kind"] for name in VIEWS} == {"build"}
        assert "by_region.sums_by_region" in built, "a unit test of a lazy view"
        assert self.rows(project, "_extra.renamed") == [("north", 1, 10), ("south", 1, 20)]
        assert self.rows(project, ".audit") == [("after 2",), ("before",)]

    def test_the_state_is_stored_as_told(self, project, built):
        partitioned, clustered = self.detail(project, "partitioned__state"), self.detail(project, "clustered__state")
        assert ([name.startswith("day") for name in partitioned[7]], list(clustered[7])) == ([True], [])
        assert [name.startswith("region") for name in clustered[8]] == [True]
        assert partitioned[4].endswith(f"/{project.test_schema}/partitioned__state")
        assert partitioned[11]["team"] == "sales"

    def test_docs_show_the_view_and_no_state(self, project, built):
        catalog = run_dbt(["docs", "generate"])
        assert not [name for name in catalog.nodes if "state" in name]
        written = json.loads(Path("target/catalog.json").read_text())["nodes"]["model.test.by_region"]
        assert {name: column["type"] for name, column in written["columns"].items()} == {
            "region": "string", "orders": "bigint", "revenue": "bigint",
        }  # fmt: skip
        assert written["columns"]["region"]["comment"] == "Where it was sold."
        assert (written["metadata"]["type"], written["metadata"]["comment"]) == ("view", "Revenue by region.")
        stats = {name: each["value"] for name, each in written["stats"].items() if each["include"]}
        assert stats["bytes"] > 0
        assert stats["kind"] == "build"

    def test_list_show_freshness(self, project, built):
        assert run_dbt(["list", "--select", "tag:daily"]) == ["test.marts.hooked"]
        assert run_dbt(["list", "--select", "+exposure:dashboard", "--resource-type", "model"]) == [
            "test.marts.by_region", "test.orders",
        ]  # fmt: skip
        _, log = run_dbt_and_capture(["show", "--inline", "select max(revenue) as most from {{ ref('by_region') }}"])
        assert "20" in log
        assert run_dbt(["source", "freshness"]).results[0].status == "pass"

    def test_a_broken_constraint_shows_old_rows(self, project, built):
        project.run_sql(f"insert into {project.test_schema}.orders values (3, 'north', -11, null, now())")
        result = run_dbt(["run", "--select", "by_region"], expect_pass=False).results[0]
        assert "[LV046]" in result.message
        assert "paid" in result.message
        assert self.rows(project, ".by_region") == [("north", 1, 10), ("south", 1, 20)]
        result = run_dbt(["run", "--select", "by_region", "--full-refresh"], expect_pass=False).results[0]
        assert "[LV046]" in result.message
        assert self.rows(project, ".by_region") == [("north", 1, 10), ("south", 1, 20)]
        project.run_sql(f"update {project.test_schema}.orders set amount = 1 where id = 3")
        _, log = run_dbt_and_capture(["--debug", "run", "--exclude", "report"])
        commented = (
            r'On lazyview by_region: /\* \{"app": "dbt".*"model.test.by_region"\} \*/\n(insert overwrite|merge into) '
        )
        assert re.search(commented, log)
        assert self.rows(project, ".by_region") == [("north", 2, 11), ("south", 1, 20)]
        assert {kind for name, kind in kinds().items() if name != "orders"} == {"incremental"}

    def test_full_refresh_is_refused_by_config(self, project, built):
        run_dbt(["run", "--select", "frozen", "by_region", "--full-refresh"])
        assert kinds() == {"frozen": "noop", "by_region": "full"}

    def test_contracts_hold_columns_and_types(self, project, built):
        wrong = CONTRACT.replace("{name: orders, data_type: bigint}", "{name: orders, data_type: string}")
        write_file(wrong, project.project_root, "models", "docs.yml")
        result = run_dbt(["run", "--select", "by_region"], expect_pass=False).results[0]
        assert "This model has an enforced contract that failed" in result.message
        write_file(CONTRACT, project.project_root, "models", "docs.yml")

    def test_modified_and_retried(self, project, built):
        marts = (project.project_root, "models", "marts")
        write_file(BY_REGION + " having count(*) > 5 and nope > 1", *marts, "frozen.sql")
        write_file(CLUSTERED.replace("='region'", "='orders'"), *marts, "clustered.sql")
        selected = ["--select", "state:modified", "--state", "state"]
        assert run_dbt(["list", *selected]) == ["test.marts.clustered", "test.marts.frozen"]
        results = run_dbt(["run", *selected], expect_pass=False)
        assert sorted("LV0" in each.message for each in results) == [True, True]
        assert "[LV047]" in "".join(each.message for each in results)
        write_file(FROZEN, *marts, "frozen.sql")
        write_file(CLUSTERED, *marts, "clustered.sql")
        assert len(run_dbt(["retry"])) == 2
