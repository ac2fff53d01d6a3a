"""What commits did, by what DESCRIBE HISTORY says of them (texts taken from Delta 4.4)."""

from dataclasses import replace

import pytest

from dbt_lazyview.compiler.plan import Span
from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.column_changes import are_touched, is_repartitioned, partitions_at
from dbt_lazyview.maintenance.history import Commit, Effect, effect_of, feed_misses_change, is_harmless_to_state
from dbt_lazyview.maintenance.record import Position
from dbt_lazyview.maintenance.windows import CutPassed, Used, follow

OPTIMIZE = Commit(2, 20, "OPTIMIZE", {"predicate": "[]"}, {"numRemovedFiles": "2", "numAddedFiles": "1"})
APPEND = Commit(3, 30, "WRITE", {"mode": "Append"}, {"numOutputRows": "2", "numFiles": "1"})
EMPTY_APPEND = Commit(3, 30, "WRITE", {"mode": "Append"}, {"numOutputRows": "0"})
OVERWRITE = Commit(4, 40, "WRITE", {"mode": "Overwrite"}, {"numOutputRows": "1", "numRemovedFiles": "1"})
UPDATE = Commit(5, 50, "UPDATE", {}, {"numUpdatedRows": "1"})
FEED_OFF = Commit(6, 60, "SET TBLPROPERTIES", {"properties": '{"delta.enableChangeDataFeed":"false"}'})
FEED_ON = Commit(7, 70, "SET TBLPROPERTIES", {"properties": '{"delta.enableChangeDataFeed":"true"}'})
FEED_UNSET = Commit(6, 60, "UNSET TBLPROPERTIES", {"properties": '["delta.enableChangeDataFeed"]', "ifExists": "false"})
OTHER_UNSET = Commit(6, 60, "UNSET TBLPROPERTIES", {"properties": '["owner"]', "ifExists": "true"})
REPLACED = Commit(8, 80, "CREATE OR REPLACE TABLE AS SELECT", {"properties": "{}"}, {"numOutputRows": "1"})
NEW = Commit(9, 90, "SOMETHING NEW")


def merge(inserted: int, updated: int, deleted: int) -> Commit:
    counts = {"Inserted": inserted, "Updated": updated, "Deleted": deleted}
    return Commit(1, 10, "MERGE", {}, {f"numTargetRows{word}": str(count) for word, count in counts.items()})


@pytest.mark.parametrize(
    ("commits", "effect"),
    [
        ([], Effect(False, True, 0, 0)),
        ([OPTIMIZE, FEED_ON], Effect(False, True, 0, 0)),
        ([APPEND], Effect(True, True, 2, 2)),
        ([EMPTY_APPEND], Effect(False, True, 0, 0)),
        ([merge(2, 0, 0), OPTIMIZE], Effect(True, True, 2, 2)),
        ([merge(2, 1, 0)], Effect(True, False, 3, 3)),
        ([merge(0, 0, 0)], Effect(False, True, 0, 0)),
        ([APPEND, UPDATE], Effect(True, False, 3, 3)),
        ([APPEND, OVERWRITE], Effect(True, False, None, 4)),
        ([UPDATE, REPLACED], Effect(True, False, None, 3)),
        ([NEW], Effect(True, False, None, None)),
        ([Commit(1, 1, "MERGE")], Effect(True, False, None, None)),
    ],
)
def test_effect(commits, effect):
    assert effect_of(commits) == effect


@pytest.mark.parametrize(
    ("commit", "harmless"),
    [(OPTIMIZE, True), (FEED_OFF, True), (APPEND, False), (merge(0, 0, 0), True), (NEW, False),
     (Commit(1, 1, "RESTORE"), False), (Commit(1, 1, "ADD COLUMNS"), False), (Commit(1, 1, "VACUUM END"), True)],
)  # fmt: skip
def test_foreign_commits_on_a_state(commit, harmless):
    assert is_harmless_to_state(commit) is harmless


@pytest.mark.parametrize(
    ("commits", "was_on", "misses"),
    [([APPEND], True, False), ([APPEND], False, True), ([FEED_OFF, OPTIMIZE], True, False),
     ([FEED_OFF, APPEND], True, True), ([FEED_ON, APPEND], False, False), ([APPEND, FEED_ON], False, True),
     ([REPLACED], True, True), ([FEED_UNSET, APPEND], True, True), ([OTHER_UNSET, APPEND], True, False)],
)  # fmt: skip
def test_changes_without_a_feed(commits, was_on, misses):
    assert feed_misses_change(commits, was_on) is misses


def position(version: int, timestamp: int | None = None, **more) -> Position:
    return Position(version, version * 10 if timestamp is None else timestamp, "id", **more)


HISTORY = (UPDATE, OVERWRITE, APPEND, OPTIMIZE)  # newest first: versions 5 to 2


def test_follows_a_source():
    assert follow(position(2), position(2), (), "p").changed is False
    window = follow(position(2), position(3), HISTORY, "p")
    assert (window.after, window.upto, window.insert_only, window.rows, window.location) == (2, 3, True, 2, "p")
    assert follow(position(2), position(5), HISTORY, "p").insert_only is False


