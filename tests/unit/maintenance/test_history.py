"""What commits did, by what DESCRIBE HISTORY says of them (texts taken from Delta 4.4)."""

import pytest

from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.history import Commit, Effect, effect_of, feed_misses_change, is_harmless_to_state
from dbt_lazyview.maintenance.record import Position
from dbt_lazyview.maintenance.windows import CutPassed, follow

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
        ([], Effect(False, True, 0)),
        ([OPTIMIZE, FEED_ON], Effect(False, True, 0)),
        ([APPEND], Effect(True, True, 2)),
        ([EMPTY_APPEND], Effect(False, True, 0)),
        ([merge(2, 0, 0), OPTIMIZE], Effect(True, True, 2)),
        ([merge(2, 1, 0)], Effect(True, False, 3)),
        ([merge(0, 0, 0)], Effect(False, True, 0)),
        ([APPEND, UPDATE], Effect(True, False, 3)),
        ([APPEND, OVERWRITE], Effect(True, False, None)),
        ([NEW], Effect(True, False, None)),
        ([Commit(1, 1, "MERGE")], Effect(True, False, None)),
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
    assert follow(position(1), position(5), HISTORY, "p") is Reason.HISTORY_GONE
    assert follow(position(2, feed=False), position(5), HISTORY, "p") is Reason.CHANGE_FEED_MISSING
    assert follow(position(2, schema="aabb"), position(5, schema="aa"), HISTORY, "p") is Reason.SOURCE_SCHEMA_CHANGED


def test_a_state_past_the_cut():
    with pytest.raises(CutPassed):
        follow(position(5), position(3), HISTORY, "p")
    assert follow(position(2), position(1), (OPTIMIZE, Commit(1, 10, "WRITE")), "p").changed is False
