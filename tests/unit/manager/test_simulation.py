"""What docs/simulation.md says of the simulation."""

from dataclasses import replace
from statistics import fmean

import pytest

from benchmarks.simulation.__main__ import DOCS, _line, figure_7, figure_7_plot, fill_in, project
from benchmarks.simulation.policies import POLICIES, simulate

WORKLOAD = project(100)


@pytest.fixture(scope="module")
def told():
    return {policy: simulate(policy, WORKLOAD) for policy in POLICIES}


def test_the_same_seed_gives_the_same(told):
    assert simulate("lazy with manager", WORKLOAD) == told["lazy with manager"]
    assert simulate("lazy with manager", replace(WORKLOAD, seed=8)) != told["lazy with manager"]


def test_the_page_shows_what_it_gives(told):
    page = (DOCS / "simulation.md").read_text()
    for policy, each in told.items():
        assert _line(100, policy, each) in page
    assert (DOCS / "simulation-figure-7.svg").read_text() == figure_7_plot()


def test_writers_pay_under_eager_maintenance_only(told):
    updates = {policy: fmean(each.updates) for policy, each in told.items()}
    assert updates["eager"] > 20 * max(updates["lazy"], updates["lazy with manager"], updates["snapshot"])


def test_the_manager_hides_maintenance_from_readers(told):
    queries = {policy: fmean(each.queries) for policy, each in told.items()}
    assert queries["snapshot"] < queries["lazy with manager"] < queries["lazy"] < queries["eager"]
    work = {policy: each.maintenance for policy, each in told.items()}
    assert work["lazy"] < work["lazy with manager"] < work["eager"]


def test_everybody_is_answered(told):
    assert [each.unfinished for each in told.values()] == [0, 0, 0, 0]


def test_figure_7():
    bars = figure_7()
    sums = {name: sum(parts.values()) for name, parts in bars.items()}
    eager, *lazy = sums.values()
    assert eager >= lazy[0] > lazy[1] > lazy[2], "the later the query, the more is hidden"
    assert bars["lazy, 50 s"]["query"] == bars["eager"]["query"], "all of it"
    assert all(parts["update"] < 0.02 * bars["eager"]["update"] for name, parts in bars.items() if name != "eager")


def test_a_page_is_filled_in(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- sizes -->\nold\n<!-- end -->\nb\n")
    fill_in(page, sizes="new \\1")
    assert page.read_text() == "a\n<!-- sizes -->\nnew \\1\n<!-- end -->\nb\n"
