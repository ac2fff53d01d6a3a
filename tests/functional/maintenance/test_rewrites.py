"""Changes folded into the files that they are about, and what the change feed of the state tells of it afterwards."""

import pytest

from dbt_lazyview.maintenance import decide
from dbt_lazyview.maintenance.explain import explain
from tests.functional.maintenance.lake import Killed, die

ROWS = "select id, region, amount from sales where amount > 0"
OF_ONE_ROW = "select count(*) as orders, sum(amount) as revenue, max(region) as last from sales"
OF_NESTED_ROWS = "select k, s, l, d, t, n, b from items"
OF_NESTED_GROUPS = (
    "select s.a as a, max(struct(k, s)) as latest, sort_array(collect_list(k)) as ks, avg(k) as mean, "
    "sum(cast(k as decimal(12,2))) as total, max(t) as t, min(n) as n, max(b) as b from items group by s.a"
)
pytestmark = pytest.mark.in_process("statements over Thrift have no files to choose")


def _told(lake, name, version):
    """How the change feed says that rows of a state changed in a version."""
    changes = f"table_changes('{lake.schema}.{name}__state', {version}, {version})"
    return sorted(row[0] for row in lake.run(f"select _change_type from {changes}"))


class TestParents:
    """Others read the change feed of the state: it shows what changed, not all rows twice."""

    def test_small_states_are_rewritten(self, lake, sales):
        lake.refresh("v", sales, is_parent=True)
        lake.run(
            "insert into sales values (4, 'north', 1), (5, 'west', 2)",
            "delete from sales where id = 2",
        )
        outcome = lake.refresh("v", sales, is_parent=True)
        assert (outcome.strategy, outcome.rows_changed, outcome.statements) == ("rewrite", 3, 1)
        assert lake.differences("v", sales) == []
        newest = lake.history("v__state")[0]
        told = {name: newest["operationMetrics"][f"numTargetRows{name}"] for name in ("Inserted", "Updated", "Deleted")}
        assert (newest["operation"], told) == ("MERGE", {"Inserted": "1", "Updated": "1", "Deleted": "1"})
        expected = ["delete", "insert", "update_postimage", "update_preimage"]
        assert _told(lake, "v", newest["version"]) == expected

    def test_children_follow_what_changed(self, lake, sales):
        child = "select count(*) as regions, max(revenue) as most from parent"
        lake.refresh("parent", sales, is_parent=True)
        lake.refresh("child", child)
        lake.run("insert into sales values (4, 'north', 1)")
        lake.refresh("parent", sales, is_parent=True)
        outcome = lake.refresh("child", child)
        assert (outcome.kind, outcome.changes) == ("incremental", 1)
        assert lake.differences("child", child.replace("parent", f"({sales})")) == []

    def test_a_change_that_comes_to_nothing(self, lake, sales):
        child = "select max(revenue) as most, min(region) as first from parent"
        lake.refresh("parent", sales, is_parent=True)
        lake.refresh("child", child)
        lake.run("update sales set amount = amount + 1", "update sales set amount = amount - 1")
        assert lake.refresh("parent", sales, is_parent=True).kind in ("incremental", "noop")
        assert _told(lake, "parent", lake.history("parent__state")[0]["version"]) == []
        lake.refresh("child", child)
        assert lake.differences("child", child.replace("parent", f"({sales})")) == []

    def test_children_follow_what_was_added(self, lake, sales):
        child = "select region, count(*) as orders from parent group by region"
        lake.refresh("parent", ROWS, is_parent=True)
        lake.refresh("child", child)
        lake.run("insert into sales values (11, 'north', 1), (12, 'west', 1)")
        assert lake.refresh("parent", ROWS, is_parent=True).strategy == "append"
        outcome = lake.refresh("child", child)
        assert (outcome.kind, outcome.changes) == ("incremental", 2)
        assert lake.differences("child", child.replace("parent", f"({ROWS})")) == []

    @pytest.mark.parametrize("sql", [OF_NESTED_ROWS, OF_NESTED_GROUPS])
    def test_values_of_many_types(self, lake, sql):
        lake.run(
            "create table items (k int, s struct<a: int, b: string>, l array<struct<x: decimal(38,4)>>, d double, "
            "t timestamp, n timestamp_ntz, b binary) using delta",
            "insert into items values (1, null, null, -0.0, null, null, null), "
            "(2, named_struct('a', 1, 'b', null), array(named_struct('x', 0.5), null), double('NaN'), "
            "timestamp'2024-10-27 02:30:00', timestamp_ntz'1850-01-01 00:00:00', X'00FF')",
        )
        lake.refresh("v", sql, is_parent=True)
        for change in (
            "insert into items select k + 1, s, l, d, t, n, b from items",
            "update items set s = named_struct('a', null, 'b', 'x'), d = 1.5, l = array() where k = 2",
            "delete from items where k = 1",
        ):
            lake.run(change)
            outcome = lake.refresh("v", sql, is_parent=True)
            assert (outcome.kind, outcome.strategy) == ("incremental", "rewrite"), change
            assert lake.differences("v", sql) == [], change

    def test_a_view_of_one_row(self, lake, sales):
        lake.refresh("v", OF_ONE_ROW, is_parent=True)
        for change in ("delete from sales", "insert into sales values (1, 'x', 3)", "update sales set amount = 4"):
            lake.run(change)
            assert lake.refresh("v", OF_ONE_ROW, is_parent=True).strategy == "rewrite"
            assert lake.differences("v", OF_ONE_ROW) == []
            expected = ["update_postimage", "update_preimage"]
            assert _told(lake, "v", lake.history("v__state")[0]["version"]) == expected

    def test_a_state_without_a_feed_is_merged_into(self, lake, sales):
        lake.refresh("v", sales, is_parent=True)
        lake.run(
            "alter table v__state set tblproperties ('delta.enableChangeDataFeed' = 'false')",
            "insert into sales values (4, 'north', 1)",
        )
        assert lake.refresh("v", sales, is_parent=True).strategy == "merge"
        assert lake.differences("v", sales) == []


