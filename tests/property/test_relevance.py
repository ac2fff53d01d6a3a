"""Changes that a look at filters and used columns calls irrelevant leave the view's rows as they are."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random

import pytest

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.plan import RelevantDelta, Window
from tests.property.case import OPTIONS, Commit, Run, started
from tests.property.duck_sql import to_duckdb
from tests.property.duck_views import DuckView
from tests.property.exploration import random_case
from tests.property.random_changes import random_habit

SEEDS_PER_PART = 25
BATCHES = 4


@pytest.mark.parametrize("part", range(2))
def test_irrelevant_changes_leave_the_view_right(part: int) -> None:
    batches = [_irrelevant_batches(seed) for seed in range(part * SEEDS_PER_PART, (part + 1) * SEEDS_PER_PART)]
    assert sum(batches) > 0  # there are such changes


def _irrelevant_batches(seed: int) -> int:
    random = Random(seed)
    case = replace(random_case(random), passes=OPTIONS)
    run = started(case)
    if not isinstance(run, Run):
        return 0  # the engine does not accept the query
    sources = [each.name[-1] for each in run.view.view.sources]
    try:
        habit = random_habit(random, sources) if sources else None
        batches = (habit.commits(random, case.tables, run.lake) for _ in range(BATCHES if habit else 0))
        return sum(_is_irrelevant(seed, commits, run) for commits in batches)
    finally:
        run.lake.close()


def _is_irrelevant(seed: int, commits: list[Commit], run: Run) -> bool:
    before = run.wanted
    run.change(commits)
    is_irrelevant = not _touches(run.view, run.view.view.relevant_changes)
    assert run.is_right or not is_irrelevant, f"seed {seed}: {run.view.view.sql}"
    assert run.wanted == before or _touches(run.view, run.view.view.shown_changes), f"seed {seed}: {run.view.view.sql}"
    assert run.refreshed("merge", 0) is None
    return is_irrelevant


def _touches(view: DuckView, look: Callable[[Mapping[Name, Window]], tuple[RelevantDelta, ...]]) -> bool:
    windows = {name: view.lake.window(name[-1], after) for name, after in view.cut.items()}
    for name, after in view.cut.items():
        view.lake.load_changes(name[-1], after)
    deltas = look(windows)
    query = to_duckdb(view.lake.renderer.render("relevant_changes", deltas=deltas)) if deltas else ""
    return bool(deltas and view.lake.execute(query).fetchall())
