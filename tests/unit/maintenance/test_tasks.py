"""Pending commits, combined into a task, and where too large a task is split."""

import pytest

from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.history import Commit
from dbt_lazyview.maintenance.splitting import stop_within
from dbt_lazyview.maintenance.tasks import Pending, Task


def append(version: int, at: int, rows: int) -> Commit:
    return Commit(version, at, "WRITE", {"mode": "Append"}, {"numOutputRows": str(rows)})


OVERWRITE = Commit(9, 90, "WRITE", {"mode": "Overwrite"}, {"numOutputRows": "1", "numRemovedFiles": "1"})


def task(*sources: tuple[Commit, ...], obstacle: Reason | None = None) -> Task:
    return Task(tuple(Pending((f"t{number}",), 0, 9, each, obstacle) for number, each in enumerate(sources)))


def test_many_commits_are_one_task():
    combined = task((append(2, 20, 5), append(1, 10, 3)), (append(1, 5, 1),), ())
    assert (combined.is_pending, combined.commits, combined.rows, combined.oldest) == (True, 3, 9, 5)


def test_nothing_pending():
    assert (task((), ()).is_pending, task((), ()).rows, task().oldest) == (False, 0, None)


def test_what_is_not_told_is_not_known():
    assert task((OVERWRITE,), (append(1, 1, 1),)).rows is None
    assert task((append(1, 1, 1),), obstacle=Reason.HISTORY_GONE).rows is None


@pytest.mark.parametrize(
    ("limit", "moment"),
    [(100, None), (9, None), (8, 20), (7, 15), (5, 15), (4, 10), (3, 5), (2, 5), (1, 5)],
)
def test_stops_before_it_is_too_much(limit, moment):
    # 1 change at 5, 3 at 10, 1 at 15, 3 at 20, 1 at 30
    sources = (append(3, 30, 1), append(2, 20, 3), append(1, 10, 3)), (append(2, 15, 1), append(1, 5, 1))
    assert stop_within(task(*sources), limit) == moment


def test_commits_of_one_moment_stay_together():
    assert stop_within(task((append(1, 10, 5),), (append(1, 10, 5),)), 3) is None
