"""A run: the sections one after the other, each measuring what is not known yet."""

import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.bench import Bench
from benchmarks.progress import Progress
from benchmarks.project import Project
from benchmarks.results import Results
from benchmarks.scope import Scope
from benchmarks.sections import (
    asynchronous,
    break_even,
    combined,
    curves,
    idle,
    managed,
    memory,
    others,
    projects,
    responses,
    scaling,
    start,
    tpch22,
    view_deltas,
    writes,
)  # fmt: skip

IN_ORDER = (
    curves, scaling, combined, responses, writes, idle, tpch22, break_even, asynchronous, others, view_deltas, managed,
    projects, start,
)  # fmt: skip
SECTIONS: dict[str, Any] = {each.SECTION: each for each in IN_ORDER}
OF_DBT = (projects.SECTION, start.SECTION)  # about dbt and processes, not about tables: wanted by name
OF_LATER = (view_deltas.SECTION, managed.SECTION)  # takes as long as half of the rest: in a long run, or by name


def defaults(is_long: bool) -> list[str]:
    """
    The sections of a run that is not told which.

    Example:
        >>> [name for name in defaults(is_long=True) if name not in defaults(is_long=False)]
        ['view-deltas', 'managed']
    """
    left_out = OF_DBT if is_long else (*OF_DBT, *OF_LATER)
    return [name for name in SECTIONS if name not in left_out]


def run(scope: Scope, sections: Sequence[str], folder: Path, results: Results, spark: Path | None = None) -> None:
    """Measure what is not known yet; with nothing left to measure, Spark is not even started."""
    waiting = {name: _waiting(scope, name, results) for name in sections}
    if not any(waiting.values()):
        return
    is_first = all(waiting[name] == len(SECTIONS[name].names(scope)) for name in sections)
    is_whole = is_first and set(sections) >= set(defaults(scope.is_long)) and not scope.views
    progress = Progress(waiting, {name: each.SECONDS for name, each in SECTIONS.items()})
    own = folder / f"spark-sf{scope.scale:g}"
    if is_whole:  # the logs of tables that many runs wrote are long, and take longer to be listed
        shutil.rmtree(own, ignore_errors=True)
    bench = Bench(scope, folder, spark or own, results, progress)
    Project(folder / "project", bench.spark_folder).inside(lambda adapter: _inside(bench, adapter, sections))
    for name in [each for each in sections if _runs_dbt(each)]:
        _section(bench, name)
    memory.run(bench)
    results.save()
    if is_whole:
        results.whole_run("long" if scope.is_long else "quick", time.monotonic() - bench.started)


def _inside(bench: Bench, adapter: Any, sections: Sequence[str]) -> None:
    """What asks the adapter, inside one invocation of dbt."""
    bench.open(adapter)
    for name in [each for each in sections if not _runs_dbt(each)]:
        _section(bench, name)


def _section(bench: Bench, name: str) -> None:
    if not _waiting(bench.scope, name, bench.results):
        return
    started = time.monotonic()
    try:
        SECTIONS[name].run(bench)
    finally:
        bench.results.took(name, time.monotonic() - started)
    bench.progress.skipped(name)


def _runs_dbt(section: str) -> bool:
    return getattr(SECTIONS[section], "BY_DBT", False)


def _waiting(scope: Scope, section: str, results: Results) -> int:
    return len([each for each in SECTIONS[section].names(scope) if not results.has(section, each)])