def test_tells_why_a_source_cannot_be_followed():
    assert follow(position(3, 31), position(5), HISTORY, "p") is Reason.SOURCE_RECREATED
    assert follow(position(9), position(5), HISTORY, "p") is Reason.SOURCE_RECREATED
    assert follow(position(0), position(5), HISTORY, "p") is Reason.HISTORY_GONE
    assert follow(position(2, feed=False), position(5), HISTORY, "p") is Reason.CHANGE_FEED_MISSING
    other_type = Used(("a",), schema="cccccc")
    recorded = position(2, schema="aaaaaabbbbbb")
    assert follow(recorded, position(5), HISTORY, "p", other_type) is Reason.SOURCE_SCHEMA_CHANGED


def test_a_silent_source_is_known_by_its_id_once_its_last_commit_is_dropped():
    later = HISTORY[:-1]
    assert follow(position(2), position(5), later, "p").upto == 5
    assert follow(position(2), replace(position(5), id="other"), later, "p") is Reason.HISTORY_GONE
    assert follow(position(1), position(5), later, "p") is Reason.HISTORY_GONE


RENAMED = Commit(4, 40, "RENAME COLUMN", {"oldColumnPath": "a", "newColumnPath": "b"})
DROPPED = Commit(4, 40, "DROP COLUMNS", {"columns": '["A"]'})
REPLACED_COLUMNS = Commit(4, 40, "REPLACE COLUMNS", {"columns": "[]"})
RESTORED = Commit(5, 50, "RESTORE", {"version": "3"})
FORMER_NAMES = Commit(5, 50, "RESTORE", {"version": None, "timestamp": "2026-01-01"})


@pytest.mark.parametrize(
    ("commits", "after", "column", "is_touched"),
    [((RENAMED,), 3, "a", True), ((RENAMED,), 3, "b", True), ((RENAMED,), 3, "c", False), ((RENAMED,), 4, "a", False),
     ((DROPPED,), 3, "a", True), ((DROPPED,), 3, "b", False), ((REPLACED_COLUMNS,), 3, "c", True),
     ((RESTORED, RENAMED), 4, "a", True), ((RESTORED, RENAMED), 4, "c", False), ((RESTORED, APPEND), 4, "a", False),
     ((FORMER_NAMES, APPEND), 4, "c", True)],
)  # fmt: skip
def test_columns_that_mean_something_else_now(commits, after, column, is_touched):
    """No row tells that; without permission to compare rows, the view is computed anew."""
    assert are_touched([column], commits, after) is is_touched
    recorded, now = position(after), position(5)
    if is_touched and after == 3:
        assert follow(recorded, now, (*commits, APPEND), "p", Used((column,))) is Reason.SOURCE_SCHEMA_CHANGED
        window = follow(recorded, now, (*commits, APPEND), "p", Used((column,), may_diff=True))
        assert (window.changed, window.by_diff, window.rows) == (True, True, None)


PLAIN = Commit(3, 30, "CREATE OR REPLACE TABLE AS SELECT", {"partitionBy": "[]"})
BY_A = Commit(4, 40, "CREATE OR REPLACE TABLE AS SELECT", {"partitionBy": '["a"]'})
BY_B = Commit(4, 40, "WRITE", {"mode": "Overwrite", "partitionBy": '["b"]'})


@pytest.mark.parametrize(
    ("before", "now", "commits", "is_other"),
    [("[]", "[]", [PLAIN, OVERWRITE], False), ('["a"]', '["a"]', [BY_A, OVERWRITE], False), ("[]", '["a"]', [], True),
     ("[]", "[]", [BY_A, PLAIN], True), ('["a"]', '["a"]', [BY_B], True), (None, "[]", [APPEND, OVERWRITE], False),
     (None, "[]", [PLAIN], True), (None, "[]", [RESTORED], True), ("[]", None, [APPEND], False)],
)  # fmt: skip
def test_other_partitions(before, now, commits, is_other):
    """Delta reads wrong rows from a feed across them, without an error."""
    assert is_repartitioned(before, now, commits) is is_other


def test_partitions_at_an_earlier_version():
    assert partitions_at(3, (OVERWRITE, APPEND), '["a"]') == '["a"]'
    assert partitions_at(3, (BY_A, PLAIN), '["a"]') == "[]"
    assert partitions_at(3, (BY_A, APPEND), '["a"]') is None


def test_a_feed_is_read_in_parts():
    off_and_on = (Commit(8, 80, "UPDATE"), FEED_ON, FEED_OFF, UPDATE, OVERWRITE)
    assert follow(position(4), position(8), off_and_on, "p").spans == (Span(5, 5), Span(8, 8))
    without = follow(position(6, feed=False), position(8), off_and_on, "p")
    assert without.spans == (Span(8, 8),)
    retyped = (UPDATE, Commit(4, 40, "CHANGE COLUMN"), APPEND, OPTIMIZE)
    assert follow(position(2), position(5), retyped, "p").spans == (Span(3, 3), Span(5, 5))
    assert follow(position(2), position(5), HISTORY, "p").spans == ()
    other_columns = follow(position(2, schema="aaaaaa"), position(5, schema="bbbbbb"), HISTORY, "p")
    assert other_columns.spans == (Span(3, 3), Span(4, 5))


def test_a_state_past_the_cut():
    with pytest.raises(CutPassed):
        follow(position(5), position(3), HISTORY, "p")
    assert follow(position(2), position(1), (OPTIMIZE, Commit(1, 10, "WRITE")), "p").changed is False
