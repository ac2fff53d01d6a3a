"""
How long compiling takes: every query of TPC-H and TPC-DS in a warm process, the best of five runs, in processor time.

    python -m benchmarks.compile_time            # both benchmarks, the slowest queries of each
    python -m benchmarks.compile_time tpch --all # every query

The catalog answers from memory, so that only the compiler is measured. The plan is that of a refresh after changes of
all sources.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from time import process_time
from typing import Any

from dbt_lazyview.compiler import compile as stages
from dbt_lazyview.compiler.catalog import Catalog, Column, Name, StoredView, Table, UserFunction
from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.plan import Window
from tests.property.tpc_lake import TpcLake

RUNS = 5
SHOWN = 8
TARGETS = {"tpch": 50, "tpcds": 300}  # milliseconds, for the slowest query
# The stages of the compiler and the functions that make them up.
STAGES = {
    "parse": ["read_query"],
    "expand": ["expand_views"],
    "qualify": ["_qualified"],
    "lower": ["lower_query", "_ranked", "with_certain_matches", "keep_used_columns"],
    "store": ["stored_state"],
}

Times = dict[str, float]


class RememberedCatalog:
    """Answers each question of the compiler to another catalog once; from then on from memory."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._relations: dict[tuple[Name, Name | None], Table | StoredView] = {}
        self._described: dict[str, tuple[Column, ...]] = {}
        self._functions: dict[tuple[Name, Name | None], UserFunction | None] = {}

    def relation(self, name: Name, namespace: Name | None) -> Table | StoredView:
        if (name, namespace) not in self._relations:
            self._relations[name, namespace] = self._catalog.relation(name, namespace)
        return self._relations[name, namespace]

    def describe(self, sql: str) -> tuple[Column, ...]:
        if sql not in self._described:
            self._described[sql] = self._catalog.describe(sql)
        return self._described[sql]

    def function(self, name: Name, namespace: Name | None) -> UserFunction | None:
        if (name, namespace) not in self._functions:
            self._functions[name, namespace] = self._catalog.function(name, namespace)
        return self._functions[name, namespace]


def measured(sql: str, catalog: Catalog) -> Times:
    """Milliseconds per stage, for compiling as a whole, and for the plan of a refresh."""
    compile_view(sql, catalog)  # so that the catalog knows every answer
    runs = [_measured_once(sql, catalog) for _ in range(RUNS)]
    best = min(runs, key=lambda run: run["compile"])
    return {**best, "plan": min(run["plan"] for run in runs)}


def _measured_once(sql: str, catalog: Catalog) -> Times:
    with _timed_stages() as times:
        started = process_time()
        view = compile_view(sql, catalog)
        times["compile"] = _milliseconds(started)
    started = process_time()
    view.refresh({each.name: Window(0, 1, changed=True) for each in view.sources})
    times["plan"] = _milliseconds(started)
    return times


@contextmanager
def _timed_stages() -> Iterator[Times]:
    """Stages tell their time while this lasts."""
    times: Times = defaultdict(float)
    functions = {name: getattr(stages, name) for names in STAGES.values() for name in names}
    try:
        for stage, names in STAGES.items():
            for name in names:
                setattr(stages, name, _timed(functions[name], stage, times))
        yield times
    finally:
        for name, function in functions.items():
            setattr(stages, name, function)


def _timed(function: Callable[..., Any], stage: str, times: Times) -> Callable[..., Any]:
    @wraps(function)
    def timed(*arguments: Any, **named: Any) -> Any:
        started = process_time()
        try:
            return function(*arguments, **named)
        finally:
            times[stage] += _milliseconds(started)

    return timed


def _milliseconds(started: float) -> float:
    return (process_time() - started) * 1000


def _report(benchmark: str, results: dict[int, Times], shown: int) -> None:
    columns = [*STAGES, "compile", "plan"]
    print(f"\n{benchmark}, milliseconds" + "".join(f"{column:>9}" for column in columns))
    slowest = sorted(results, key=lambda number: -results[number]["compile"])[:shown]
    for number in slowest:
        print(f"{'query ' + str(number):>{len(benchmark) + 14}}", *(f"{results[number][c]:8.1f}" for c in columns))
    for column in ("compile", "plan"):
        values = sorted(times[column] for times in results.values())
        print(f"{column}: median {values[len(values) // 2]:.1f}, slowest {values[-1]:.1f}")
    print(f"target for compile: {TARGETS[benchmark]}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmarks", nargs="*", default=list(TARGETS), help="tpch, tpcds")
    parser.add_argument("--all", action="store_true", help="print every query")
    chosen = parser.parse_args()
    for benchmark in chosen.benchmarks:
        lake = TpcLake(benchmark, 0)
        catalog = RememberedCatalog(lake)
        results = {number: measured(sql, catalog) for number, sql in lake.queries.items()}
        _report(benchmark, results, len(results) if chosen.all else SHOWN)


if __name__ == "__main__":
    main()
