"""`lazyview manage` on a real project: what it refreshes, what it leaves alone, and how it gets on with others."""

import io
import json
import threading
import time
from contextlib import contextmanager

import pytest

from dbt_lazyview.adapter.turns import TURNS
from dbt_lazyview.cli.main import FINE, main
from dbt_lazyview.manager.schedule import Rules
from dbt_lazyview.manager.service import managing
from tests.functional.lazy.shop import Shop, Watch, appending, lazy_view, totals

pytestmark = pytest.mark.in_process("a manager in a thread of this process; served.py has one of a server")

SOURCES = """
sources:
  - name: erp
    schema: "{{ target.schema }}"
    tables:
      - name: stock
        meta: {lazyview: {capture: log, sequence: [txsn, stmtsn]}}
"""
QUICK = Rules(every=0.2, combine=0.0, share=1.0)
PATIENCE = 60  # seconds


def until(happened, what: str) -> None:
    give_up = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < give_up, what
        time.sleep(0.1)


class TestManager:
    @pytest.fixture(scope="class")
    def models(self):
        return {
            "orders.sql": appending(),
            "returns.sql": appending(),
            "revenue.sql": totals("orders", max_staleness="15 minutes"),
            "top.sql": lazy_view("select region, revenue / 3.0D as third from {{ ref('revenue') }} where revenue > 0"),
            "refunds.sql": totals("returns"),
            "ledger.sql": totals("orders", apply="later").replace("apply=", "compact_every=1, apply="),
            "frozen.sql": totals("returns", policy="snapshot"),
            "broken.sql": totals("returns", refresh_mode="incremental"),
            "not_built.sql": totals("orders"),
            "pieces.sql": lazy_view(
                "select item, count(*) as n, sum(amount) as pieces from {{ source('erp', 'stock') }} group by item"
            ),
            "sources.yml": SOURCES,
        }

    @pytest.fixture(scope="class")
    def shop(self, project, spark_folder):
        shop = Shop(project, spark_folder)
        columns = "operation string, txsn bigint, stmtsn int, item string, amount int"
        project.run_sql(f"create table {{schema}}.stock ({columns}) using delta")
        project.run_sql("insert into {schema}.stock values ('insert', 1, 0, 'a', 5), ('insert', 1, 1, 'b', 7)")
        shop.dbt("run", "--exclude", "not_built")
        return shop

    @pytest.fixture
    def manage(self, shop, project, capsys):
        def run(*words: str) -> tuple[int, list[dict]]:
            capsys.readouterr()
            places = ("--project-dir", str(project.project_root), "--profiles-dir", str(project.profiles_dir))
            code = main(["manage", *words, *places])
            return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]

        return run

    @contextmanager
    def beside(self, project, **settings):
        """A manager in a thread of this process, and what it told."""
        out = io.StringIO()
        with managing(str(project.project_root), str(project.profiles_dir), out, rules=QUICK, **settings) as service:
            yield service, lambda: [json.loads(line) for line in out.getvalue().splitlines()]

    def test_refreshes_what_is_pending_and_stops(self, shop, manage, tmp_path):
        shop.sell("orders", "orders", "returns")
        file = tmp_path / "lazyview.prom"
        with Watch(shop, "revenue", "top", "refunds", "frozen") as seen:
            code, told = manage("--once", "--every", "1 s", "--combine", "0 s", "--metrics-file", str(file))
        assert code == FINE
        assert seen == {"revenue": ["manager"], "top": ["manager"], "refunds": ["manager"]}
        began = [each for each in told if each["decision"] == "refresh"]
        assert began[0]["view"].endswith(".revenue"), "which has a goal, and so the least slack"
        assert began[0]["why"] == "least slack"
        assert began[0]["commits"] == 2, "what queued up is done at once"
        assert all(each["kind"] in ("incremental", "noop", "apply") for each in told if each["decision"] == "refreshed")
        metrics = file.read_text()
        assert 'lazyview_goal_met{view="model.test.revenue"} 1' in metrics
        assert 'lazyview_pending_commits{view="model.test.frozen"} 1' in metrics
        assert 'lazyview_refreshes_total{kind="incremental",view="model.test.refunds"} 1' in metrics
        assert [told[0]["decision"], told[-1]["decision"]] == ["start", "stop"]
        assert shop.sales("revenue") == shop.sales("orders")
        ledger = [each for each in told if each.get("view", "").endswith(".ledger")]
        assert [each["decision"] for each in ledger] == ["refresh", "refreshed", "apply", "refreshed"]
        assert [each["kind"] for each in ledger if "kind" in each] == ["incremental", "apply"]
        assert ledger[2]["why"] == "nothing else to do"
        assert ledger[3]["chores"] == ["compacted"]
        assert told.index(ledger[2]) > max(told.index(each) for each in began), "after all that is pending"
        assert shop.sales("ledger") == shop.sales("orders")
        assert "__delta" not in shop.project.run_sql("show create table {schema}.ledger", fetch="one")[0]

    def test_warns_of_changes_that_may_be_gone_soon(self, shop, manage, project):
        kept = "'delta.deletedFileRetentionDuration'"
        project.run_sql(f"alter table {{schema}}.returns set tblproperties ({kept} = 'interval 2 seconds')")
        shop.sell("returns")
        time.sleep(1.5)
        _, told = manage("frozen", "--once")
        (warned,) = [each for each in told if each["decision"] == "warn"]
        assert warned["view"].endswith(".frozen")
        assert "its changes since the cut" in warned["warning"]
        project.run_sql(f"alter table {{schema}}.returns unset tblproperties ({kept})")

    def test_a_source_tells_its_own_changes(self, shop, project):
        """By its `meta`; the stored definition is enough for later refreshes."""
        assert shop.rows("pieces") == [("a", 1, 5), ("b", 1, 7)]
        project.run_sql("insert into {schema}.stock values ('delete', 2, 0, 'a', 5), ('insert', 2, 1, 'a', 6)")
        project.run_sql("insert into {schema}.stock values ('insert', 3, 0, 'c', 1)")
        told = shop.operation("refresh", "--args", "{models: [pieces]}")
        assert "pieces: incremental" in told
        assert shop.rows("pieces") == [("a", 1, 6), ("b", 1, 7), ("c", 1, 1)]

    @pytest.mark.long
    def test_works_beside_dbt_in_one_process(self, shop, project):
        with self.beside(project) as (service, told):
            for _ in range(2):
                shop.sell("orders")
                until(lambda: shop.sales("revenue") == shop.sales("orders"), "not refreshed")
                shop.dbt("run", "--select", "orders", "top")
            until(lambda: shop.sales("revenue") == shop.sales("orders"), "not refreshed after dbt ran")
        assert service.stopping.is_set()
        assert [each for each in told() if each["decision"] in ("failed", "wait")] == []

    def test_yields_to_whoever_works_on_the_view(self, shop, project):
        with self.beside(project, models=["refunds"]) as (service, told):
            until(lambda: service.metrics.last_look, "it did not look")
            with TURNS.of(service.manager.world.watch.turn_key("model.test.refunds")):
                shop.sell("returns")
                until(lambda: any(each.get("why") == "nothing can begin yet" for each in told()), "it did not wait")
                assert shop.sales("refunds") < shop.sales("returns")
            until(lambda: shop.sales("refunds") == shop.sales("returns"), "not refreshed")

    def test_whoever_needs_the_view_waits_for_its_task(self, shop, project):
        """The reader's refresh comes after the manager's, and finds nothing left to do."""
        began, go_on = threading.Event(), threading.Event()
        with self.beside(project, models=["refunds"]) as (service, _):
            until(lambda: service.metrics.last_look, "it did not look")
            world = service.manager.world
            plain = world.adapter._engine

            def slow(name):
                if name == "refunds":
                    began.set()
                    assert go_on.wait(PATIENCE)
                return plain(name)

            world.adapter._engine = slow
            with Watch(shop, "refunds") as seen:
                shop.sell("returns")
                assert began.wait(PATIENCE)
                reader = threading.Thread(target=shop.operation, args=("refresh", "--args", "{models: [refunds]}"))
                reader.start()
                key = world.watch.turn_key("model.test.refunds")
                until(lambda: TURNS._users[key] == 2, "the reader does not wait")
                go_on.set()
                reader.join()
        assert seen == {"refunds": ["manager"]}
        assert shop.sales("refunds") == shop.sales("returns")
