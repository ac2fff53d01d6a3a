"""The second start of Spark on a machine maps the classes that were kept after the first one."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dbt_lazyview.adapter.jars import cache_folder, remembered_jars
from dbt_lazyview.adapter.session import packages_of

SECONDS_TO_WRITE = 300
PROGRAM = """
import sys
from pathlib import Path
from pyspark import SparkContext
from dbt_lazyview.adapter.session import new_session

session = new_session(Path(sys.argv[1]), {})
session.sql("create or replace table numbers as select id from range(7)")
rows = session.sql("select count(*) from table_changes('numbers', 0, 0)").collect()[0][0]
process = session._jvm.java.lang.ProcessHandle.current().pid()
print(rows, ".jsa" in Path(f"/proc/{process}/maps").read_text().replace("/classes.jsa", ""))
"""

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux what a process has mapped"),
]


def test_the_first_run_has_an_archive_written_and_the_next_one_uses_it(tmp_path: Path) -> None:
    assert remembered_jars(packages_of({}))
    cache = tmp_path / "dbt-lazyview"
    cache.mkdir()
    (cache / "jars.json").write_text((cache_folder() / "jars.json").read_text())

    assert _told(tmp_path) == "7 False"
    archive = _written(cache)
    assert archive.stat().st_size > 0
    assert _told(tmp_path) == "7 True"
    assert list(cache.glob("*.jsa")) == [archive]


def _told(folder: Path) -> str:
    command = [sys.executable, "-c", PROGRAM, str(folder / "spark")]
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder), "CI": ""}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()[-1]


def _written(cache: Path) -> Path:
    give_up = time.monotonic() + SECONDS_TO_WRITE
    while not (found := list(cache.glob("*.jsa"))):
        assert time.monotonic() < give_up, "no archive was written"
        time.sleep(1)
    return found[0]
