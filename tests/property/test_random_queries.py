"""Random schemas, data, queries and change batches: after every refresh the view equals its query, as bags."""

from collections.abc import Callable

import pytest

from tests.property.exploration import explore
from tests.property.findings import saved_finding

PAIRS = 5000  # of a query and a batch of changes
PAIRS_PER_TEST = 100
SEEDS_PER_TEST = 1000  # more than are needed
LEAST_SHARE_MOVED = 0.8


@pytest.mark.parametrize("part", range(PAIRS // PAIRS_PER_TEST))
def test_random_queries_stay_equal(part: int, record_property: Callable[[str, object], None]) -> None:
    pairs = moved = 0
    seed = part * SEEDS_PER_TEST
    while pairs < PAIRS_PER_TEST:
        found = explore(seed)
        assert found.failure is None, saved_finding(found)
        pairs, moved = pairs + found.pairs, moved + found.moved
        seed += 1
    record_property("pairs", pairs)
    record_property("moved", moved)
    assert moved >= LEAST_SHARE_MOVED * pairs, f"{moved} of {pairs} batches changed the rows of a view"
