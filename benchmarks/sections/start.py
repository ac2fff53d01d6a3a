"""Cold start: a new process until its embedded Spark has answered a query."""

import subprocess
import sys
import tempfile
from statistics import median
from typing import Any

from benchmarks.bench import Bench
from benchmarks.scope import Scope

SECTION = "start"
BY_DBT = True  # in processes of its own
SECONDS = 45  # per point
TIMES = 3
NAME = "cold start of the embedded session"
PROGRAM = """
import sys, time
from pathlib import Path
started = time.perf_counter()
from dbt_lazyview.adapter.session import new_session
imported = time.perf_counter()
new_session(Path(sys.argv[1]), {}).sql("select 1").collect()
print(imported - started, time.perf_counter() - imported)
"""


def names(scope: Scope) -> list[str]:
    return [] if scope.is_large else [NAME]


def run(bench: Bench) -> None:
    if NAME in names(bench.scope):
        bench.point(SECTION, NAME, _measured, _told)


def _measured() -> dict[str, Any]:
    """In folders of their own: the metastore is created, too."""
    runs = [_started() for _ in range(TIMES)]
    return {"imports": median(each[0] for each in runs), "seconds": median(each[1] for each in runs)}


def _started() -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", PROGRAM, folder]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    imports, seconds = told.splitlines()[-1].split()  # after what dbt says of it
    return round(float(imports), 2), round(float(seconds), 2)


def _told(found: dict[str, Any]) -> str:
    return f"{found['seconds']:.1f} s, after {found['imports']:.1f} s of imports"
