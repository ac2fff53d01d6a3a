"""`status` and `refresh`: what is pending, in which order it is done, what happens when something fails."""

import json
from pathlib import Path

import pytest

from tests.functional.lazy.shop import Shop, appending, lazy_view, totals

SCHEMA = """
models:
  - name: revenue
    data_tests:
      - lazy_view_fresh: {arguments: {max_pending_rows: 1}}
      - lazy_view_fresh: {name: fresh_by_age, arguments: {max_age: 1 day}}
      - lazy_view_matches_query
  - name: top
    data_tests: [lazy_view_matches_query]
"""


class TestOperations:
    @pytest.fixture(scope="class")
    def models(self):
        return {
            "orders.sql": appending(),
            "returns.sql": appending(),
            "revenue.sql": totals("orders"),
            "top.sql": lazy_view("select region, revenue / 3.0D as third from {{ ref('revenue') }} where revenue > 0"),
            "refunds.sql": totals("returns", policy="snapshot"),
            "strict.sql": totals("returns", refresh_mode="incremental"),
            "not_built.sql": totals("orders"),
            "schema.yml": SCHEMA,
        }

    @pytest.fixture(scope="class")
    def shop(self, project, spark_folder):
        shop = Shop(project, spark_folder)
        shop.dbt("run", "--exclude", "not_built")
        return shop

    def status(self, shop) -> dict[str, dict]:
        log = shop.operation("status", "--args", "{format: json}")
        found = json.loads(log[log.index("[\n") : log.rindex("]") + 1])
        return {each["view"].split(".")[-1]: each for each in found}

    def test_status(self, shop):
        shop.sell("orders", "returns", "orders")
        status = self.status(shop)
        assert {name: each["pending_commits"] for name, each in status.items()} == {
            "not_built": 0, "refunds": 1, "revenue": 2, "strict": 1, "top": 2,
        }  # fmt: skip
        revenue = status["revenue"]
        assert (revenue["policy"], revenue["last_decision"], revenue["last_reason"], revenue["last_trigger"]) == (
            "deferred", "build", "first_build", "run",
        )  # fmt: skip
        assert [(each["pending_changes"], each["operations"]) for each in revenue["sources"]] == [(2, ["WRITE"])]
        assert (status["refunds"]["policy"], status["not_built"]["is_built"]) == ("snapshot", False)
        assert revenue["behind_seconds"] > 0
        assert revenue["last_seconds"] > 0
        log = shop.operation("status", "--args", "{models: [revenue]}")
        assert "2 commits, 2 changes" in log
        assert "build (first_build)" in log

    def test_fresh_and_equal(self, shop):
        log = shop.dbt("test", "--select", "test_name:lazy_view_fresh", expect_pass=False)
        assert "PASS fresh_by_age" in log
        assert "Done. PASS=1 WARN=0 ERROR=1" in log
        assert shop.refreshes("revenue") == ["run"]  # looked at as it is
        log = shop.dbt("test", "--select", "test_name:lazy_view_matches_query", threads=1)
        assert "Done. PASS=2" in log
        assert shop.refreshes("revenue") == ["run", "demand"]

    def test_a_view_that_differs_is_found(self, shop, project):
        project.run_sql("update {schema}.revenue__state set `lv_count` = `lv_count` + 1")
        log = shop.dbt("test", "--select", "test_name:lazy_view_matches_query,revenue", expect_pass=False)
        assert "has to be refreshed first: its state table was changed by somebody else." in log

    def test_prepare_sources(self, shop, project):
        project.run_sql("alter table {schema}.returns unset tblproperties (delta.enableChangeDataFeed)")
        log = shop.operation("prepare_sources")
        assert "`returns`: its change data feed is off (owner: " in log
        assert "set tblproperties ('delta.enableChangeDataFeed' = 'true')" in log
        assert "Nothing was changed." in log
        log = shop.operation("prepare_sources", "--args", "{apply: true}")
        assert "  done" in log
        assert "Every source of a lazy view is prepared." in shop.operation("prepare_sources")
        assert '--args "{apply: true, days: 30}"' in shop.operation("prepare_sources", "--args", "{days: 30}")

    def test_refresh_goes_on_after_a_failure_and_fails_in_the_end(self, shop, project):
        project.run_sql("alter table {schema}.returns unset tblproperties (delta.enableChangeDataFeed)")
        shop.sell("orders", "returns")
        log = shop.operation("refresh", expect_pass=False)
        order = [line.split(" of 5 ")[1].split(": ")[0].split(".")[1] for line in log.splitlines() if " of 5 " in line]
        assert order == ["refunds", "strict", "revenue", "top", "not_built"]  # oldest change first, parents first
        assert "refunds: full (change_feed_missing)" in log
        assert " refreshed, 1 failed; " in log
        assert "Not refreshed: strict" in log
        assert self.status(shop)["strict"]["pending_commits"] == 2

    def test_refresh_chooses(self, shop):
        shop.sell("orders", "returns")
        log = shop.operation("refresh", "--args", "{policy: snapshot, full: true}")
        assert "1 of 1 " in log
        assert "refunds: full (full_refresh_requested)" in log
        for arguments, message in [
            ("{group: a}", "in a view group a. View groups: none."),
            ("{policy: sometimes}", "sometimes is no policy"),
            ("{models: [revenue], until: 1}", "already past 1"),
            ("{models: [not_built]}", "Not refreshed: not_built"),
        ]:
            assert message in shop.operation("refresh", "--args", arguments, expect_pass=False)

    def test_vacuum_guard(self, shop):
        shop.sell("orders")
        log = shop.operation("vacuum_guard")
        assert ".orders: RETAIN 2 HOURS or more, because of " in log
        assert "VACUUM alone retains 168 hours: safe" in log
        assert '"is_plain_vacuum_safe": true' in shop.operation("vacuum_guard", "--args", "{format: json}")

    def test_a_renamed_model_leaves_its_state_to_drop_orphans(self, shop, project):
        models = Path(project.project_root, "models")
        (models / "strict.sql").rename(models / "renamed.sql")
        assert "build (first_build)" in shop.dbt("run", "--select", "renamed")
        log = shop.operation("drop_orphans")
        assert ".strict__state: model.test.strict, " in log
        assert "Nothing was dropped." in log
        assert shop.rows("strict")
        assert "  dropped" in shop.operation("drop_orphans", "--args", "{apply: true}")
        assert "No state without its model" in shop.operation("drop_orphans")
        tables = project.run_sql("show tables in {schema}", fetch="all")
        names = {row[1] for row in tables}
        assert not {"strict", "strict__state"} & names
        assert {"renamed", "renamed__state"} <= names

    def test_advise_and_journal(self, shop, project):
        log = shop.operation("advise", "--args", "{models: [refunds]}")
        assert "refunds: dbt run-operation prepare_sources\n  because it was computed from all rows 1 times" in log
        rows = project.run_sql("select view, policy, decision, set_off_by from {schema}.lazyview_status", fetch="all")
        found = {row[0].split(".")[1]: tuple(row[1:]) for row in rows}
        assert found["refunds"] == ("snapshot", "full", "operation")
        counted = project.run_sql("select count(*) from {schema}.lazyview_refreshes", fetch="one")[0]
        assert counted > len(found)
