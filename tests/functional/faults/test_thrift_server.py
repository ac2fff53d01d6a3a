"""
A thrift server on a standalone cluster: dbt processes at once, sessions that do not see each other, and a server that
dies between a commit and what follows, and returns: nothing to be repaired. `make test-cluster` runs more.
"""

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from dbt_lazyview.maintenance.errors import RefreshError
from tests.functional.lazy.shop import appending, lazy_view
from tests.functional.maintenance.conftest import SALES
from tests.functional.maintenance.lake import Lake
from tests.functional.quick_spark import QUICK_JVM
from tests.functional.servers.processes import HOST, free_port
from tests.functional.servers.standalone import standalone_cluster
from tests.functional.servers.thrift import ThriftSession, thrift_server

pytest.importorskip("pyhive")

SCHEMA = "thrift"
REVENUE = "select region, count(*) as sales, sum(amount) as revenue from {} group by region"
PROJECT = {
    "dbt_project.yml": "name: shop\nprofile: shop\nflags: {send_anonymous_usage_stats: false}\n",
    "models/orders.sql": appending(),
    "models/revenue.sql": lazy_view(REVENUE.format("{{ ref('orders') }}")),
    "models/top.sql": lazy_view("select region, revenue from {{ ref('revenue') }} where revenue > 10"),
}
PROFILE = "shop: {{target: dev, outputs: {{dev: {{type: lazyview, method: thrift, host: {}, port: {}, schema: {}}}}}}}"


class Servers:
    """A cluster, and a thrift server on it that can be started again."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder, self.stack, self.port = folder, stack, free_port()
        self.cluster = stack.enter_context(standalone_cluster(folder / "cluster"))
        self.group = self.start()
        self.project = folder / "project"
        for name, text in {**PROJECT, "profiles.yml": PROFILE.format(HOST, self.port, SCHEMA)}.items():
            (self.project / name).parent.mkdir(parents=True, exist_ok=True)
            (self.project / name).write_text(text)

    def start(self) -> int:
        return self.stack.enter_context(thrift_server(self.folder, self.port, {**QUICK_JVM, **self.cluster.settings}))

    def die(self) -> None:
        os.killpg(self.group, signal.SIGKILL)

    def lake(self) -> Lake:
        return Lake(ThriftSession(self.port), SCHEMA)

    def dbt(self, number: int = 1) -> "subprocess.Popen[str]":
        places = [
            "--target-path",
            f"target_{number}",
            "--log-path",
            f"logs_{number}",
            "--no-partial-parse",
            "--no-use-colors",
        ]
        command = [sys.executable, "-m", "dbt.cli.main", "run", *places]
        return subprocess.Popen(command, cwd=self.project, stdout=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    with ExitStack() as stack:
        yield Servers(tmp_path_factory.mktemp("servers"), stack)


def told(process: "subprocess.Popen[str]") -> str:
    """What a process printed that did well."""
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0, out
    return out


@pytest.mark.long
def test_two_dbt_processes_at_once(servers):
    """Each appends a row and refreshes the views; nobody's rows are skipped, as they would be if a record leaked."""
    assert "[build (first_build): 1 row" in told(servers.dbt())
    for out in [told(each) for each in (servers.dbt(1), servers.dbt(2))]:
        assert out.count("OK created sql lazy_view model") == 2
    lake = servers.lake()
    assert lake.run("select count(*) from orders") == [(3,)]
    assert lake.run("select * from top") == [("north", 30)]
    assert lake.differences("revenue", REVENUE.format("orders")) == []
    assert not [row for row in lake.history("orders") if row["userMetadata"]]
    assert [len(list(each.glob("app-*/*/stderr"))) for each in servers.cluster.work_folders] == [1, 1], "executors"


def test_sessions_do_not_see_each_other(servers):
    one, other = servers.lake(), servers.lake()
    one.run("set lazyview.probe=1", "create temporary view only_here as select 1")
    assert other.run("set lazyview.probe") == [("lazyview.probe", "<undefined>")]
    assert "only_here" not in [row[1] for row in other.run("show views")]


def test_dies_and_returns(servers):
    lake = servers.lake()
    lake.run(
        "create table sales (id int, region string, amount decimal(10,2)) using delta",
        "insert into sales values (1, 'north', 10), (2, 'south', 20), (3, null, 5)",
    )
    lake.refresh("v", SALES)
    lake.run("insert into sales values (4, 'north', 1)")
    engine = lake.engine()
    engine.after["insert overwrite"] = servers.die
    with pytest.raises(RefreshError, match=r"`thrift`\.`v` was not refreshed: ") as failed:
        lake.refresh("v", SALES, engine)
    assert "The step that failed: write the state. Spark did not answer any more" in str(failed.value)
    servers.group = servers.start()
    lake = servers.lake()
    assert lake.refresh("v", SALES).kind == "noop", "what was committed is not applied twice"
    assert lake.differences("v", SALES) == []
    told(servers.dbt())  # builds the views where nobody did
    assert "[incremental: 1 change" in told(servers.dbt())
    assert lake.differences("revenue", REVENUE.format("orders")) == []
