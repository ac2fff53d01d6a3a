"""
A Spark that outlives its clients: `python -m tests.functional.faults.spark_server FOLDER` starts one in a process group
of its own and tells how to join it. Clients can then be killed without killing the statement they run, as on a server.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from dbt_lazyview.adapter.session import _silence_error_loggers, new_session
from tests.functional.quick_spark import QUICK_JVM

SETTINGS = {**QUICK_JVM, "spark.driver.memory": "1g", "spark.sql.ansi.enabled": "false"}


@dataclass(frozen=True)
class Server:
    """A running Spark: its process group, and how to join it."""

    group: int
    port: int
    secret: str


@contextmanager
def running(folder: Path) -> Iterator[Server]:
    """A server on a folder, gone afterwards."""
    command = [sys.executable, "-m", __spec__.name, str(folder)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        assert process.stdout is not None
        told = json.loads(next(line for line in process.stdout if line.startswith("{")))  # after what dbt says
        yield Server(process.pid, told["port"], told["secret"])
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def join(port: int, secret: str) -> SparkSession:
    """The Spark of another process; what this process leaves behind when it dies stays there."""
    os.environ |= {"PYSPARK_GATEWAY_PORT": str(port), "PYSPARK_GATEWAY_SECRET": secret}
    _silence_error_loggers()
    gateway = launch_gateway()
    theirs = gateway.jvm.org.apache.spark.sql.classic.SparkSession.getDefaultSession().get()
    context = gateway.jvm.org.apache.spark.api.java.JavaSparkContext(theirs.sparkContext())
    conf = SparkConf(_jvm=gateway.jvm, _jconf=theirs.sparkContext().conf())
    return SparkSession(SparkContext(gateway=gateway, jsc=context, conf=conf), theirs)


@contextmanager
def of_this_process(session: SparkSession) -> Iterator[Server]:
    """The Spark that this process already runs: its clients may be killed, it may not."""
    yield Server(0, *_address(session))


def serve(folder: Path) -> None:
    port, secret = _address(new_session(folder, SETTINGS))
    print(json.dumps({"port": port, "secret": secret}), flush=True)
    sys.stdin.read()


def _address(session: SparkSession) -> tuple[int, str]:
    parameters = session.sparkContext._gateway.java_parameters
    return parameters.port, parameters.auth_token


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
