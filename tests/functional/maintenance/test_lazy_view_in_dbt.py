"""`materialized='lazy_view'` through dbt: result lines, run_results.json, operations, configs, errors."""

import json
import re
from pathlib import Path

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture, write_file

from dbt_lazyview.adapter import progress

ORDERS = """
{{ config(materialized='incremental', incremental_strategy='append') }}
select * from values (1, 'north', 10), (2, 'south', 20) as t (id, region, amount)
{% if is_incremental() %} where false {% endif %}
"""
STAGING = "select id, region, amount from {{ ref('orders') }} where amount > 0"
REVENUE = """
{{ config(materialized='lazy_view', persist_docs={'relation': true, 'columns': true}) }}
select region, count(*) as orders, sum(amount) as revenue from {{ ref('stg_orders') }} group by region
"""
TOP = "{{ config(materialized='lazy_view') }} select region, revenue from {{ ref('revenue') }} where revenue > 5"
INCREMENTAL = "{{ config(materialized='lazy_view', refresh_mode='incremental') }}"
DOCS = """
models:
  - name: revenue
    description: It's revenue by region.
    columns: [{name: REGION, description: Where.}]
"""


def refreshed(results, name):
    """adapter_response of a model, as run_results.json has it."""
    written = json.loads(Path("target/run_results.json").read_text())["results"]
    return next(each for each in written if each["unique_id"].endswith(f".{name}"))["adapter_response"]


