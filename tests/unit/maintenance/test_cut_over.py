"""Whether to follow changes is foreseen from what refreshes took before."""

from dataclasses import replace

import pytest

from dbt_lazyview.maintenance.cut_over import (
    MANY_CHANGES,
    SMALL_SOURCES,
    foreseen,
    is_question,
    is_too_much,
    learned,
)
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


def _followed(changes, known=KNOWN, **more):
    return replace(BUILD, kind="incremental", experience=known, changes=changes, **more)


def test_few_changes_show_the_least_that_a_refresh_costs():
    once = learned(_followed(5), ended=13 * SECOND)
    assert once == replace(KNOWN, least=3 * SECOND)
    assert learned(_followed(5, once), ended=15 * SECOND).least == 4 * SECOND
    assert learned(_followed(None), ended=13 * SECOND) == KNOWN


def test_many_changes_show_what_one_adds_to_that():
    known = replace(KNOWN, least=1 * SECOND)
    assert learned(_followed(MANY_CHANGES, known, insert_only=True), 13 * SECOND) == replace(known, insert=0.02)
    assert learned(_followed(MANY_CHANGES, known), 13 * SECOND) == replace(known, change=0.02)
    assert learned(_followed(MANY_CHANGES, known), 10 * SECOND + 1).change == 0, "quicker than few changes"


def test_experience_that_decided_is_believed_less_and_less():
    known = replace(KNOWN, least=10 * SECOND, insert=0.2, change=0.1)
    chosen = replace(BUILD, kind="full", experience=known, estimate=Estimate(20_000, 8_000))
    doubted = learned(chosen, 18 * SECOND)
    assert (doubted.least, doubted.insert, doubted.change) == (9 * SECOND, pytest.approx(0.18), pytest.approx(0.09))
    asked_for = replace(chosen, estimate=None)
    assert learned(asked_for, 18 * SECOND) == known


def test_when_it_is_a_question_at_all():
    slow = replace(KNOWN, least=20 * SECOND)
    assert not is_question(Experience(), 10**9, 10**9), "nothing was ever computed in full"
    assert is_question(KNOWN, MANY_CHANGES, 0)
    assert not is_question(KNOWN, 5, 10**9)
    assert is_question(slow, 5, SMALL_SOURCES)
    assert not is_question(slow, 5, SMALL_SOURCES - 1), "a demo on ten rows behaves like production"


def test_a_view_that_is_slow_to_follow_is_computed_anew_until_that_is_forgotten():
    known, times = replace(KNOWN, least=20 * SECOND), 0
    while is_question(known, 5, SMALL_SOURCES) and is_too_much(foreseen(known, 5, True, _not_asked, 1_000_000)):
        chosen = replace(BUILD, kind="full", experience=known, estimate=Estimate(20_000, 8_000))
        known, times = learned(chosen, 18 * SECOND), times + 1
    assert 5 <= times <= 15


@pytest.mark.parametrize(
    ("share", "insert_only", "too_much"),
    [(0.01, True, False), (0.1, True, False), (0.5, True, True), (0.1, False, False), (0.25, False, True)],
)
def test_before_it_was_measured_a_change_costs_some_rows(share, insert_only, too_much):
    rows = 10_000_000
    estimate = foreseen(KNOWN, round(share * rows), insert_only, lambda: rows, source_bytes=1_000_000)
    assert is_too_much(estimate) is too_much


@pytest.mark.parametrize(
    ("insert_only", "insert", "change", "expected"),
    [(True, 0.01, 0.05, 2_000), (False, 0.01, 0.05, 6_000), (False, 0.01, 0.0, 3_000), (True, 0.0, 0.05, 3_500)],
)
def test_rates_of_both_kinds_of_windows(insert_only, insert, change, expected):
    known = replace(KNOWN, least=1 * SECOND, insert=insert, change=change)
    assert foreseen(known, MANY_CHANGES, insert_only, _not_asked, 1_000_000).incremental == expected


def _not_asked():
    raise AssertionError("rows of sources are counted only where nothing better is known")


def test_sources_that_grew_cost_more():
    estimate = foreseen(KNOWN, 1, True, _not_asked, source_bytes=3_000_000)
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
