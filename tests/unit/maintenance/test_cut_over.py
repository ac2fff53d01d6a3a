"""Whether to follow very many changes is foreseen from what refreshes took before."""

from dataclasses import replace

import pytest

from dbt_lazyview.maintenance.cut_over import MANY_CHANGES, foreseen, is_too_much, learned
from dbt_lazyview.maintenance.record import Estimate, Experience, Record, Settings, from_json, to_json

SECOND = 1000
BUILD = Record(
    1, "token", "build", -1, {}, {}, Settings("UTC", "false"), "f", started=10 * SECOND, source_bytes=1_000_000
)  # fmt: skip
KNOWN = Experience(full=8 * SECOND, full_bytes=1_000_000)


def test_a_build_shows_what_everything_costs():
    assert learned(BUILD, ended=18 * SECOND) == KNOWN
    assert learned(None, 0) == Experience()
    assert learned(replace(BUILD, started=0), 18 * SECOND) == Experience(), "by a release that did not note its start"


@pytest.mark.parametrize(("changes", "rate"), [(MANY_CHANGES, 0.03), (MANY_CHANGES - 1, 0.0), (None, 0.0)])
def test_only_many_changes_show_what_one_costs(changes, rate):
    followed = replace(BUILD, kind="incremental", experience=KNOWN, changes=changes)
    assert learned(followed, ended=13 * SECOND) == replace(KNOWN, change=rate)


def test_a_rate_that_decided_is_believed_less_and_less():
    chosen = replace(BUILD, kind="full", experience=replace(KNOWN, change=0.1), estimate=Estimate(20_000, 8_000))
    assert learned(chosen, 18 * SECOND).change == pytest.approx(0.09)
    asked_for = replace(chosen, estimate=None)
    assert learned(asked_for, 18 * SECOND).change == 0.1


def test_without_experience_nothing_is_foreseen():
    assert foreseen(Experience(), 10**9, True, source_rows=10, source_bytes=1) is None
    assert foreseen(KNOWN, 10**9, True, source_rows=0, source_bytes=1) is None


@pytest.mark.parametrize(
    ("share", "insert_only", "too_much"),
    [(0.01, True, False), (0.1, True, False), (0.5, True, True), (0.1, False, False), (0.25, False, True)],
)
def test_before_it_was_measured_a_change_costs_some_rows(share, insert_only, too_much):
    rows = 10_000_000
    estimate = foreseen(KNOWN, round(share * rows), insert_only, source_rows=rows, source_bytes=1_000_000)
    assert estimate is not None
    assert is_too_much(estimate) is too_much


def test_sources_that_grew_cost_more():
    estimate = foreseen(KNOWN, 1, True, source_rows=10, source_bytes=3_000_000)
    assert estimate is not None
    assert estimate.full == 24 * SECOND


@pytest.mark.parametrize(
    ("incremental", "full", "too_much"), [(9_000, 8_000, False), (2_500, 600, False), (12_000, 9_900, True)]
)
def test_what_is_close_or_small_stays_incremental(incremental, full, too_much):
    assert is_too_much(Estimate(incremental, full)) is too_much


def test_is_handed_on_by_the_record():
    record = replace(BUILD, experience=replace(KNOWN, change=0.25), estimate=Estimate(5, 7))
    assert from_json(to_json(record)) == record
    old = to_json(BUILD).replace('"experience"', '"unknown"').replace('"estimate"', '"other"')
    assert from_json(old) == BUILD
