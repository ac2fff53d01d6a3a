"""Records and definitions survive the way through Delta's log, and later releases."""

import json
from dataclasses import replace

import pytest

from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.definition import CHUNK, Definition, from_properties, read_definition, to_properties
from dbt_lazyview.maintenance.history import Commit
from dbt_lazyview.maintenance.record import Position, Record, Settings, UnreadableRecord, from_json, to_json
from dbt_lazyview.maintenance.state import State, judge
from dbt_lazyview.names import PROPERTY_FORMAT

POSITION = Position(7, 1794807211000, "id", True, "abc")
RECORD = Record(
    5, "token", "incremental", 3, {"`x`.`t`": POSITION}, {"`x`.`t`": POSITION}, Settings("UTC", "false"), "f"
)


def test_a_record_comes_back():
    assert from_json(to_json(RECORD)) == RECORD


def test_a_record_can_be_set_as_it_is():
    odd = replace(RECORD, cut={"`a;b ${x} \n 'q' ü`": POSITION})
    text = to_json(odd)
    assert not set(text) & set(";$\n")
    assert from_json(text) == odd


@pytest.mark.parametrize("text", [None, "", "not json", "[1]", '{"other": 1}', '"text"'])
def test_metadata_of_others_is_no_record(text):
    assert from_json(text) is None


def test_fields_of_later_releases_are_left_out():
    content = json.loads(to_json(RECORD))
    content["lazyview"]["new"] = 1
    content["lazyview"]["settings"]["new"] = 1
    assert from_json(json.dumps(content)) == RECORD


def test_a_newer_format_is_told():
    content = json.loads(to_json(RECORD))
    content["lazyview"]["format"] = 99
    with pytest.raises(UnreadableRecord) as unreadable:
        from_json(json.dumps(content))
    assert unreadable.value.task == 5
    assert read_definition({**to_properties(Definition("select 1"), "f"), PROPERTY_FORMAT: "99"}) is None


def test_a_long_definition_is_chunked():
    sql = "".join(chr(33 + number * 7919 % 9000) for number in range(20_000))
    properties = to_properties(Definition(sql, "full", True, "comment", {"a": "b"}), "f")
    assert max(map(len, properties.values())) <= CHUNK
    assert from_properties(properties) == Definition(sql, "full", True, "comment", {"a": "b"})


def commits(*operations: str, record: Record, at: int) -> tuple[Commit, ...]:
    """A history, newest first, with our record at one version."""
    made = [
        Commit(version, version, operation, metadata=to_json(record) if version == at else None)
        for version, operation in enumerate(operations)
    ]
    return tuple(reversed(made))


@pytest.mark.parametrize(
    ("operations", "at", "onto", "kind", "distrust"),
    [
        (("WRITE",), 0, -1, "build", None),
        (("WRITE", "OPTIMIZE", "VACUUM END"), 0, -1, "build", None),
        (("WRITE", "DELETE"), 0, -1, "build", Reason.STATE_CHANGED),
        (("WRITE", "RESTORE"), 0, -1, "build", Reason.STATE_CHANGED),
        (("WRITE", "OPTIMIZE", "MERGE"), 2, 0, "incremental", None),
        (("WRITE", "DELETE", "MERGE"), 2, 0, "incremental", Reason.STATE_CHANGED),
        (("WRITE", "DELETE", "MERGE"), 2, 0, "noop", Reason.STATE_CHANGED),
        (("WRITE", "DELETE", "WRITE"), 2, 0, "full", None),
        (("WRITE", "DELETE"), 9, 0, "full", Reason.RECORD_MISSING),
    ],
)
def test_judges_a_state_by_its_history(operations, at, onto, kind, distrust):
    record = replace(RECORD, onto=onto, kind=kind)
    assert judge(State(("x", "v__state")), commits(*operations, record=record, at=at)).distrust is distrust


def test_task_numbers_follow_exactly():
    assert State(("v",), last_task=41).next_task == 42
    assert State(("v",)).next_task > 1_700_000_000_000