class TestLazyViewInDbt:
    @pytest.fixture(scope="class")
    def models(self):
        return {
            "orders.sql": ORDERS, "stg_orders.sql": STAGING, "revenue.sql": REVENUE, "top.sql": TOP, "docs.yml": DOCS,
        }  # fmt: skip

    def insert(self, project, *rows):
        project.run_sql(f"insert into {project.test_schema}.orders values {', '.join(rows)}")

    def test_the_life_of_a_lazy_view(self, project):
        _, log = run_dbt_and_capture(["run", "--empty"])
        assert project.run_sql("show tables in {schema} like '*__state'", fetch="all") == []
        _, log = run_dbt_and_capture(["run-operation", "explain", "--args", "{model: revenue}"])
        assert "Group by region: COUNT(*), SUM(amount)" in log, "before the first build"

        results, log = run_dbt_and_capture(["run"])
        assert "build (first_build): 2 rows" in log
        assert refreshed(results, "revenue")["kind"] == "build"

        self.insert(project, "(3, 'north', 5)", "(4, 'east', 1)")
        results, log = run_dbt_and_capture(["run"])
        response = refreshed(results, "revenue")
        assert {key: response[key] for key in ("kind", "changes", "rows_changed", "statements")} == {
            "kind": "incremental", "changes": 2, "rows_changed": 2, "statements": 1,
        }  # fmt: skip
        assert "incremental: 2 changes, 2 rows, rewrite" in log
        rows = project.run_sql("select * from {schema}.top order by region", fetch="all")
        assert [tuple(row) for row in rows] == [("north", 15), ("south", 20)]

        results, log = run_dbt_and_capture(["run", "--select", "revenue"])
        assert (refreshed(results, "revenue")["kind"], "noop: nothing new" in log) == ("noop", True)

    def test_what_stands_on_the_screen(self, project, monkeypatch):
        """A refresh that takes long tells where it is; JSON is JSON line by line, and quiet is quiet."""
        monkeypatch.setattr(progress, "PAUSES", (0.05, 0.1))
        self.insert(project, "(6, 'east', 1)")
        _, log = run_dbt_and_capture(["--log-format", "json", "run", "--select", "revenue"])
        told = [json.loads(line) for line in log.splitlines()]
        notes = [each["info"]["msg"] for each in told if each["info"]["name"] == "Note"]
        assert [
            each for each in notes if re.match(rf"Lazy view {project.test_schema}.revenue, after 0.\d s: \w+", each)
        ]
        results = [each["data"]["status"] for each in told if each["info"]["name"] == "LogModelResult"]
        assert results == ["incremental: 1 change, 1 row, rewrite"], "dbt adds the time that it measured"
        assert {each["info"]["level"] for each in told} == {"info"}

        self.insert(project, "(7, 'east', 1)")
        _, log = run_dbt_and_capture(["--quiet", "run", "--select", "revenue"])
        assert log == ""

    def test_operations(self, project):
        self.insert(project, "(5, 'west', 9)")
        _, log = run_dbt_and_capture(["run-operation", "explain", "--args", "{model: revenue}"])
        assert "Now: incremental" in log
        assert "Written instead of 1 of 1 file of the state" in log
        query = f"select count(distinct region) as regions from {project.test_schema}.orders"
        _, log = run_dbt_and_capture(["run-operation", "explain", "--args", f"{{sql: {query}}}"])
        assert "Total COUNT(DISTINCT region)" in log

        _, log = run_dbt_and_capture(["run-operation", "refresh", "--args", "{models: [top]}"])
        assert "top: incremental" in log
        _, log = run_dbt_and_capture(["run-operation", "refresh"])
        assert "2 lazy views: 0 refreshed, 0 failed" in log
        _, log = run_dbt_and_capture(["run-operation", "refresh", "--args", "{models: [nope]}"], expect_pass=False)
        assert "No lazy view of this project is called nope. Lazy views: revenue, top." in log

    def test_docs_are_persisted(self, project):
        described = project.run_sql("describe table extended {schema}.revenue", fetch="all")
        comments = {row[0]: (row[1], row[2]) for row in described}
        assert comments["region"][1] == "Where."
        assert comments["Comment"][0] == "It's revenue by region."

    def test_full_refresh_and_definition_change(self, project):
        results, _ = run_dbt_and_capture(["run", "--select", "revenue", "--full-refresh"])
        assert refreshed(results, "revenue")["reason"] == "full_refresh_requested"
        write_file(TOP.replace("> 5", "> 6"), project.project_root, "models", "top.sql")
        results, log = run_dbt_and_capture(["run", "--select", "top"])
        assert refreshed(results, "top")["reason"] == "definition_changed"
        assert "full (definition_changed)" in log

    def test_other_writers_of_the_run_carry_no_record(self, project):
        history = project.run_sql("describe history {schema}.orders", fetch="all")
        assert "dbt-lazyview" not in str(history)
        assert "lazyview" not in str(history)

    @pytest.mark.parametrize(
        ("model", "expected"),
        [
            ("{{ config(policy='sometimes', read='now') }}" + REVENUE, ["policy: sometimes", "read: now", "LV006"]),
            (
                "{{ config(refresh_mode='sometimes') }}" + REVENUE,
                ["refresh_mode: sometimes", "auto or incremental or full"],
            ),
            ("{{ config(materialized='lazy_view') }} select nope from {{ ref('orders') }}", ["LV003", "nope"]),
            (
                INCREMENTAL + "select rand() as luck from {{ ref('orders') }}",
                ["LV012", "^"],
            ),
        ],
    )
    def test_bad_input(self, project, model, expected):
        write_file(model, project.project_root, "models", "bad.sql")
        try:
            results, _ = run_dbt_and_capture(["run", "--select", "bad"], expect_pass=False)
            message = results.results[0].message
            assert [word for word in expected if word not in message] == []
            assert project.run_sql("show tables in {schema} like 'bad*'", fetch="all") == []
        finally:
            Path(project.project_root, "models", "bad.sql").unlink()

    def test_a_python_model_is_refused(self, project):
        text = "def model(dbt, session):\n    dbt.config(materialized='lazy_view')\n    return dbt.ref('orders')\n"
        write_file(text, project.project_root, "models", "python_model.py")
        try:
            results = run_dbt(["run", "--select", "python_model"], expect_pass=False)
            assert "LV007" in results.results[0].message
        finally:
            Path(project.project_root, "models", "python_model.py").unlink()

    def test_a_table_or_view_becomes_a_lazy_view_and_back(self, project):
        kinds = []
        for number, materialized in enumerate(("table", "lazy_view", "view", "lazy_view", "table", "lazy_view"), 8):
            self.insert(project, f"({number}, 'east', 1)")
            text = f"{{{{ config(materialized='{materialized}') }}}} select id from {{{{ ref('orders') }}}}"
            write_file(text, project.project_root, "models", "changing.sql")
            results = run_dbt(["run", "--select", "changing"])
            assert project.run_sql("select count(*) from {schema}.changing", fetch="one")[0] == number
            kinds.append(refreshed(results, "changing").get("kind"))
        back = "back as a lazy view, it goes on from its state"
        assert kinds == [None, "build", None, "incremental", None, "incremental"], back
        Path(project.project_root, "models", "changing.sql").unlink()
