"""Once per key, however many threads ask."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from dbt_lazyview.adapter.once import Once


def test_many_threads_share_one_result():
    once, calls, everybody = Once(), [], threading.Barrier(8)

    def ask(_: int) -> int:
        everybody.wait()
        return once.get("view", lambda: calls.append(1) or 7)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(8))) == [7] * 8
    assert len(calls) == 1


def test_those_who_wait_inherit_the_failure():
    once, calls = Once(), []

    def fail() -> int:
        calls.append(1)
        raise ValueError("no")

    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            once.get("view", fail)
    assert len(calls) == 1


def test_a_result_that_came_about_otherwise():
    once = Once()
    once.put("view", 1)
    assert once.get("view", lambda: 2) == 1
