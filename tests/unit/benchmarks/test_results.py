"""A run that is cut off goes on where it was."""

import pytest

from benchmarks.break_even import crossing, next_share
from benchmarks.results import Results
from benchmarks.run import SECTIONS, run
from benchmarks.scope import Scope
from benchmarks.sections import curves
from benchmarks.sections.names import DELETES, INSERTS

SCOPES = [Scope(1), Scope(1, is_long=True), Scope(10), Scope(0.001), Scope(1, views=("V1",))]


def test_points_are_measured_once(tmp_path):
    first = Results(tmp_path / "sf1.json", 1)
    assert first.point("s", "a", lambda: {"seconds": 1}) == {"seconds": 1}
    again = Results(tmp_path / "sf1.json", 1)
    assert again.point("s", "a", lambda: pytest.fail("measured again")) == {"seconds": 1}
    assert again.point("s", "b", lambda: 2) == 2
    assert Results(tmp_path / "sf1.json", 1).points == {"s": {"a": {"seconds": 1}, "b": 2}}


def test_a_run_that_fails_keeps_what_it_has(tmp_path):
    results = Results(tmp_path / "sf1.json", 1)
    results.point("s", "a", lambda: 1)
    with pytest.raises(ZeroDivisionError):
        results.point("s", "b", lambda: 1 / 0)
    again = Results(tmp_path / "sf1.json", 1)
    assert (again.has("s", "a"), again.has("s", "b")) == (True, False)


def test_sections_can_be_measured_anew(tmp_path):
    results = Results(tmp_path / "sf1.json", 1)
    for section, name in (("s", "a"), ("t", "a"), ("t", "b")):
        results.point(section, name, lambda: 1)
        results.took(section, 3.0)
    results.forget({"s": ["a"], "t": ["a", "unknown"]})
    assert (results.points, results.seconds) == ({"t": {"b": 1}}, {"t": 6.0}), "of t, a point is left"


def test_machine_and_versions_are_told_of_each_point(tmp_path, monkeypatch):
    results = Results(tmp_path / "sf1.json", 1)
    results.point("s", "a", lambda: 1)
    monkeypatch.setattr("benchmarks.results.machine", lambda: {"processor": "another"})
    results.point("s", "b", lambda: 2)
    results.point("t", "a", lambda: 3)
    results.forget({"t": ["a"]})
    told = Results(tmp_path / "sf1.json", 1).as_dict()
    assert told["origins"][0]["machine"]["cores"] >= 1
    assert told["origins"][0]["versions"]["delta-spark"]
    assert told["origins"][1]["machine"] == {"processor": "another"}
    assert told["origin_of"]["s"] == {"a": 0, "b": 1}


def test_with_nothing_to_measure_spark_is_not_started(tmp_path):
    results = Results(tmp_path / "sf1.json", 1)
    for name, section in SECTIONS.items():
        results.points[name] = {point: {} for point in section.names(Scope(1))}
    run(Scope(1), list(SECTIONS), tmp_path, results)
    assert not (tmp_path / "project").exists()


@pytest.mark.parametrize("scope", SCOPES, ids=str)
def test_points_of_a_section_have_names_of_their_own(scope):
    for section in SECTIONS.values():
        names = section.names(scope)
        assert len(names) == len(set(names))


def test_a_long_run_has_all_that_a_quick_one_has():
    for section in SECTIONS.values():
        missing = set(section.names(Scope(1))) - set(section.names(Scope(1, is_long=True)))
        assert missing == set()


@pytest.mark.parametrize("scope", SCOPES, ids=str)
def test_what_comes_goes_again_in_the_same_round(scope):
    for group in curves.groups(scope):
        for changes in group.rounds:
            assert [each.kind for each in changes] in ([INSERTS, DELETES], ["updates"])
            assert len({each.share for each in changes}) == 1


@pytest.mark.parametrize("scope", SCOPES, ids=str)
def test_every_view_is_compared_with_a_full_refresh(scope):
    for group in curves.groups(scope):
        assert any(change.has_full for changes in group.rounds for change in changes)


def searched(ratio):
    found = {}
    while (share := next_share(found)) is not None:
        found[share] = ratio(share)
    return found


@pytest.mark.parametrize("even", [0.03, 0.07, 0.15, 0.23, 0.6])
def test_break_even_is_found_by_halves(even):
    found = searched(lambda share: (even / share) ** 0.8)
    assert crossing(found) == pytest.approx(even, rel=0.01)
    assert len(found) <= 6


@pytest.mark.parametrize(("ratio", "last"), [(2.0, 0.8), (0.5, 0.0125)])
def test_where_they_never_meet_the_search_ends(ratio, last):
    found = searched(lambda _: ratio)
    assert list(found)[-1] == last
    assert crossing(found) is None