@pytest.fixture
def held(lake, sales, monkeypatch):
    """A view of rows whose state is no small one: two files, one for the rows that came later."""
    monkeypatch.setattr(decide, "SMALL_STATE", 0)
    lake.refresh("v", ROWS)
    lake.run("insert into sales values (10, 'north', 1), (12, null, 2)")
    assert lake.refresh("v", ROWS).strategy == "append"
    return lake


def _files(lake):
    return set(lake.session.table("v__state").inputFiles())


def _kept(lake, change):
    """Strategy of the refresh after a change, and how many files of the state stay; the view equals its query then."""
    lake.run(change)
    before = _files(lake)
    strategy = lake.refresh("v", ROWS).strategy
    assert lake.differences("v", ROWS) == []
    return strategy, len(before & _files(lake))


class TestFiles:
    """Of a state that is no small one, only files that may have keys of the change are written anew."""

    def test_new_keys_are_added(self, held):
        newest = held.history("v__state")[0]
        assert (newest["operation"], newest["operationParameters"]["mode"]) == ("WRITE", "Append")
        assert _told(held, "v", newest["version"]) == ["insert", "insert"]
        assert len(_files(held)) == 2

    def test_files_without_the_keys_stay(self, held):
        assert _kept(held, "update sales set amount = amount + 1 where id = 10") == ("rewrite", 1)
        assert _kept(held, "delete from sales where id = 12") == ("rewrite", 1)
        assert _kept(held, "delete from sales where id >= 10") == ("rewrite", 1)
        assert _kept(held, "insert into sales values (7, 'east', 1)") == ("append", 1)
        assert _kept(held, "delete from sales") == ("rewrite", 0)
        assert _kept(held, "insert into sales values (1, 'east', 1)")[0] == "append"

    def test_equal_rows_and_keys_that_are_null(self, held):
        assert _kept(held, "insert into sales values (null, 'north', 1), (null, 'north', 1)") == ("rewrite", 0)
        assert _kept(held, "insert into sales values (null, 'north', 1), (30, 'x', 1)") == ("rewrite", 0)
        assert _kept(held, "delete from sales where id is null and region = 'north'") == ("rewrite", 0)

    def test_files_with_marked_rows_are_merged_into(self, held):
        held.run("alter table v__state set tblproperties ('delta.enableDeletionVectors' = 'true')")
        held.refresh("v", ROWS)
        held.run("delete from sales where id = 1")
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(decide, "REWRITTEN", 0)
            assert held.refresh("v", ROWS).strategy == "merge"
        assert held.run("select count(*) from v__state") == [(4,)]
        assert int(held.history("v__state")[0]["operationMetrics"]["numTargetDeletionVectorsAdded"]) == 1
        assert _kept(held, "delete from sales where id = 2")[0] == "merge"
        assert _kept(held, "delete from sales where id = 10") == ("rewrite", 1)

    def test_explain_tells_what_becomes_of_the_rows(self, held):
        held.run("update sales set amount = 9 where id = 10")
        told = explain(held.engine(), held.target("v", ROWS))
        assert "Written instead of 1 of 2 files of the state" in told
        held.run("delete from sales where id = 10", "insert into sales values (20, 'x', 1)")
        assert held.refresh("v", ROWS).kind == "incremental"
        held.run("insert into sales values (40, 'x', 1)")
        assert "Added to the state" in explain(held.engine(), held.target("v", ROWS))


class TestRaces:
    def test_two_refreshers_apply_a_change_once(self, held):
        for change in ("update sales set amount = 7 where id = 10", "insert into sales values (50, 'x', 1)"):
            held.run(change)
            slow = held.engine()
            slow.before["fold"] = lambda: held.refresh("v", ROWS)
            assert held.refresh("v", ROWS, slow).kind == "noop"
            assert held.differences("v", ROWS) == []

    def test_somebody_changes_the_state_meanwhile(self, held):
        held.run("update sales set amount = 7 where id = 10")
        slow = held.engine()
        slow.before["fold"] = lambda: held.run("delete from v__state where amount_2 = 5")
        assert held.refresh("v", ROWS, slow).reason == "state_changed"
        assert held.differences("v", ROWS) == []

    @pytest.mark.parametrize("moment", ["before", "after"])
    def test_killed_around_the_commit(self, held, moment):
        held.run("update sales set amount = 7 where id = 10")
        dying = held.engine()
        getattr(dying, moment)["fold"] = die
        with pytest.raises(Killed):
            held.refresh("v", ROWS, dying)
        assert held.refresh("v", ROWS).kind == ("incremental" if moment == "before" else "noop")
        assert held.differences("v", ROWS) == []
