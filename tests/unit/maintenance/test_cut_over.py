"""Whether to follow changes is foreseen from what refreshes took before."""

from dataclasses import replace

import pytest

from dbt_lazyview.compiler.plan import Window
from dbt_lazyview.maintenance.cut_over import (
    INSERTS,
    MANY_CHANGES,
    OTHERS,
    REWRITES,
    SMALL_SOURCES,
    SOME_CHANGES,
    Pending,
    foreseen,
    is_question,
    is_too_much,
    learned,
    noted,
    pending_in,
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
    assert foreseen(few, Pending(OTHERS, SOME_CHANGES), _not_asked, 1_000_000).incremental == 3 * SECOND, "as yet"
    some = learned(_followed(SOME_CHANGES, few), ended=16 * SECOND)
    assert some.others == Pace(2 * SECOND, some=6 * SECOND)
    again = learned(_followed(MANY_CHANGES - 1, some), ended=18 * SECOND)
    assert again.others == Pace(2 * SECOND, some=7 * SECOND)
    assert foreseen(again, Pending(OTHERS, 5), _not_asked, 1_000_000).incremental == 2 * SECOND
    assert foreseen(again, Pending(OTHERS, SOME_CHANGES), _not_asked, 1_000_000).incremental == 7 * SECOND
    slow = replace(again, others=replace(again.others, some=20 * SECOND))
    assert is_question(slow, Pending(OTHERS, SOME_CHANGES), SMALL_SOURCES)
    assert not is_question(slow, Pending(OTHERS, SOME_CHANGES - 1), SMALL_SOURCES)


def test_many_changes_show_what_one_adds_to_that():
    pace = Pace(1 * SECOND)
    known = replace(KNOWN, inserts=pace, others=pace)
    followed = learned(_followed(MANY_CHANGES, known, insert_only=True), 13 * SECOND)
    assert followed == replace(known, inserts=Pace(1 * SECOND, 0.02))
    assert learned(_followed(MANY_CHANGES, known), 13 * SECOND) == replace(known, others=Pace(1 * SECOND, 0.02))
    assert learned(_followed(MANY_CHANGES, known), 10 * SECOND + 1).others == pace, "quicker than few changes"


def test_where_only_many_changes_are_known_more_of_them_are_not_as_much_slower():
    rows = 10_000_000
    once = learned(_followed(MANY_CHANGES), 14 * SECOND)
    assert once == replace(KNOWN, others=Pace(row=0.04, many=MANY_CHANGES)), "4 s for 100,000 rows"
    as_many = foreseen(once, Pending(OTHERS, MANY_CHANGES), _not_asked, 1_000_000)
    assert as_many.incremental == 4 * SECOND
    expected = foreseen(once, Pending(OTHERS, 5 * MANY_CHANGES), lambda: rows, 1_000_000)
    assert expected.incremental == 11_454, "between 4 s with what 400,000 more are taken to cost, and 20 s"
    quick = replace(once, others=Pace(row=0.0001, many=MANY_CHANGES))
    assert foreseen(quick, Pending(OTHERS, 11 * MANY_CHANGES), lambda: rows, 1_000_000).incremental == 110


def test_two_windows_of_many_changes_tell_what_each_of_them_adds():
    once = learned(_followed(MANY_CHANGES), 14 * SECOND)
    for first, second in (((1, 4), (5, 6)), ((5, 6), (1, 4))):
        known = KNOWN
        for many, seconds in (first, second):
            known = learned(_followed(many * MANY_CHANGES, known), (10 + seconds) * SECOND)
        assert known.others == Pace(row=0.005, some=3_500), "3.5 s, and half a second for 100,000"
    assert learned(_followed(MANY_CHANGES + 1, once), 12 * SECOND).others.many == MANY_CHANGES + 1, "no second one"
    warmer = learned(_followed(2 * MANY_CHANGES, once), 13 * SECOND)
    assert warmer.others == Pace(some=3 * SECOND), "more in less time: nothing is known of each"


def test_what_few_changes_take_is_no_part_of_what_each_of_many_adds():
    once = learned(_followed(MANY_CHANGES), 14 * SECOND)
    assert learned(_followed(5, once), 11 * SECOND).others == Pace(1 * SECOND, 0.03)
    assert learned(_followed(SOME_CHANGES, once), 12 * SECOND).others == Pace(row=0.02, some=2 * SECOND)
    assert learned(_followed(5, once), 17 * SECOND).others == Pace(7 * SECOND)


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
    expected = foreseen(known, Pending(OTHERS, SOME_CHANGES), _not_asked, source_bytes=1_000_000)
    assert expected.incremental == 21 * SECOND, "some deletes are taken to be three times as dear"
    once = learned(replace(BUILD, kind="full", experience=known, estimate=expected), ended=18 * SECOND)
    assert 20 * SECOND < once.others.some < 21 * SECOND
    assert once.inserts == known.inserts


def test_when_it_is_a_question_at_all():
    slow = replace(KNOWN, inserts=Pace(20 * SECOND))
    assert not is_question(Experience(), Pending(INSERTS, 10**9), 10**9), "nothing was ever computed in full"
    assert is_question(KNOWN, Pending(INSERTS, MANY_CHANGES), 0)
    assert not is_question(KNOWN, Pending(INSERTS, 5), 10**9)
    assert is_question(slow, Pending(INSERTS, 5), SMALL_SOURCES)
    assert not is_question(slow, Pending(INSERTS, 5), SMALL_SOURCES - 1), "a demo on ten rows behaves like production"
    assert is_question(slow, Pending(OTHERS, 5), SMALL_SOURCES), "nothing else is known of other changes"
    assert not is_question(replace(slow, others=Pace(SECOND)), Pending(OTHERS, 5), SMALL_SOURCES)


def test_a_view_that_is_slow_to_follow_is_computed_anew_until_that_is_forgotten():
    known, times = replace(KNOWN, others=Pace(20 * SECOND)), 0
    while is_question(known, Pending(OTHERS, 5), SMALL_SOURCES) and is_too_much(
        foreseen(known, Pending(OTHERS, 5), _not_asked, 1_000_000)
    ):
        chosen = replace(BUILD, kind="full", experience=known, estimate=Estimate(20_000, 8_000))
        known, times = learned(chosen, 18 * SECOND), times + 1
    assert 20 <= times <= 30


@pytest.mark.parametrize(
    ("share", "kind", "too_much"),
    [
        (0.01, INSERTS, False), (0.1, INSERTS, False), (0.5, INSERTS, True), (0.1, OTHERS, False), (0.25, OTHERS, True),
        (1, REWRITES, False), (2, REWRITES, True),
    ],
)  # fmt: skip
def test_before_it_was_measured_a_change_costs_some_rows(share, kind, too_much):
    rows = 10_000_000
    estimate = foreseen(KNOWN, Pending(kind, round(share * rows)), lambda: rows, source_bytes=1_000_000)
    assert is_too_much(estimate) is too_much


@pytest.mark.parametrize(
    ("kind", "insert", "change", "expected"),
    [
        (INSERTS, 0.01, 0.05, 2_000), (OTHERS, 0.01, 0.05, 6_000), (OTHERS, 0.01, 0.0, 3_000),
        (INSERTS, 0.0, 0.05, 3_500), (REWRITES, 0.0, 0.08, 2_000),
    ],
)  # fmt: skip
def test_rates_of_all_kinds_of_changes(kind, insert, change, expected):
    known = replace(KNOWN, inserts=Pace(1 * SECOND, insert), others=Pace(1 * SECOND, change))
    assert foreseen(known, Pending(kind, MANY_CHANGES), _not_asked, 1_000_000).incremental == expected


def _window(rows, feed_rows=None, insert_only=False, changed=True):
    return Window(0, 1, changed, insert_only, rows, rows if feed_rows is None else feed_rows)


def test_what_is_to_follow():
    came, went, same = _window(5, insert_only=True), _window(7), _window(0, changed=False)
    rewritten, not_told = _window(None, feed_rows=40), _window(None)
    assert pending_in({("a",): came, ("b",): same}) == Pending(INSERTS, 5)
    assert pending_in({("a",): came, ("b",): went}) == Pending(OTHERS, 12)
    assert pending_in({("a",): came, ("b",): rewritten}) == Pending(REWRITES, 45)
    assert pending_in({("a",): rewritten, ("b",): not_told}) is None
    assert noted({("a",): rewritten, ("b",): same}) == {"insert_only": False, "rewritten": 40}
    assert noted({("a",): came, ("b",): not_told}) == {"insert_only": False, "rewritten": None}


def test_following_tables_that_were_rewritten_has_a_pace_of_its_own():
    known = replace(KNOWN, others=Pace(1 * SECOND, 0.08))
    followed = learned(_followed(None, known, rewritten=MANY_CHANGES), ended=14 * SECOND)
    assert followed == replace(known, rewrites=Pace(row=0.04, many=MANY_CHANGES)), "4 s for 100,000 rows"
    expected = foreseen(followed, Pending(REWRITES, 5 * MANY_CHANGES), _not_asked, 1_000_000)
    assert expected.incremental == 21 * SECOND, "a second, and 20 for the rows"
    chosen = replace(BUILD, kind="full", experience=followed, estimate=expected, rewritten=5 * MANY_CHANGES)
    assert learned(chosen, 18 * SECOND).rewrites.row == pytest.approx(0.0388)
    assert learned(chosen, 18 * SECOND).others == known.others


def test_what_was_quicker_once_can_be_so_again():
    cold = learned(_followed(5), ended=16 * SECOND)
    assert cold.others.least == 6 * SECOND
    warm = learned(_followed(5, cold), ended=11 * SECOND)
    assert warm.others.least == 1 * SECOND
    assert learned(_followed(5, warm), ended=13 * SECOND).others.least == 2 * SECOND


def test_a_process_that_got_warm_is_as_much_quicker_at_following():
    known = replace(KNOWN, inserts=Pace(6 * SECOND, 0.4, 12 * SECOND), others=Pace(4 * SECOND))
    warm = learned(replace(BUILD, kind="full", experience=known), ended=12 * SECOND)
    assert warm == Experience(2 * SECOND, 1_000_000, Pace(1500, 0.1, 3 * SECOND), Pace(SECOND))
    assert not is_question(warm, Pending(INSERTS, 5), SMALL_SOURCES)
    slower = learned(replace(BUILD, kind="full", experience=known), ended=30 * SECOND)
    assert slower == replace(known, full=20 * SECOND)
    by_chance = learned(replace(BUILD, kind="full", experience=known), ended=15 * SECOND)
    assert by_chance == replace(known, full=5 * SECOND)
    larger = replace(BUILD, kind="full", experience=known, source_bytes=4_000_000)
    assert learned(larger, ended=26 * SECOND).inserts.least == 3 * SECOND, "half of what four times as much would take"


def _not_asked():
    raise AssertionError("rows of sources are counted only where nothing better is known")


def test_sources_that_grew_cost_more():
    estimate = foreseen(KNOWN, Pending(INSERTS, 1), _not_asked, source_bytes=3_000_000)
    assert estimate.full == 24 * SECOND


@pytest.mark.parametrize(
    ("incremental", "full", "too_much"),
    [(9_000, 8_000, False), (900, 450, False), (1_500, 600, True), (12_000, 9_900, True)],
)
def test_what_is_close_or_small_stays_incremental(incremental, full, too_much):
    assert is_too_much(Estimate(incremental, full)) is too_much


def test_is_handed_on_by_the_record():
    record = replace(BUILD, experience=replace(KNOWN, others=Pace(3, 0.25)), estimate=Estimate(5, 7))
    assert from_json(to_json(record)) == record
    old = to_json(BUILD).replace('"experience"', '"unknown"').replace('"estimate"', '"other"')
    assert from_json(old) == BUILD
