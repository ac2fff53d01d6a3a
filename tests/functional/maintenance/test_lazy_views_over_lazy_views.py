"""A lazy view over a lazy view: one cut for all, whatever was refreshed when."""

import pytest

from tests.functional.maintenance.lake import Lake

PARENT = "select region, count(*) as orders, sum(amount) as revenue from sales group by region"
# Reads the parent, and the parent's source directly.
CHILD = "select s.id, s.amount, p.revenue, p.orders from sales s join parent p on s.region = p.region"
PLAIN_CHILD = f"select s.id, s.amount, p.revenue, p.orders from sales s join ({PARENT}) p on s.region = p.region"


@pytest.fixture
def family(lake: Lake, sales):
    lake.refresh("parent", PARENT, is_parent=True)
    lake.refresh("child", CHILD)
    return lake


def test_the_parent_is_brought_to_the_childs_cut(family):
    family.run("insert into sales values (4, 'north', 1)", "delete from sales where id = 2")
    outcome = family.refresh("child", CHILD)
    assert [outcome.kind, *(parent.kind for parent in outcome.parents)] == ["incremental", "incremental"]
    assert family.differences("child", PLAIN_CHILD) == []
    assert family.refresh("child", CHILD).kind == "noop"


def test_the_parent_was_refreshed_before(family):
    family.run("insert into sales values (4, 'north', 1)")
    family.refresh("parent", PARENT, is_parent=True)
    family.run("update sales set amount = 11 where id = 1")
    assert family.refresh("child", CHILD).kind == "incremental"
    assert family.differences("child", PLAIN_CHILD) == []


def test_the_parent_runs_ahead_of_the_cut(family):
    """Somebody refreshes the parent after the child chose its cut: it chooses another."""
    family.run("insert into sales values (4, 'north', 1)")
    slow = family.engine()
    state = f"describe history `spark_catalog`.`{family.schema}`.`parent__state`"

    def run_ahead():
        family.run("insert into sales values (5, 'north', 1)")
        family.refresh("parent", PARENT, is_parent=True)

    slow.before[state] = run_ahead
    assert family.refresh("child", CHILD, slow).kind == "incremental"
    assert family.differences("child", PLAIN_CHILD) == []


def test_a_full_refresh_of_the_parent_keeps_the_child_incremental(family):
    family.run("insert into sales values (4, 'north', 1)")
    family.refresh("parent", PARENT, is_parent=True, full=True)
    assert family.refresh("child", CHILD).kind == "incremental"
    assert family.differences("child", PLAIN_CHILD) == []


@pytest.mark.long
def test_optimizing_anything_is_nothing_new(family):
    family.run("insert into sales values (4, 'north', 1)")
    family.refresh("child", CHILD)
    family.run("optimize sales", "optimize parent__state", "optimize child__state")
    assert family.refresh("child", CHILD).kind == "noop"


def test_another_definition_of_the_parent(family):
    other = "select region, count(*) as orders, sum(amount * 2) as revenue from sales group by region"
    family.refresh("parent", other, is_parent=True)
    family.refresh("child", CHILD)
    assert family.differences("child", PLAIN_CHILD.replace("sum(amount)", "sum(amount * 2)")) == []
