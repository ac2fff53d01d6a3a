"""What may be lost, and when: told in good time by status, and by the guard before a VACUUM."""

import json
from dataclasses import replace

import pytest

from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.history import Commit
from dbt_lazyview.maintenance.record import Position
from dbt_lazyview.maintenance.state import State
from dbt_lazyview.maintenance.status import Status
from dbt_lazyview.maintenance.status_report import as_json, as_table, warnings
from dbt_lazyview.maintenance.tables import Detail
from dbt_lazyview.maintenance.tasks import Pending, Task, pending
from dbt_lazyview.maintenance.vacuum_guard import guards

HOUR, DAY = 3600 * 1000, 24 * 3600 * 1000
T, V, W = ("c", "x", "t"), ("c", "x", "v"), ("c", "x", "w")


class Lookup:
    """A table with three commits, an hour apart: an OPTIMIZE follows the cut."""

    def __init__(self, **properties: str) -> None:
        self.detail = Detail("delta", "id", 2 * HOUR, "", properties, 0)
        self.commits = (
            Commit(2, 2 * HOUR, "WRITE", {"mode": "Append"}),
            Commit(1, HOUR, "OPTIMIZE"),
            Commit(0, 0, "WRITE"),
        )

    def source(self, _name):
        return self.detail

    def head(self, _name, _detail):
        return self.commits[0]

    def commits_between(self, *_):
        return self.commits


def status_of(view, *sources: Pending) -> Status:
    return Status(view, State(("c", "x", view[-1] + "__state")), Task(sources))


def test_a_version_expires_once_it_has_a_successor():
    behind = pending(Lookup(), T, Position(0, 0, "id"))
    assert (behind.superseded, behind.kept_until) == (HOUR, HOUR + 7 * DAY)
    assert pending(Lookup(), T, Position(2, 2 * HOUR, "id")).kept_until is None
    short = Lookup(**{"delta.deletedFileRetentionDuration": "interval 1 hours"})
    assert pending(short, T, Position(0, 0, "id")).kept_until == 2 * HOUR
    assert pending(Lookup(), T, Position(0, 5, "id")).kept_until is None  # another table now: nothing left to lose


@pytest.mark.parametrize(
    ("days", "told"),
    [(3, None), (4, "are kept for 3 d more"), (8, "may be gone since 24 h")],
    ids=["early", "late", "gone"],
)
def test_status_warns_when_half_of_the_time_is_over(days, told):
    source = Pending(T, 0, 2, superseded=0, kept_seconds=7 * DAY / 1000)
    status = status_of(V, source)
    found = warnings(status, days * DAY)
    assert len(found) == (told is not None)
    assert all(told in text and "prepare_sources" in text for text in found)
    assert ("WARNING x.t" in as_table([status], days * DAY)) == (told is not None)
    assert json.loads(as_json([status], days * DAY))[0]["warnings"] == found
    assert warnings(status_of(V, replace(source, obstacle=Reason.HISTORY_GONE)), days * DAY) == []


def test_the_guard_keeps_what_the_view_furthest_behind_needs():
    near, far = Pending(T, 3, 4, superseded=9 * HOUR), Pending(T, 1, 4, superseded=5 * HOUR)
    (guard,) = guards(Lookup(), [status_of(V, near), status_of(W, far)], 10 * HOUR)
    assert (guard.hours, guard.needed_by, guard.is_plain_vacuum_safe) == (6, (W, V), True)
    (guard,) = guards(Lookup(), [status_of(V, Pending(T, 4, 4))], 10 * HOUR)
    assert (guard.hours, guard.needed_by) == (1, ())
    short = Lookup(**{"delta.deletedFileRetentionDuration": "interval 2 hours"})
    (guard,) = guards(short, [status_of(W, far)], 10 * HOUR)
    assert "NOT SAFE" in guard.line
