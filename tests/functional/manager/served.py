"""
A manager of a thrift server, each in a process of its own: it refreshes, sees that the server is busy, survives its
death, gets on with a second manager and with dbt, and stops at a signal. `python -m tests.functional.manager.served`
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from dbt_lazyview.manager.load import of_server
from tests.functional.faults.spark_server import SETTINGS
from tests.functional.servers.processes import HOST, free_port
from tests.functional.servers.thrift import ThriftSession, thrift_server

PATIENCE = 240  # seconds
PROJECT = "{name: shop, version: '1.0.0', profile: shop, model-paths: [models]}\n"
MODELS = {
    "orders.sql": """
        {{ config(materialized='incremental', incremental_strategy='append', file_format='delta') }}
        select * from values (1, 'north', 10) as t (id, region, amount)
    """,
    "revenue.sql": """
        {{ config(materialized='lazy_view', max_staleness='2 minutes') }}
        select region, count(*) as sales, sum(amount) as revenue from {{ ref('orders') }} group by region
    """,
    "report.sql": "{{ config(materialized='table') }} select * from {{ ref('revenue') }}",
}


class Shop:
    """A project on disk, for a server."""

    def __init__(self, folder: Path, port: int, metrics: int) -> None:
        self.folder, self.port, self.metrics = folder, port, metrics
        (folder / "models").mkdir(parents=True)
        (folder / "dbt_project.yml").write_text(PROJECT)
        for name, text in MODELS.items():
            (folder / "models" / name).write_text(text)
        target = {
            "type": "lazyview", "method": "thrift", "host": HOST, "port": port, "user": "dbt", "schema": "shop",
            "threads": 2, "manager": f"http://{HOST}:{metrics}",
        }  # fmt: skip
        (folder / "profiles.yml").write_text(json.dumps({"shop": {"target": "dev", "outputs": {"dev": target}}}))

    @property
    def places(self) -> list[str]:
        return ["--project-dir", str(self.folder), "--profiles-dir", str(self.folder)]

    def dbt(self, *words: str) -> str:
        return self._run("dbt.cli.main", *words)

    def lazyview(self, *words: str) -> str:
        return self._run("dbt_lazyview.cli.main", *words)

    def _run(self, module: str, *words: str) -> str:
        program = f"from {module} import {'cli' if module.startswith('dbt.') else 'main'} as run; run()"
        command = [sys.executable, "-c", program, *words, *self.places]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @contextmanager
    def manager(self, *words: str) -> Iterator["Managing"]:
        told = self.folder / f"manager_{len(list(self.folder.glob('manager_*')))}.jsonl"
        command = [
            sys.executable,
            "-m",
            "dbt_lazyview.cli.main",
            "manage",
            "--every",
            "1 s",
            "--combine",
            "0 s",
            *words,
        ]
        with open(told, "w") as out:
            process = subprocess.Popen([*command, *self.places], stdout=out)
        try:
            yield Managing(process, told)
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            process.wait()

    def sell(self, number: int) -> None:
        self.sql(f"insert into shop.orders values ({number}, 'south', 7)")

    def sql(self, statement: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in ThriftSession(self.port).sql(statement).collect()]

    def is_current(self) -> bool:
        return self.sql("select sum(sales) from shop.revenue") == self.sql("select count(*) from shop.orders")


class Managing:
    """A manager, and what it told."""

    def __init__(self, process: "subprocess.Popen[bytes]", file: Path) -> None:
        self.process, self.file = process, file

    @property
    def told(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.file.read_text().splitlines() if line.endswith("}")]

    def decided(self, decision: str) -> list[dict[str, Any]]:
        return [each for each in self.told if each["decision"] == decision]

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


def until(happened: Callable[[], Any], what: str) -> float:
    began = time.monotonic()
    while not happened():
        assert time.monotonic() - began < PATIENCE, what
        time.sleep(0.3)
    print(f"{what}: {time.monotonic() - began:.1f} s", flush=True)
    return time.monotonic() - began


def metrics_of(port: int) -> str:
    with urllib.request.urlopen(f"http://{HOST}:{port}/metrics", timeout=5) as answer:
        return str(answer.read().decode())


def main() -> None:
    port, ui, metrics = free_port(), free_port(), free_port()
    settings = {**SETTINGS, "spark.ui.enabled": "true", "spark.ui.port": str(ui)}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        shop = Shop(folder / "shop", port, metrics)
        with thrift_server(folder / "spark", port, settings) as group:
            shop.dbt("run")
            status = ("--status-url", f"http://{HOST}:{ui}", "--busy-above", "25%")
            manager = stack.enter_context(shop.manager("--metrics-port", str(metrics), *status))
            until(lambda: manager.decided("sleep"), "begins")
            works_and_looks(shop, manager, metrics, f"http://{HOST}:{ui}")
            os.killpg(group, signal.SIGKILL)
            until(lambda: manager.decided("wait"), "notices that the server died")
        with thrift_server(folder / "spark", port, settings):
            shop.sell(10)
            until(shop.is_current, "goes on after the server returned")
            second = stack.enter_context(shop.manager())
            until(lambda: second.decided("sleep"), "a second one begins")
            gets_on(shop, manager, second)
            assert [manager.stop(), second.stop()] == [0, 0]
            assert [each.told[-1]["decision"] for each in (manager, second)] == ["stop", "stop"]
            print(shop.lazyview("verify"))


def works_and_looks(shop: Shop, manager: Managing, metrics: int, ui: str) -> None:
    shop.sell(2)
    shop.sell(3)
    until(shop.is_current, "refreshes")
    assert manager.decided("refreshed")[-1]["kind"] == "incremental"
    assert 'lazyview_goal_met{view="model.shop.revenue"} 1' in metrics_of(metrics)
    assert of_server(ui, 0.25)() == "", "idle"
    busy = ThriftSession(shop.port).connection.cursor()
    busy.execute(BUSY, async_=True)
    try:
        until(lambda: of_server(ui, 0.25)(), "sees that the server is busy")
        shop.sell(4)
        until(lambda: any("busy" in each["why"] for each in manager.decided("sleep")), "sleeps while it is")
    finally:
        busy.cancel()
    until(shop.is_current, "refreshes afterwards")


# One task that goes on and on; the other core is for everybody else.
BUSY = "select sum(hash(id)) from range(0, 100000000000, 1, 1)"


def gets_on(shop: Shop, *managers: Managing) -> None:
    """Two managers, and dbt at the same time."""
    for number in range(20, 26):
        shop.sell(number)
    shop.dbt("run", "--select", "report")
    rows = "select sum(sales) from shop.report"
    assert shop.sql(rows) == shop.sql("select count(*) from shop.orders"), "the reader sees all that was written"
    until(shop.is_current, "all is refreshed")
    assert [each.decided("failed") for each in managers] == [[], []]


if __name__ == "__main__":
    main()
