"""States that got large: few changes are broadcast to them, and rows that go are marked instead of written around."""

import pytest

from dbt_lazyview.maintenance import decide, large_states, planning

ROWS = "select region, amount from sales"
NUMBERED = "select region, id, amount from sales"
TOTALS = "select region, sum(amount) as total, count(*) as n from sales group by region"
OF_ROWS = "select region, max(amount) as most, count(*) as n from held group by region"
OF_ROWS_EXPANDED = OF_ROWS.replace("held", f"({ROWS})")


@pytest.fixture
def held(lake, sales, merges, monkeypatch):
    """A view of rows, some of them equal, whose state counts as large, and a view over it."""
    monkeypatch.setattr(decide, "SMALL_STATE", 0)
    monkeypatch.setattr(planning, "LARGE_STATE", 0)
    lake.run("insert into sales select id + 10, 'north', 10 from range(50)", "optimize sales")
    lake.refresh("held", ROWS, is_parent=True)
    lake.refresh("of_rows", OF_ROWS)
    return lake


def _merge(lake, name, sql, **configs):
    """The statement that a refresh ran; the view equals its query then, and so does the one over it."""
    engine = lake.engine()
    outcome = lake.refresh(name, sql, engine, **configs)
    assert (outcome.kind, outcome.strategy) == ("incremental", "merge")
    assert lake.differences(name, sql) == []
    assert lake.session.sql("show views like 'lv_staged_*'").collect() == []
    return next(each for each in engine.ran if each.startswith("merge"))


CHANGES = [
    "delete from sales where id = 1",  # one of many equal rows
    "update sales set amount = amount + 1 where id in (2, 11, 12)",
    "insert into sales values (4, 'north', 10), (5, null, null), (6, 'west', 7)",
    "delete from sales where region = 'north' and amount = 10",
    "delete from sales",
]


def test_few_changes_are_broadcast_and_deletions_marked(held):
    for change in CHANGES:
        held.run(change)
        assert "/*+ broadcast(" in _merge(held, "held", ROWS, is_parent=True)
        assert held.refresh("of_rows", OF_ROWS).kind == "incremental"
        assert held.differences("of_rows", OF_ROWS_EXPANDED) == []
    enabled = [row for row in held.history("held__state") if "enableDeletionVectors" in str(row["operationParameters"])]
    assert len(enabled) == 1, "once"
    marked = [row["operationMetrics"].get("numTargetDeletionVectorsAdded") for row in held.history("held__state")]
    assert any(int(each or 0) > 0 for each in marked)


@pytest.mark.parametrize(("most", "is_narrowed"), [(100, True), (0, False)])
def test_few_values_of_a_key_say_which_rows_may_be_meant(held, monkeypatch, most, is_narrowed):
    monkeypatch.setattr(large_states, "MOST_VALUES", most)
    held.refresh("numbered", NUMBERED, is_parent=True)
    for change in CHANGES:
        held.run(change)
        merge = _merge(held, "numbered", NUMBERED, is_parent=True)
        assert ("` in (" in merge) is is_narrowed


def test_keys_without_a_value_are_found(held):
    held.run("insert into sales values (null, 'north', 1), (null, 'north', 1), (7, 'north', 1)")
    held.refresh("numbered", NUMBERED, is_parent=True)
    held.run("delete from sales where id is null or id = 7", "insert into sales values (8, 'west', 2)")
    assert "` in (7L, 8L) or t." in _merge(held, "numbered", NUMBERED, is_parent=True)
    held.run("insert into sales values (null, 'north', 1)")
    assert "` in (" not in _merge(held, "numbered", NUMBERED, is_parent=True), "it has no value at all"
    held.run("update sales set amount = 5 where id is null or id = 8")
    assert "` in (8L) or t." in _merge(held, "numbered", NUMBERED, is_parent=True)


def test_many_changes_are_not(held, monkeypatch):
    monkeypatch.setattr(large_states, "BROADCAST_ROWS", 1)
    held.run("update sales set amount = amount + 1 where id in (2, 11)")
    assert "broadcast" not in _merge(held, "held", ROWS, is_parent=True)


def test_groups(held):
    held.refresh("totals", TOTALS, is_parent=True)
    for change in CHANGES:
        held.run(change)
        _merge(held, "totals", TOTALS, is_parent=True)


def test_a_state_with_marked_rows_is_looked_after(held, monkeypatch):
    held.run(CHANGES[1])
    _merge(held, "held", ROWS, is_parent=True)
    held.run("optimize held__state", CHANGES[3])
    _merge(held, "held", ROWS, is_parent=True)
    assert held.refresh("held", ROWS, is_parent=True, full=True).kind == "full"
    held.run("insert into sales values (7, 'north', 10)")
    _merge(held, "held", ROWS, is_parent=True)
    held.run("delete from sales where id = 7", CHANGES[2])
    monkeypatch.setattr(decide, "SMALL_STATE", 2**40)
    assert held.refresh("held", ROWS).strategy == "overwrite"
    assert held.differences("held", ROWS) == []
    assert held.refresh("of_rows", OF_ROWS).kind == "incremental"
    assert held.differences("of_rows", OF_ROWS_EXPANDED) == []
