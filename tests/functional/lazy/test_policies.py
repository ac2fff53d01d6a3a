"""Policy by trigger: what is refreshed when, told by the histories of the states."""

import itertools
import re

import pytest
from dbt.tests.util import write_file

from tests.functional.lazy.shop import Shop, Watch, appending, lazy_view, table, totals

POLICIES = ("deferred", "immediate", "snapshot")
MATRIX_VIEWS = (*POLICIES, "registered", "live")
READERS = [f"reads_{view}" for view in MATRIX_VIEWS]
CALLS = {
    "nothing": ("run", "--select", "unrelated"),
    "own run": ("run", "--select", *MATRIX_VIEWS),
    "dependents": ("run", "--select", *READERS),
    "writer": ("run", "--select", "orders"),
    "refresh": ("run-operation", "refresh", "--args", f"{{models: [{', '.join(MATRIX_VIEWS)}]}}"),
}
EXPECTED = {
    "nothing": {},
    "own run": {"deferred": ["run"], "immediate": ["run"], "snapshot": ["run"], "live": ["run"]},
    "dependents": {view: ["demand"] for view in ("deferred", "immediate", "registered", "live")},
    "writer": {"immediate": ["writer"]},
    "refresh": {view: ["operation"] for view in MATRIX_VIEWS},
}
WRITERS = ("a_seed", "a_table", "an_incremental", "a_snapshot")
FAILING = appending() + "{{ ', nonsense' if is_incremental() }}"


class TestPolicies:
    @pytest.fixture(scope="class")
    def models(self):
        return {
            "orders.sql": appending(),
            "unrelated.sql": table("select 1 as one"),
            **{f"{policy}.sql": totals("orders", policy=policy) for policy in POLICIES},
            "registered.sql": totals("orders", on_run="register"),
            "live.sql": totals("orders", read="live"),
            **{f"reads_{view}.sql": table(f"select * from {{{{ ref('{view}') }}}}") for view in MATRIX_VIEWS},
            # immediate views over every kind of node that writes
            "a_table.sql": table("select * from values (1, 'north', 10) as t (id, region, amount)"),
            "an_incremental.sql": appending(),
            "through_a_view.sql": "select * from {{ ref('an_incremental') }}",
            **{f"over_{writer}.sql": totals(writer, policy="immediate") for writer in WRITERS},
            "over_an_incremental.sql": totals("through_a_view", policy="immediate"),
            "over_immediate.sql": lazy_view(
                "select region from {{ ref('over_an_incremental') }} where revenue > 0", policy="immediate"
            ),
            # writers and refreshes that fail
            "failing.sql": FAILING,
            "over_failing.sql": totals("failing", policy="immediate"),
            "feedless.sql": appending(),
            "strict.sql": totals("feedless", policy="immediate", refresh_mode="incremental"),
            # a deferred view in the group of a snapshot
            "over_snapshot.sql": lazy_view("select region, revenue from {{ ref('snapshot') }}"),
        }  # fmt: skip

    @pytest.fixture(scope="class")
    def seeds(self):
        return {"a_seed.csv": "id,region,amount\n1,north,10\n"}

    @pytest.fixture(scope="class")
    def snapshots(self):
        config = "{unique_key: id, strategy: check, check_cols: all, hard_deletes: invalidate}"
        return {"s.yml": f"snapshots: [{{name: a_snapshot, relation: ref('orders'), config: {config}}}]"}

    @pytest.fixture(scope="class")
    def shop(self, project, spark_folder):
        shop = Shop(project, spark_folder)
        shop.dbt("build")
        return shop

    @pytest.mark.parametrize(
        ("trigger", "threads"),
        [("nothing", 4), ("refresh", 1), *itertools.product(["own run", "dependents", "writer"], [1, 4])],
    )
    def test_policy_by_trigger(self, shop, trigger, threads):
        shop.sell("orders")
        with Watch(shop, *MATRIX_VIEWS) as refreshed:
            log = shop.dbt(*CALLS[trigger], threads=threads)
        assert refreshed == EXPECTED[trigger]
        if trigger == "nothing":
            assert shop.sales("live") == shop.sales("orders") != shop.sales("deferred")
        if trigger == "own run":
            assert re.search(r"registered: \d+ changes? pending", log)
        if trigger == "dependents":
            assert shop.rows("reads_deferred") == shop.rows("deferred")

    def test_immediate_views_follow_every_kind_of_writer(self, shop):
        views = [*(f"over_{writer}" for writer in WRITERS), "over_immediate"]
        shop.sell("orders")
        with Watch(shop, *views) as refreshed:
            shop.dbt("build", "--select", *WRITERS)
        assert refreshed == {
            "over_a_seed": ["writer"], "over_a_table": ["writer"], "over_a_snapshot": ["writer"],
            "over_an_incremental": ["writer"], "over_immediate": ["writer"],
        }  # fmt: skip

    def test_a_failed_writer_sets_off_nothing_and_a_failed_refresh_is_loud(self, shop, project):
        project.run_sql("alter table {schema}.feedless unset tblproperties (delta.enableChangeDataFeed)")
        shop.sell("failing")
        with Watch(shop, "over_failing", "strict") as refreshed:
            log = shop.dbt("run", "--select", "failing", "feedless", expect_pass=False)
        assert refreshed == {}
        assert "OK created sql incremental model" in log  # feedless, whose own result stands
        assert "The immediate view strict was not refreshed after feedless." in log
        assert "LV032" in log

    def test_a_deferred_view_over_a_snapshot_shows_its_moment(self, shop):
        shop.sell("orders")
        with Watch(shop, "snapshot", "over_snapshot") as refreshed:
            shop.dbt("run", "--select", "over_snapshot")
        assert "snapshot" not in refreshed
        expected = [(row[0], row[2]) for row in shop.rows("snapshot")]
        assert shop.rows("over_snapshot") == expected

    def test_policies_that_do_not_go_together(self, shop, project):
        write_file(
            lazy_view("select region from {{ ref('deferred') }}", policy="immediate"),
            project.project_root, "models", "mixed.sql",
        )  # fmt: skip
        log = shop.dbt("run", "--select", "mixed", expect_pass=False)
        for word in ("rule 7", "`mixed` (immediate) reads", "`deferred` (deferred)", "LV009"):
            assert word in log
