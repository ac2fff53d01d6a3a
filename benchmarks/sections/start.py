"""
Cold start: a new process until its embedded Spark has answered a query, with classes that are kept ready on the
machine, and as it is where they are not there yet.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from statistics import median
from typing import Any

from benchmarks.bench import Bench
from benchmarks.scope import Scope
from dbt_lazyview.adapter.class_archive import WRITER
from dbt_lazyview.adapter.session import JAVA_OPTIONS

SECTION = "start"
BY_DBT = True  # in processes of its own
SECONDS = 90  # per point
TIMES = 3
NAME = "cold start of the embedded session"
AS_AT_FIRST = {JAVA_OPTIONS: "-XX:+UseSharedSpaces"}  # whoever chooses for himself gets no archive from us
Started = tuple[float, float]  # seconds of imports, and of the start
PROGRAM = """
import json, sys, time
from pathlib import Path
started = time.perf_counter()
from dbt_lazyview.adapter.session import new_session
imported = time.perf_counter()
new_session(Path(sys.argv[1]), json.loads(sys.argv[2])).sql("select 1").collect()
print(imported - started, time.perf_counter() - imported)
"""


def names(scope: Scope) -> list[str]:
    return [] if scope.is_large else [NAME]


def run(bench: Bench) -> None:
    if NAME in names(bench.scope):
        bench.point(SECTION, NAME, _measured, _told)


def _measured() -> dict[str, Any]:
    """In turns, and in folders of their own: the metastore is created, too."""
    subprocess.run([sys.executable, "-m", WRITER], capture_output=True, check=True)
    ready, first = list[Started](), list[Started]()
    for _ in range(TIMES):
        ready.append(_started({}))
        first.append(_started(AS_AT_FIRST))
    return {
        "imports": median(each[0] for each in ready),
        "seconds": median(each[1] for each in ready),
        "first": median(each[1] for each in first),
    }


def _started(settings: Mapping[str, str]) -> Started:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", PROGRAM, folder, json.dumps(settings)]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    imports, seconds = told.splitlines()[-1].split()  # after what dbt says of it
    return round(float(imports), 2), round(float(seconds), 2)


def _told(found: dict[str, Any]) -> str:
    return f"{found['seconds']:.1f} s, {found['first']:.1f} s at first, after {found['imports']:.1f} s of imports"
