"""Programs of the pip package of Spark, each in a process group of its own, gone afterwards."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pyspark

from dbt_lazyview.adapter.jars import remembered_jars
from dbt_lazyview.adapter.java import find_java_home
from dbt_lazyview.adapter.session import packages_of

HOST = "127.0.0.1"
RESOLVE = "import sys, pathlib, dbt_lazyview.adapter.session as s; s.new_session(pathlib.Path(sys.argv[1]), {})"
PATIENCE = 180  # seconds until a server listens


def delta_jars() -> str:
    """As a class path; an embedded session resolves them where none did before."""
    if not remembered_jars(packages_of({})):
        with TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-c", RESOLVE, folder], check=True)
    return ":".join(each for each in remembered_jars(packages_of({})) if "delta" in each)


@contextmanager
def spark_program(program: str, arguments: Sequence[str], port: int, log: Path) -> Iterator[int]:
    """A program of Spark's `bin`, once it listens; gives its process group."""
    home = Path(pyspark.__file__).parent
    environment = {**os.environ, "SPARK_HOME": str(home), "JAVA_HOME": str(find_java_home())}
    command = [str(home / "bin" / program), *arguments]
    with open(log, "ab") as written:
        process = subprocess.Popen(command, stdout=written, stderr=written, env=environment, start_new_session=True)
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


def as_options(word: str, settings: dict[str, str]) -> list[str]:
    """
    Settings as options of a program.

    Example:
        >>> as_options("--conf", {"a": "1"})
        ['--conf', 'a=1']
    """
    return [each for key, value in settings.items() for each in (word, f"{key}={value}")]


def _wait_until_it_listens(process: "subprocess.Popen[bytes]", port: int) -> None:
    give_up = time.monotonic() + PATIENCE
    while time.monotonic() < give_up:
        with suppress(OSError), socket.create_connection((HOST, port), timeout=1):
            return
        assert process.poll() is None, "the server did not start"
        time.sleep(0.3)
    raise AssertionError("the server does not listen")
