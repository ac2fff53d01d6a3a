"""A standalone cluster: a master and its workers, from the pip package."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.functional.servers.processes import HOST, delta_jars, free_port, spark_program

WORKERS = 2
CLASS = "org.apache.spark.deploy"


@dataclass(frozen=True)
class Cluster:
    """A running cluster."""

    url: str
    worker_groups: tuple[int, ...]

    @property
    def settings(self) -> dict[str, str]:
        """What a driver needs to run on it."""
        return {
            "spark.master": self.url,
            "spark.executor.memory": "1g",
            "spark.executor.extraClassPath": delta_jars(),
            "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        }


@contextmanager
def standalone_cluster(folder: Path) -> Iterator[Cluster]:
    """One master and two workers of one core each."""
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    url = f"spark://{HOST}:{port}"
    with ExitStack() as stack:
        master = [f"{CLASS}.master.Master", "--host", HOST, "--port", str(port), "--webui-port", str(free_port())]
        stack.enter_context(spark_program("spark-class", master, port, folder / "master.log"))
        yield Cluster(url, tuple(stack.enter_context(_worker(folder, url, n)) for n in range(WORKERS)))


def _worker(folder: Path, url: str, number: int) -> "contextmanager[int]":
    port = free_port()
    arguments = [
        f"{CLASS}.worker.Worker", "--host", HOST, "--port", str(port), "--webui-port", str(free_port()),
        "--cores", "1", "--memory", "2g", "--work-dir", str(folder / f"worker_{number}"), url,
    ]  # fmt: skip
    return spark_program("spark-class", arguments, port, folder / f"worker_{number}.log")
