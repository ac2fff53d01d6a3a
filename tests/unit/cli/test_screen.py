"""What is shown, to whom, and in which colours."""

import io
import json
from argparse import Namespace

import pytest

from dbt_lazyview.cli import advise, status, verify
from dbt_lazyview.cli.screen import Screen, has_colors
from dbt_lazyview.maintenance.advise import Advice
from dbt_lazyview.maintenance.differences import Differences, Sample
from dbt_lazyview.maintenance.history import Commit
from dbt_lazyview.maintenance.state import State
from dbt_lazyview.maintenance.status import Status
from dbt_lazyview.maintenance.status_report import Tone, table_lines, tone_of
from dbt_lazyview.maintenance.tables import Detail
from dbt_lazyview.maintenance.tasks import Pending, Task

DETAIL = Detail("delta", "x", 0, "", {}, size=10)
APPEND = Commit(2, 70_000, "WRITE", {"mode": "Append"}, {"numOutputRows": "2"})
FRESH = Status(("c", "shop", "fresh"), State(("c", "shop", "fresh__state"), DETAIL), Task())
STALE = Status(("c", "shop", "stale"), FRESH.state, Task((Pending(("c", "shop", "orders"), 1, 2, (APPEND,)),)))
NOT_BUILT = Status(("c", "shop", "missing"), State(("c", "shop", "missing__state")), Task())
LIMITS = Namespace(max_age="1 min", max_pending_rows=None)
EQUAL = Differences(0, 0, ("region",), ())
WRONG = Differences(2, 1, ("region", "n"), (("view", ("north\x1b[2J", 3)), ("query", (None, 12345))))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "variables", "expected"),
    [
        (Terminal(), {}, True),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"NO_COLOR": ""}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
    ],
)
def test_colors_for_those_who_see_them(stream, variables, expected, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert has_colors(stream) is expected


def test_progress_is_for_terminals_only(monkeypatch, capsys):
    Screen().progress("1 of 2")
    assert capsys.readouterr().err == ""
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    Screen(is_quiet=True).progress("1 of 2")
    assert terminal.getvalue() == ""
    Screen().progress("1 of 2")
    assert "1 of 2" in terminal.getvalue()


def test_tones_of_a_status_table():
    assert [tone_of(each) for each in (FRESH, STALE, NOT_BUILT)] == [Tone.FRESH, Tone.PENDING, Tone.WRONG]
    tones = [tone for _, tone in table_lines([FRESH, STALE, NOT_BUILT], 140_000)]
    assert tones == [Tone.HEADING, Tone.FRESH, Tone.PENDING, Tone.DETAIL, Tone.WRONG]


def test_limits_are_judged_and_told(capsys):
    now = 140_000
    judged = [(each, status.problems(each, LIMITS, now)) for each in (FRESH, STALE, NOT_BUILT)]
    status.show(judged, Screen(is_quiet=True), now)
    assert capsys.readouterr().out.splitlines() == [
        "STALE shop.stale: The oldest pending change is 1 min 10 s old; at most 1 min is allowed.",
        "STALE shop.missing: The view is not built.",
    ]
    told = status.document(judged, now)
    assert [len(each["problems"]) for each in told] == [0, 1, 1]
    assert told[1]["pending_changes"] == 2


def test_no_limits_no_problems():
    assert status.problems(NOT_BUILT, Namespace(max_age=None, max_pending_rows=None), 0) == []


def test_advice(capsys):
    found = {"shop.a": [Advice("policy: immediate", "readers wait")], "shop.b": []}
    advise.show(found, Screen(is_quiet=True))
    assert capsys.readouterr().out == "shop.a: policy: immediate\n  because readers wait\n"
    advise.show(found, Screen())
    assert "shop.b: nothing to change" in capsys.readouterr().out


def test_rows_that_differ_are_shown_and_obeyed_by_no_terminal(capsys):
    verdicts = [verify.Verdict("shop.a", EQUAL, seconds=1.23), verify.Verdict("shop.b", WRONG)]
    verify.show(verdicts, Screen(), None)
    assert capsys.readouterr().out.splitlines() == [
        "shop.a: equals its query, 1.2 s",
        "WRONG shop.b: 2 rows too many, 1 row missing",
        "     region        n",
        "  -  north\\x1b[2J  3",
        "  +  None          12345",
    ]


def test_a_quiet_verification_tells_what_is_wrong_only(capsys):
    verdicts = [verify.Verdict("a", EQUAL), verify.Verdict("b", is_built=False), verify.Verdict("c", problem="gone")]
    verify.show(verdicts, Screen(is_quiet=True), None)
    assert capsys.readouterr().out == "CANNOT TELL c: gone\n"


def test_a_sample_says_how_to_repeat_it():
    sample, part = Sample(5, seed=42), Differences(0, 0, ("n",), (), is_sample=True)
    assert "in a sample of 5 % (--seed 42)" in verify.told(verify.Verdict("a", part), sample)[0]
    assert "sample" not in verify.told(verify.Verdict("a", EQUAL), sample)[0]
    assert verify.document(verify.Verdict("a", part), sample)["sample"] == {"percent": 5, "seed": 42}


def test_verdicts_as_json(capsys):
    told = [verify.document(each, None) for each in (verify.Verdict("b", WRONG), verify.Verdict("c", problem="gone"))]
    Screen().json(told)
    wrong, unknown = json.loads(capsys.readouterr().out)
    assert (wrong["is_equal"], wrong["only_in_view"], wrong["only_in_query"]) == (False, 2, 1)
    assert wrong["rows"][1] == {"only_in": "query", "row": {"region": None, "n": 12345}}
    assert (unknown["is_equal"], unknown["problem"]) == (None, "gone")
