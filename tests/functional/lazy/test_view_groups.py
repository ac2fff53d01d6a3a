"""A view group through dbt: whoever sets off one of its views brings all of them to one cut."""

import json

import pytest
from dbt.tests.util import write_file

from tests.functional.lazy.shop import Shop, Watch, appending, lazy_view, table, totals

MEMBERS = ("sold", "returned", "top")
SCHEMA = """
models:
  - name: sold
    data_tests: [lazy_view_matches_query]
"""


class TestViewGroups:
    @pytest.fixture(scope="class")
    def models(self):
        return {
            "orders.sql": appending(),
            "returns.sql": appending(),
            "sold.sql": totals("orders", view_group="reporting"),
            "returned.sql": totals("returns", view_group="reporting", policy="immediate"),
            "top.sql": lazy_view("select region, sales from {{ ref('sold') }}", view_group="reporting"),
            "report.sql": table("select sum(sales) as sales from {{ ref('sold') }}"),
            # snapshots, and a deferred view that belongs to them without saying so
            "monthly.sql": totals("orders", view_group="month", policy="snapshot"),
            "monthly_returns.sql": totals("returns", view_group="month", policy="snapshot"),
            "monthly_top.sql": lazy_view("select max(sales) as sales from {{ ref('monthly') }}"),
            "monthly_report.sql": table("select * from {{ ref('monthly_top') }}"),
            "schema.yml": SCHEMA,
        }

    @pytest.fixture(scope="class")
    def shop(self, project, spark_folder):
        shop = Shop(project, spark_folder)
        shop.dbt("build")
        return shop

    def sales(self, shop, *views: str) -> set[int]:
        return {shop.sales(view) for view in views}

    def sell(self, shop) -> None:
        shop.sell("orders", "returns")

    @pytest.mark.parametrize(
        ("call", "own", "threads"),
        [
            (("run", "--select", "report"), {"sold": ["demand"]}, 1),
            (("run", "--select", "sold", "top", "returned"), None, 4),
            (("run-operation", "refresh", "--args", "{group: reporting}"), None, 1),
        ],
    )
    def test_one_of_them_brings_all_to_one_cut(self, shop, call, own, threads):
        before = self.sales(shop, *MEMBERS)
        assert len(before) == 1
        self.sell(shop)
        with Watch(shop, *MEMBERS) as refreshed:
            log = shop.dbt(*call, threads=threads)
        assert sorted(refreshed) == sorted(MEMBERS)
        assert all(len(triggers) == 1 for triggers in refreshed.values())
        if own:
            assert refreshed == {**{view: ["group"] for view in MEMBERS}, **own}
            assert "sold (read by report): incremental: " in log
            assert "; with " in log
        assert self.sales(shop, *MEMBERS) == {before.pop() + 1}

    def test_a_writer_moves_the_group_of_an_immediate_view(self, shop):
        with Watch(shop, *MEMBERS) as refreshed:
            shop.dbt("run", "--select", "returns")
        assert refreshed["returned"] == ["writer"]
        shop.sell("orders")
        shop.dbt("test", "--select", "sold")
        assert self.sales(shop, *MEMBERS) == self.sales(shop, "sold")

    def test_snapshots_stay_for_their_readers_and_move_together(self, shop):
        before = self.sales(shop, "monthly", "monthly_returns")
        self.sell(shop)
        with Watch(shop, "monthly", "monthly_returns", "monthly_top") as refreshed:
            shop.dbt("run", "--select", "monthly_report")
        assert refreshed == {}
        with Watch(shop, "monthly", "monthly_returns", "monthly_top") as refreshed:
            shop.dbt("run", "--select", "monthly_top")
        assert refreshed == {"monthly": ["group"], "monthly_returns": ["group"], "monthly_top": ["run"]}
        assert self.sales(shop, "monthly", "monthly_returns") != before
        assert shop.rows("monthly_top") == [(max(row[1] for row in shop.rows("monthly")),)]

    def test_status_and_messages(self, shop, project):
        log = shop.operation("status", "--args", "{format: json}")
        found = json.loads(log[log.index("[\n") : log.rindex("]") + 1])
        groups = {each["view"].split(".")[-1]: each["view_group"] for each in found}
        assert groups == {
            "sold": "reporting", "returned": "reporting", "top": "reporting",
            "monthly": "month", "monthly_returns": "month", "monthly_top": "month",
        }  # fmt: skip
        log = shop.operation("refresh", "--args", "{group: nobody}", expect_pass=False)
        assert "in a view group nobody. View groups: month, reporting." in log
        write_file(totals("orders", view_group="month"), project.project_root, "models", "follows.sql")
        log = shop.dbt("run", "--select", "follows", expect_pass=False)
        for word in ("The view group month holds", "`monthly", "`follows` (deferred)", "rule 4", "LV009"):
            assert word in log
