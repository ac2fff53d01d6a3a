"""View deltas from dbt: configs, operations, and the macro that pins several views at one time."""

import json
import time
from datetime import datetime, timezone

import pytest

from tests.functional.lazy.shop import Shop, appending, lazy_view, table, totals

TOGETHER = """
-- depends_on: {{ ref('revenue') }}, {{ ref('returned') }}
{% set at = lazy_view_consistent(['revenue', 'returned']) %}
select {% if execute %}r.revenue as sold, t.revenue as returned
from {{ at.relations['revenue'] }} as r join {{ at.relations['returned'] }} as t on t.region = r.region
{% else %}1 as sold, 1 as returned{% endif %}
"""


def now() -> str:
    time.sleep(0.01)
    return datetime.now(timezone.utc).isoformat()


class TestViewDeltas:
    @pytest.fixture(scope="class")
    def models(self):
        return {
            "orders.sql": appending(),
            "revenue.sql": totals("orders", apply="later"),
            "returned.sql": totals("orders", apply="later", policy="snapshot"),
            "top.sql": lazy_view("select region, revenue * 2 as twice from {{ ref('revenue') }}"),
            "together.sql": table(TOGETHER),
        }

    @pytest.fixture(scope="class")
    def shop(self, project, spark_folder):
        shop = Shop(project, spark_folder)
        shop.dbt("run", "--exclude", "together")
        return shop

    def sold(self, shop, relation: str = "revenue") -> int:
        rows = shop.project.run_sql(f"select sum(revenue) from {{schema}}.{relation}", fetch="one")
        return int(rows[0])

    def test_the_story(self, shop):
        shop.sell("orders")
        assert "append" in shop.dbt("run", "--select", "revenue", "returned")
        assert self.sold(shop) == 17
        close = now()
        shop.sell("orders")
        shop.dbt("run", "--select", "revenue")
        assert (self.sold(shop), self.sold(shop, "returned")) == (24, 17)
        log = shop.operation("status", "--args", "{models: [revenue], format: json}")
        (told,) = json.loads(log[log.index("[\n") : log.rindex("]") + 1])
        assert (told["apply"], told["valid_until"]) == ("later", None)
        assert told["waiting_rows"] > 0
        shop.dbt("run", "--select", "together")  # the newest time at which both can be read
        pairs = shop.project.run_sql("select sold, returned from {schema}.together", fetch="all")
        assert [tuple(map(int, row)) for row in pairs if row[0] != row[1]] == []
        assert "roll" in shop.operation("refresh", "--args", f"{{models: [revenue], as_of: '{close}'}}")
        assert self.sold(shop) == 17
        shop.dbt("run", "--select", "revenue", "top")
        assert self.sold(shop) == 24

    def test_other_uses(self, shop):
        shop.sell("orders")
        shop.dbt("run", "--select", "revenue")
        moment = now()
        log = shop.operation("export_changes", "--args", f"{{model: revenue, table: {shop.project.test_schema}.feed}}")
        assert "begun" in log
        log = shop.operation("roll_copy", "--args", f"{{model: revenue, copy: closed, as_of: '{moment}'}}")
        assert "closed copied" in log
        shop.sell("orders")
        shop.dbt("run", "--select", "revenue")
        assert (self.sold(shop), self.sold(shop, "closed")) == (38, 31)
        assert "apply" in shop.operation("refresh", "--args", "{models: [revenue]}")
        assert "changes, " in shop.operation(
            "export_changes", "--args", f"{{model: revenue, table: {shop.project.test_schema}.feed}}"
        )
        log = shop.operation("audit", "--args", f"{{model: revenue, group: {{region: south}}, since: '{moment}'}}")
        assert "update_postimage: region = south, sales = 4, revenue = 28" in log
        assert "+1 by orders" in log
        assert "compress: " in shop.operation("compress", "--args", "{models: [revenue]}")
        log = shop.operation("prune", "--args", "{models: [revenue]}")
        assert "closed__state" in log
        assert "consistent from" in shop.operation("lazy_view_consistent", "--args", "{names: [revenue, returned]}")


CONTRACT = """
models:
  - name: strict
    config: {contract: {enforced: true}}
    columns:
      - {name: region, data_type: string}
      - {name: sales, data_type: bigint, constraints: [{type: check, expression: "sales < 4"}]}
      - {name: revenue, data_type: bigint}
"""


@pytest.mark.long
class TestWithOtherConfigs:
    @pytest.fixture(scope="class")
    def models(self):
        return {
            "orders.sql": appending(),
            "left_side.sql": totals("orders", apply="later", view_group="sides"),
            "right_side.sql": totals("orders", apply="later", view_group="sides"),
            "now.sql": totals("orders", apply="later", read="live"),
            "strict.sql": totals("orders", apply="later"),
            "schema.yml": CONTRACT,
        }

    def test_groups_live_reads_and_contracts(self, project, spark_folder):
        shop = Shop(project, spark_folder)
        shop.dbt("run")
        views = ("left_side", "right_side", "now", "strict")
        for _ in range(2):
            shop.sell("orders")
            assert shop.sales("now") == shop.sales("orders")  # before any refresh
            assert "append" in shop.dbt("run", "--exclude", "orders")
            assert {shop.sales(view) for view in views} == {shop.sales("orders")}
        moment = now()
        shop.sell("orders")
        log = shop.dbt("run", "--exclude", "orders")
        assert {shop.sales(view) for view in views} == {shop.sales("orders")}
        assert "roll" in shop.operation("refresh", "--args", f"{{models: [left_side], as_of: '{moment}'}}")
        assert shop.sales("left_side") == shop.sales("right_side") == shop.sales("orders") - 1
        told = shop.operation("lazy_view_consistent", "--args", "{names: [left_side], bring: true}")
        assert "right_side" in told, "the whole group"
        assert shop.sales("left_side") == shop.sales("right_side") == shop.sales("orders")
        shop.sell("orders")
        log = shop.dbt("run", "--select", "strict", expect_pass=False)
        assert "would break a constraint of its contract" in log
        assert shop.sales("strict") == shop.sales("orders") - 1


class TestRefusedConfigs:
    @pytest.fixture(scope="class")
    def models(self):
        return {
            "orders.sql": appending(),
            "full.sql": totals("orders", apply="later", refresh_mode="full"),
            "sometime.sql": totals("orders", apply="sometime"),
        }

    def test_each_is_told(self, project, spark_folder):
        log = Shop(project, spark_folder).dbt("run", expect_pass=False)
        assert "apply: later does not go with refresh_mode: full." in log
        assert "apply: sometime is not a value of a lazy view." in log
