"""A real thrift server, and a session over it that looks like one of Spark's own."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dbt_lazyview.adapter.credentials import CHANGE_DATA_FEED
from dbt_lazyview.adapter.session import default_settings
from tests.functional.faults.spark_server import SETTINGS
from tests.functional.servers.processes import HOST, as_options, delta_jars, spark_program

SERVER = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"
JAVA = "spark.driver.extraJavaOptions"
SESSION = {CHANGE_DATA_FEED: "true", "spark.sql.ansi.enabled": "false"}


@dataclass(frozen=True)
class Answer:
    """The rows of a statement, as Spark's own sessions give them."""

    rows: list["Row"]

    def collect(self) -> list["Row"]:
        return self.rows


class Row(tuple[Any, ...]):
    """Values with names."""

    names: tuple[str, ...]

    def asDict(self, recursive: bool = True) -> dict[str, Any]:
        return dict(zip(self.names, self, strict=True))

    def __getitem__(self, at: Any) -> Any:
        return self.asDict()[at] if isinstance(at, str) else super().__getitem__(at)


class Settings:
    """The settings of a session."""

    def __init__(self, session: "ThriftSession") -> None:
        self.session = session

    def set(self, key: str, value: object) -> None:
        self.session.sql(f"set {key}={value}")

    def unset(self, key: str) -> None:
        self.session.sql(f"reset {key}")


class ThriftSession:
    """A connection to the server: it begins with nothing and can begin another one."""

    def __init__(self, port: int) -> None:
        from pyhive import hive  # an extra of dbt-spark

        self.port = port
        self.connection = hive.connect(host=HOST, port=port, auth="NONE", configuration={})
        self.conf = Settings(self)
        for key, value in SESSION.items():
            self.conf.set(key, value)

    def newSession(self) -> "ThriftSession":
        return ThriftSession(self.port)

    def sql(self, statement: str) -> Answer:
        cursor = self.connection.cursor()
        cursor.execute(statement)
        names = tuple(column[0] for column in cursor.description or ())
        rows = [Row(row) for row in cursor.fetchall()] if names else []
        cursor.close()
        for row in rows:
            row.names = names
        return Answer(rows)


def thrift_server(folder: Path, port: int, settings: Mapping[str, str] = SETTINGS) -> AbstractContextManager[int]:
    """A server on a folder, with a process group of its own; gives the group."""
    folder.mkdir(parents=True, exist_ok=True)
    chosen = {
        **default_settings(folder),
        **settings,
        # On the class path, as on a server that is set up once: jars of a session go with the first session that ends.
        "spark.driver.extraClassPath": delta_jars(),
        JAVA: f"-Dderby.system.home={folder} {settings.get(JAVA, '')}",
    }
    hive = {"hive.server2.thrift.port": str(port), "hive.server2.thrift.bind.host": HOST}
    arguments = [
        *as_options("--conf", chosen), "--class", SERVER, "spark-internal", *as_options("--hiveconf", hive),
    ]  # fmt: skip
    return spark_program("spark-submit", arguments, port, folder / "thrift.log")
