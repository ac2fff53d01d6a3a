"""The decision is a pure function of the situation."""

import pytest

from dbt_lazyview.compiler.plan import Window
from dbt_lazyview.compiler.reasons import Problem, Reason
from dbt_lazyview.maintenance.affected import Affected
from dbt_lazyview.maintenance.decide import (
    ADVANCE_AFTER_MILLISECONDS,
    ADVANCE_AFTER_VERSIONS,
    REWRITTEN,
    SMALL_STATE,
    Situation,
    choose_strategy,
    decide,
    should_advance,
    why_refused,
)
from dbt_lazyview.maintenance.record import Position
from dbt_lazyview.maintenance.windows import Obstacle

SOURCE = ("x", "t")
CHANGED = {SOURCE: Window(1, 2, changed=True)}
SAME = {SOURCE: Window(1, 2, changed=False)}
VOLATILE = Problem(Reason.NON_DETERMINISTIC, "RAND", "", "")
UNSUPPORTED = Problem(Reason.UNSUPPORTED, "PIVOT", "", "")


@pytest.mark.parametrize(
    ("situation", "kind", "reason"),
    [
        (Situation("auto", Reason.FIRST_BUILD), "build", Reason.FIRST_BUILD),
        (Situation("auto", Reason.FIRST_BUILD, full_requested=True), "build", Reason.FIRST_BUILD),
        (Situation("auto", None, windows=SAME), "noop", None),
        (Situation("auto", None, windows=CHANGED), "incremental", None),
        (Situation("auto", None, True, windows=SAME), "full", Reason.FULL_REFRESH_REQUESTED),
        (Situation("auto", Reason.STATE_CHANGED, windows=SAME), "full", Reason.STATE_CHANGED),
        (Situation("auto", None, definition_changed=True, windows=SAME), "full", Reason.DEFINITION_CHANGED),
        (Situation("auto", None, settings_changed=True, windows=SAME), "full", Reason.SETTINGS_CHANGED),
        (Situation("auto", None, obstacles=(Obstacle(Reason.HISTORY_GONE, "t"),)), "full", Reason.HISTORY_GONE),
        (Situation("full", None, windows=SAME), "full", Reason.REFRESH_MODE_FULL),
        (Situation("full", None, is_due=False, windows=SAME), "noop", None),
        (Situation("full", None, is_due=False, windows=CHANGED), "full", Reason.REFRESH_MODE_FULL),
        (Situation("auto", None, problems=(UNSUPPORTED,), windows=SAME), "noop", None),
        (Situation("auto", None, problems=(UNSUPPORTED,), windows=CHANGED), "full", Reason.UNSUPPORTED),
        (Situation("auto", None, problems=(VOLATILE,), windows=SAME), "full", Reason.NON_DETERMINISTIC),
        (Situation("auto", None, is_due=False, problems=(VOLATILE,), windows=SAME), "noop", None),
    ],
)
def test_decides(situation, kind, reason):
    decision = decide(situation)
    assert (decision.kind, decision.reason) == (kind, reason)


@pytest.mark.parametrize(
    ("situation", "reason"),
    [
        (Situation("incremental", Reason.FIRST_BUILD), None),
        (Situation("incremental", Reason.FIRST_BUILD, problems=(VOLATILE,)), Reason.NON_DETERMINISTIC),
        (Situation("incremental", None, full_requested=True), None),
        (Situation("incremental", None, windows=CHANGED), None),
        (Situation("incremental", None, definition_changed=True), Reason.DEFINITION_CHANGED),
        (Situation("auto", None, definition_changed=True), None),
    ],
)
def test_incremental_never_recomputes_by_itself(situation, reason):
    assert why_refused(decide(situation), situation.refresh_mode, situation.problems) is reason


def test_small_states_are_overwritten_unless_children_read_their_changes():
    assert choose_strategy(SMALL_STATE - 1, is_parent=False) == "overwrite"
    assert choose_strategy(SMALL_STATE - 1, is_parent=True) == "merge"
    assert choose_strategy(SMALL_STATE, is_parent=False) == "merge"


@pytest.mark.parametrize(
    ("files", "size", "is_parent", "strategy"),
    [(0, 0, False, "append"), (0, 0, True, "append"), (1, 10, False, "overwrite"),
     (1, REWRITTEN - 1, True, "rewrite"), (1, REWRITTEN, True, "merge")],
)  # fmt: skip
def test_files_that_the_change_is_about_are_rewritten_while_they_are_small(files, size, is_parent, strategy):
    affected = Affected(("c", "s", "v__state"), 1, (), files, size, of=2)
    assert choose_strategy(SMALL_STATE - 1, is_parent, affected) == strategy


def test_few_files_of_a_large_state_are_rewritten():
    affected = Affected(("c", "s", "v__state"), 1, (), 1, REWRITTEN - 1, of=40)
    assert choose_strategy(100 * SMALL_STATE, False, affected) == "rewrite"


@pytest.mark.parametrize(
    ("versions", "age", "advances"),
    [(0, 2 * ADVANCE_AFTER_MILLISECONDS, False), (1, 0, False), (1, 2 * ADVANCE_AFTER_MILLISECONDS, True),
     (ADVANCE_AFTER_VERSIONS + 1, 0, True)],
)  # fmt: skip
def test_the_record_follows_now_and_then(versions, age, advances):
    assert should_advance({"t": Position(5, 0, "i")}, {"t": Position(5 + versions, age, "i")}) is advances
