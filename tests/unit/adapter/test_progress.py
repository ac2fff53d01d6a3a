"""Long refreshes tell what they are doing, short ones nothing."""

import time

import pytest

from dbt_lazyview.adapter import progress
from dbt_lazyview.maintenance.engine import during

VIEW, PARENT = ("x", "shop", "top"), ("x", "shop", "sales")


@pytest.fixture
def told(monkeypatch):
    said = []
    monkeypatch.setattr(progress, "fire_event", lambda event: said.append(event.msg))
    monkeypatch.setattr(progress, "PAUSES", (0.01,))
    monkeypatch.setattr(progress, "LAST_PAUSE", 60.0)
    return said


def wait_for(said):
    until = time.monotonic() + 10
    while not said and time.monotonic() < until:
        time.sleep(0.005)


def test_the_innermost_step_is_told(told):
    with during("plan the refresh", VIEW), during("write the state"), progress.progress_told(VIEW, handle=None):
        wait_for(told)
    assert told == ["Lazy view shop.top, after 0.0 s: write the state"]


def test_a_parent_is_named(told):
    with during("plan", VIEW), during("plan the refresh", PARENT), progress.progress_told(VIEW, handle=None):
        wait_for(told)
    assert told == ["Lazy view shop.top, after 0.0 s: first shop.sales, plan the refresh"]


def test_what_is_short_tells_nothing(told, monkeypatch):
    monkeypatch.setattr(progress, "PAUSES", (60.0,))
    with progress.progress_told(VIEW, handle=None):
        pass
    assert told == []
