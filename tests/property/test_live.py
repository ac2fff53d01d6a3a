"""A live view equals its query before any refresh, also when its feeds tell more than its tables show yet."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from dbt_lazyview.compiler.derivation import Derivation
from dbt_lazyview.compiler.plan import CaptureDelta, StateRead, Step, Window
from tests.property.case import OPTIONS, Commit, Run, started
from tests.property.duck_lake import Row
from tests.property.duck_sql import to_duckdb
from tests.property.duck_views import DuckView, differences
from tests.property.exploration import random_case
from tests.property.random_changes import random_habit

SEEDS_PER_PART = 60
BATCHES = 3


@pytest.mark.parametrize("part", range(2))
def test_live_views_equal_their_queries(part: int) -> None:
    merged = [_merged_batches(seed) for seed in range(part * SEEDS_PER_PART, (part + 1) * SEEDS_PER_PART)]
    assert sum(merged) > SEEDS_PER_PART / 2  # many queries can be merged


def test_condensed_changes_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A change that is undone by a commit which the tables do not show yet must not be left out."""
    step = Derivation._source_step

    def condensed(self: Derivation, kind: str, *rest: Any) -> Step:
        made = step(self, kind, *rest)
        return replace(made, condense=True) if isinstance(made, CaptureDelta) else made

    monkeypatch.setattr(Derivation, "_source_step", condensed)
    with pytest.raises(AssertionError, match="seed"):
        [_merged_batches(seed) for seed in range(SEEDS_PER_PART)]


def _merged_batches(seed: int) -> int:
    random = Random(seed)
    case = replace(random_case(random), passes=OPTIONS)
    run = started(case)
    if not isinstance(run, Run):
        return 0  # the engine does not accept the query
    sources = [each.name[-1] for each in run.view.view.sources]
    try:
        query = _live_query(run.view)
        habit = random_habit(random, sources) if sources and query else None
        batches = (habit.commits(random, case.tables, run.lake) for _ in range(BATCHES if habit else 0))
        return sum(_check(seed, query, commits, run) for commits in batches)
    finally:
        run.lake.close()


def _live_query(view: DuckView) -> str:
    windows = {name: Window(at, at, changed=True, is_open=True) for name, at in view.cut.items()}
    live = view.view.live(windows, StateRead(f"`{view.state}`", None))
    if live is None:
        return ""
    steps, query = live
    return to_duckdb(view.lake.renderer.render("steps_as_query", steps=steps, query=query))


def _check(seed: int, query: str, commits: list[Commit], run: Run) -> bool:
    """Changes pile up: nothing is refreshed in between."""
    run.change(commits)
    lake, pending = run.lake, {name[-1]: run.lake.changes(name[-1], at) for name, at in run.view.cut.items()}
    undone = {table: [(row, -weight) for row, weight in reversed(changes)] for table, changes in pending.items()}
    for later in ({}, undone):
        for table, changes in pending.items():
            rows: list[Row] = [(*row, weight) for row, weight in [*changes, *later.get(table, [])]]
            lake._load(f"changes_of_{table}", rows)
        found = differences(run.view.rows_of(query), run.wanted)
        assert found == [], f"seed {seed}: {run.view.view.sql}"
    return True
