"""Some rounds of it; `make concurrency-soak MINUTES=5` for more."""

import subprocess
import sys

import pytest

from tests.functional.faults.spark_server import of_this_process

pytestmark = pytest.mark.in_process("processes join the JVM of this one; crowd --over-thrift is the same over Thrift")


@pytest.mark.long
def test_writers_and_refreshers_at_once(spark):
    with of_this_process(spark) as server:
        crowd = [sys.executable, "-m", "tests.functional.faults.crowd", "--join", str(server.port), server.secret]
        run = subprocess.run([*crowd, "--minutes", "0.1"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    told = run.stdout.splitlines()[0]
    for what in (
        "appending",
        "changing",
        "tidying",
        "replacing",
        "managed",
        "totals build",
        "totals versions",
        "lines versions",
        "waiting windows",
        "waiting looked at",
    ):
        assert what in told
