"""Whether to follow changes is foreseen from what refreshes took before."""

from dataclasses import replace

import pytest

from dbt_lazyview.maintenance.cut_over import (
    MANY_CHANGES,
    SMALL_SOURCES,
    SOME_CHANGES,
    foreseen,
    is_question,
    is_too_much,
    learned,
)
from dbt_lazyview.maintenance.record import Estimate, Experience, Pace, Record, Settings, from_json, to_json

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
    assert once == replace(KNOWN, others=Pace(3 * SECOND))
    assert learned(_followed(5, once), ended=15 * SECOND).others.least == 4 * SECOND
    assert learned(_followed(5, once, insert_only=True), ended=15 * SECOND).inserts.least == 5 * SECOND
    assert learned(_followed(None), ended=13 * SECOND) == KNOWN


def test_some_changes_are_apart_from_few():
    few = learned(_followed(5), ended=12 * SECOND)
    some = learned(_followed(SOME_CHANGES, few), ended=16 * SECOND)
    assert some.others == Pace(2 * SECOND, some=6 * SECOND)
    again = learned(_followed(MANY_CHANGES - 1, some), ended=18 * SECOND)
    assert again.others == Pace(2 * SECOND, some=7 * SECOND)
    assert foreseen(again, 5, False, _not_asked, 1_000_000).incremental == 2 * SECOND
    assert foreseen(again, SOME_CHANGES, False, _not_asked, 1_000_000).incremental == 7 * SECOND
    slow = replace(again, others=replace(again.others, some=20 * SECOND))
    assert is_question(slow, SOME_CHANGES, False, SMALL_SOURCES)
    assert not is_question(slow, SOME_CHANGES - 1, False, SMALL_SOURCES)


def test_many_changes_show_what_one_adds_to_that():
    pace = Pace(1 * SECOND)
    known = replace(KNOWN, inserts=pace, others=pace)
    followed = learned(_followed(MANY_CHANGES, known, insert_only=True), 13 * SECOND)
    assert followed == replace(known, inserts=Pace(1 * SECOND, 0.02))
    assert learned(_followed(MANY_CHANGES, known), 13 * SECOND) == replace(known, others=Pace(1 * SECOND, 0.02))
    assert learned(_followed(MANY_CHANGES, known), 10 * SECOND + 1).others == pace, "quicker than few changes"


def test_experience_that_decided_is_believed_less_and_less():
    known = replace(KNOWN, inserts=Pace(5 * SECOND, 0.2), others=Pace(10 * SECOND, 0.1))
    chosen = replace(BUILD, kind="full", experience=known, estimate=Estimate(20_000, 8_000))
    doubted = learned(chosen, 18 * SECOND)
    assert (doubted.others.least, doubted.others.row) == (9.7 * SECOND, pytest.approx(0.097))
    assert doubted.inserts == known.inserts
    some = replace(chosen, experience=replace(known, others=Pace(some=10 * SECOND)))
    assert learned(some, 18 * SECOND).others.some == 9.7 * SECOND
    asked_for = replace(chosen, estimate=None)
    assert learned(asked_for, 18 * SECOND) == known


def test_what_was_taken_from_inserts_is_believed_less_and_less_as_well():
    known = replace(KNOWN, inserts=Pace(2 * SECOND, some=7 * SECOND))
    expected = foreseen(known, SOME_CHANGES, insert_only=False, source_rows=_not_asked, source_bytes=1_000_000)
    assert expected.incremental == 21 * SECOND, "some deletes are taken to be three times as dear"
    once = learned(replace(BUILD, kind="full", experience=known, estimate=expected), ended=18 * SECOND)
    assert 20 * SECOND < once.others.some < 21 * SECOND
    assert once.inserts == known.inserts


def test_when_it_is_a_question_at_all():
    slow = replace(KNOWN, inserts=Pace(20 * SECOND))
    assert not is_question(Experience(), 10**9, True, 10**9), "nothing was ever computed in full"
    assert is_question(KNOWN, MANY_CHANGES, True, 0)
    assert not is_question(KNOWN, 5, True, 10**9)
    assert is_question(slow, 5, True, SMALL_SOURCES)
    assert not is_question(slow, 5, True, SMALL_SOURCES - 1), "a demo on ten rows behaves like production"
    assert is_question(slow, 5, False, SMALL_SOURCES), "nothing else is known of other changes"
    assert not is_question(replace(slow, others=Pace(SECOND)), 5, False, SMALL_SOURCES)


def test_a_view_that_is_slow_to_follow_is_computed_anew_until_that_is_forgotten():
    known, times = replace(KNOWN, others=Pace(20 * SECOND)), 0
    while is_question(known, 5, False, SMALL_SOURCES) and is_too_much(foreseen(known, 5, False, _not_asked, 1_000_000)):
        chosen = replace(BUILD, kind="full", experience=known, estimate=Estimate(20_000, 8_000))
        known, times = learned(chosen, 18 * SECOND), times + 1
    assert 20 <= times <= 30


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
    known = replace(KNOWN, inserts=Pace(1 * SECOND, insert), others=Pace(1 * SECOND, change))
    assert foreseen(known, MANY_CHANGES, insert_only, _not_asked, 1_000_000).incremental == expected


def _not_asked():
    raise AssertionError("rows of sources are counted only where nothing better is known")


def test_sources_that_grew_cost_more():
    estimate = foreseen(KNOWN, 1, True, _not_asked, source_bytes=3_000_000)
    assert estimate.full == 24 * SECOND


@pytest.mark.parametrize(
    ("incremental", "full", "too_much"), [(9_000, 8_000, False), (1_500, 600, False), (12_000, 9_900, True)]
)
def test_what_is_close_or_small_stays_incremental(incremental, full, too_much):
    assert is_too_much(Estimate(incremental, full)) is too_much


def test_is_handed_on_by_the_record():
    record = replace(BUILD, experience=replace(KNOWN, others=Pace(3, 0.25)), estimate=Estimate(5, 7))
    assert from_json(to_json(record)) == record
    old = to_json(BUILD).replace('"experience"', '"unknown"').replace('"estimate"', '"other"')
    assert from_json(old) == BUILD
