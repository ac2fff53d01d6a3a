"""A standalone cluster: a master and its workers, from the pip package."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.functional.servers.processes import HOST, delta_jars, free_port, spark_program

WORKERS = 2
CLASS = "org.apache.spark.deploy"


@dataclass(frozen=True)
class Cluster:
    """A running cluster."""

    url: str
    work_folders: tuple[Path, ...]  # where each worker keeps what its executors print

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
        work_folders = tuple(folder / f"worker_{number}" for number in range(WORKERS))
        for each in work_folders:
            stack.enter_context(_worker(each, url))
        yield Cluster(url, work_folders)


def _worker(folder: Path, url: str) -> AbstractContextManager[int]:
    port = free_port()
    arguments = [
        f"{CLASS}.worker.Worker", "--host", HOST, "--port", str(port), "--webui-port", str(free_port()),
        "--cores", "1", "--memory", "2g", "--work-dir", str(folder), url,
    ]  # fmt: skip
    return spark_program("spark-class", arguments, port, folder.with_suffix(".log"))
