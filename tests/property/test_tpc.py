"""TPC-H and TPC-DS, texts as they come: equal to recomputation after mixed changes."""

import pytest

from tests.property.tpc_lake import TpcLake, TpcView, chosen_queries

TPCH_SCALE = 0.01
TPCDS_SCALE = 0.01
# Through changes goes a sample: rollups, windows, set operations, nested subqueries, a subquery joined with itself.
TPCDS_SAMPLE = [1, 12, 31, 36, 41, 51, 58, 67, 80, 83, 86, 97]


@pytest.fixture(scope="module")
def tpch() -> TpcLake:
    return TpcLake("tpch", TPCH_SCALE)


@pytest.fixture(scope="module")
def tpcds() -> TpcLake:
    return TpcLake("tpcds", TPCDS_SCALE)


def test_tpch_stays_equal_through_rounds_of_changes(tpch: TpcLake) -> None:
    views = {number: TpcView(tpch, f"q{number}", tpch.compiled(number)) for number in tpch.queries}
    assert len(views) == 22
    assert all(view.view.problems == () for view in views.values())
    _check(tpch, views, rounds=3)


def test_tpcds_stays_equal_through_changes(tpcds: TpcLake) -> None:
    chosen = chosen_queries(TPCDS_SAMPLE)
    _check(tpcds, {number: TpcView(tpcds, f"q{number}", tpcds.compiled(number)) for number in chosen}, rounds=2)


def _check(lake: TpcLake, views: dict[int, TpcView], rounds: int) -> None:
    for salt in range(rounds):
        lake.change(salt + 1, share=40)
        for number, view in views.items():
            view.refresh()
            assert view.differences() == [], f"query {number}, round {salt}"
