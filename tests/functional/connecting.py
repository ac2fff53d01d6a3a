"""
How the functional tests reach Spark: `LAZYVIEW_TEST_OVER` is

- `embedded` (or nothing): inside this process, as a profile of two lines has it;
- `cluster`: a driver inside this process, its tasks on a standalone cluster (`spark.master: spark://…`);
- `thrift`: a thrift server (`method: thrift`) whose tasks run on a standalone cluster.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from dbt_lazyview.adapter.session import new_session
from tests.functional.quick_spark import QUICK_JVM
from tests.functional.servers.processes import HOST, free_port
from tests.functional.servers.standalone import standalone_cluster
from tests.functional.servers.thrift import ThriftSession, thrift_server

VARIABLE = "LAZYVIEW_TEST_OVER"
EMBEDDED, CLUSTER, THRIFT = "embedded", "cluster", "thrift"


class Way(Protocol):
    """A way to Spark."""

    def profile(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """What a dbt profile says, with settings of its own."""

    def spark_profile(self) -> dict[str, Any]:
        """The same in a profile of dbt-spark; Spark runs already."""

    def session(self) -> Any:
        """A session without dbt."""


@dataclass(frozen=True)
class InThisProcess:
    """An embedded driver; its tasks may run elsewhere."""

    folder: Path
    settings: Mapping[str, str] = field(default_factory=dict)

    def profile(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        return {"folder": str(self.folder), "server_side_parameters": {**QUICK_JVM, **self.settings, **settings}}

    def spark_profile(self) -> dict[str, Any]:
        return {"method": "session", "host": "here"}

    def session(self) -> Any:
        return new_session(self.folder, {**QUICK_JVM, **self.settings, "spark.sql.ansi.enabled": "false"})


@dataclass(frozen=True)
class OverThrift:
    """A server that listens on a port."""

    port: int

    def profile(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        return {**self.spark_profile(), "server_side_parameters": dict(settings)}

    def spark_profile(self) -> dict[str, Any]:
        return {"method": "thrift", "host": HOST, "port": self.port, "user": "tests"}

    def session(self) -> Any:
        return ThriftSession(self.port)


def chosen_way() -> str:
    way = os.environ.get(VARIABLE) or EMBEDDED
    assert way in (EMBEDDED, CLUSTER, THRIFT), f"{VARIABLE}={way}"
    return way


@contextmanager
def connected(folder: Path) -> Iterator[Way]:
    """The chosen way; what it needs runs until it is over."""
    if chosen_way() == EMBEDDED:
        yield InThisProcess(folder)
        return
    with standalone_cluster(folder / "cluster") as cluster:
        if chosen_way() == CLUSTER:
            yield InThisProcess(folder, cluster.settings)
            return
        port = free_port()
        with thrift_server(folder, port, {**QUICK_JVM, **cluster.settings}):
            yield OverThrift(port)
