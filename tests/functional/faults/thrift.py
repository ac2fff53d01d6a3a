"""A real thrift server, and a session over it that looks like one of Spark's own."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyspark

from dbt_lazyview.adapter.credentials import CHANGE_DATA_FEED
from dbt_lazyview.adapter.jars import remembered_jars
from dbt_lazyview.adapter.java import find_java_home
from dbt_lazyview.adapter.session import _packages, default_settings
from tests.functional.faults.spark_server import SETTINGS

HOST = "127.0.0.1"
PATIENCE = 180  # seconds until the server listens
SESSION = {CHANGE_DATA_FEED: "true", "spark.sql.ansi.enabled": "false"}


@dataclass(frozen=True)
class Answer:
    """The rows of a statement, as Spark's own sessions give them."""

    rows: list["Row"]

    def collect(self) -> list["Row"]:
        return self.rows


class Row(dict[str, Any]):
    def asDict(self, recursive: bool = True) -> dict[str, Any]:
        return dict(self)

    def __iter__(self) -> Iterator[Any]:  # type: ignore[override]
        return iter(self.values())


class ThriftSession:
    """A connection to the server: it begins with nothing and can begin another one."""

    def __init__(self, port: int) -> None:
        from pyhive import hive  # an extra of dbt-spark

        self.port = port
        self.connection = hive.connect(host=HOST, port=port, auth="NONE", configuration={})
        for key, value in SESSION.items():
            self.sql(f"set {key}={value}")

    def newSession(self) -> "ThriftSession":
        return ThriftSession(self.port)

    def sql(self, statement: str) -> Answer:
        cursor = self.connection.cursor()
        cursor.execute(statement)
        names = [column[0] for column in cursor.description or ()]
        rows = [Row(zip(names, row, strict=True)) for row in cursor.fetchall()] if names else []
        cursor.close()
        return Answer(rows)


@contextmanager
def thrift_server(folder: Path, port: int) -> Iterator[int]:
    """A server on a folder, with a process group of its own; gives the group."""
    folder.mkdir(parents=True, exist_ok=True)
    home, java = Path(pyspark.__file__).parent, str(find_java_home())
    packages = _packages({})
    # On the class path, as on a server that is set up once: jars of a session go with the first session that ends.
    jars = ":".join(each for each in remembered_jars(packages) if "delta" in each)
    settings = {
        **default_settings(folder), **SETTINGS, "spark.driver.extraClassPath": jars,
        "spark.driver.extraJavaOptions": f"-Dderby.system.home={folder} {SETTINGS['spark.driver.extraJavaOptions']}",
    }  # fmt: skip
    options = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    hive = {"hive.server2.thrift.port": port, "hive.server2.thrift.bind.host": HOST}
    command = [
        str(home / "bin" / "spark-submit"), *options,
        "--class", "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2",
        "spark-internal", *(word for key, value in hive.items() for word in ("--hiveconf", f"{key}={value}")),
    ]  # fmt: skip
    environment = {**os.environ, "SPARK_HOME": str(home), "JAVA_HOME": java}
    with open(folder / "thrift.log", "ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, start_new_session=True)
    try:
        _wait_until_it_listens(process, port)
        yield process.pid
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _wait_until_it_listens(process: "subprocess.Popen[bytes]", port: int) -> None:
    give_up = time.monotonic() + PATIENCE
    while time.monotonic() < give_up:
        with suppress(OSError), socket.create_connection((HOST, port), timeout=1):
            return
        assert process.poll() is None, "the thrift server did not start"
        time.sleep(0.3)
    raise AssertionError("the thrift server does not listen")
