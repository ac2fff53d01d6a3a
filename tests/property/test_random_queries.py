"""Random queries, data and change batches: after every refresh the view equals its query, as bags, both ways."""

import os
from random import Random

import pytest

from dbt_lazyview.compiler.derivation import ALL_OFF, ALL_ON
from tests.property.duck_lake import DuckView
from tests.property.random_changes import change, filled_lake
from tests.property.random_queries import QueryGenerator

SEEDS = int(os.environ.get("LAZYVIEW_RANDOM_QUERIES", "300"))
FIRST = int(os.environ.get("LAZYVIEW_FIRST_SEED", "0"))
BATCHES = 4
PER_TEST = 10


@pytest.mark.parametrize("first", range(FIRST, FIRST + SEEDS, PER_TEST))
def test_random_queries_stay_equal(first: int) -> None:
    for seed in range(first, first + PER_TEST):
        _check(seed)


def _check(seed: int) -> None:
    random = Random(seed)
    lake = filled_lake(random)
    sql = QueryGenerator(random).query(random.randint(1, 3)).sql
    view = DuckView(lake, "v", sql, random.choice([ALL_ON, ALL_OFF]))
    assert view.view.problems == (), f"seed {seed}: {sql}"
    assert view.differences() == [], f"seed {seed}, as built: {sql}"
    for batch in range(BATCHES):
        for _ in range(5):  # until the pending changes make a difference
            change(random, lake)
            if view.is_stale():
                break
        view.refresh(random.choice(["merge", "overwrite"]))
        assert view.differences() == [], f"seed {seed}, batch {batch}: {sql}"
