"""`dbt run` of a project whose twenty lazy views have nothing to do, against the same project with plain views."""

import time
from functools import partial
from statistics import median
from typing import Any

from benchmarks.bench import Bench
from benchmarks.project import Project
from benchmarks.scope import Scope

SECTION = "projects"
BY_DBT = True  # runs dbt itself, and not inside an invocation of it
SECONDS = 60  # per point
VIEWS, TIMES = 20, 3
QUERY = (
    "select n_name, c_mktsegment, count(*) as customers, sum(c_acctbal) as money from default.customer "
    "join default.nation on c_nationkey = n_nationkey where c_custkey > {number} group by n_name, c_mktsegment"
)
NAME = f"dbt run of {VIEWS} models"
KINDS = {"lazy": "lazy_view", "plain": "view"}


def names(scope: Scope) -> list[str]:
    return [] if scope.is_large else [NAME]


def run(bench: Bench) -> None:
    if NAME in names(bench.scope) and not bench.results.has(SECTION, NAME):
        bench.prepare()
        bench.point(SECTION, NAME, partial(_measured, bench), _told)


def _measured(bench: Bench) -> dict[str, Any]:
    projects = {kind: _project(bench, kind, materialized) for kind, materialized in KINDS.items()}
    seconds: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for _ in range(TIMES + 2):  # the first one builds, the second one warms up
        for kind, project in projects.items():
            started = time.perf_counter()
            project.run()
            seconds[kind].append(time.perf_counter() - started)
    for kind in KINDS:
        bench.lake.run(f"drop schema if exists twenty_{kind} cascade")
    return {kind: round(median(taken[2:]), 3) for kind, taken in seconds.items()}


def _project(bench: Bench, kind: str, materialized: str) -> Project:
    head = f"{{{{ config(materialized='{materialized}') }}}}\n"
    models = {f"{kind}_{number}": head + QUERY.format(number=number) for number in range(VIEWS)}
    return Project(bench.folder / f"twenty-{kind}", bench.spark_folder, models, schema=f"twenty_{kind}")


def _told(found: dict[str, Any]) -> str:
    return f"{found['lazy']:.1f} s, as plain views {found['plain']:.1f} s"
