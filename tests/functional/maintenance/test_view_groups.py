"""The views of a group show one cut, whatever happens at whatever moment."""

from dataclasses import replace

import pytest

from dbt_lazyview.maintenance.comparison import comparison
from dbt_lazyview.maintenance.errors import RefreshError
from dbt_lazyview.maintenance.plan import Request
from dbt_lazyview.maintenance.refresh import refresh
from dbt_lazyview.maintenance.status import status_of
from dbt_lazyview.maintenance.stored import stored_target
from dbt_lazyview.maintenance.tables import Tables
from tests.functional.maintenance.lake import Killed, Lake, RawEngine, die

QUERIES = {
    "sold": "select region, count(*) as orders from sales group by region",
    "returned": """
        select r.region, count(*) as orders
        from returns as r join (select region as known from sold) as s on s.known = r.region
        group by r.region
    """,
}
CHANGED = "select region, count(*) + 0 as orders, max(id) as newest from sales group by region"


class Group:
    """A group over two tables that get equally many rows: its views are at one cut if they count the same."""

    def __init__(self, lake: Lake, *names: str, **configs: str) -> None:
        self.lake, self.names, self.configs, self.built = lake, names, {"view_group": "g", **configs}, []
        for name in ("sales", "returns"):
            lake.run(f"create table {name} (id int, region string) using delta")
        self.sell()
        for name in names:
            self.refresh(name)
            self.built.append(name)

    def members(self, _group: str) -> list:
        return [stored_target(self.lake.engine(), self.target(name).name) for name in self.built]

    def target(self, name: str, sql: str = "", **configs: str):
        is_parent = name == "sold"
        return self.lake.target(name, sql or QUERIES[name], is_parent=is_parent, **{**self.configs, **configs})

    def refresh(self, name: str, engine: RawEngine | None = None, trigger: str = "run", sql: str = "", **configs: str):
        target = self.target(name, sql, **configs)
        return refresh(engine or self.lake.engine(), target, Request(trigger=trigger), members=self.members)

    def sell(self) -> None:
        self.lake.run("insert into sales values (9, 'north')", "insert into returns values (9, 'north')")

    def shown(self) -> int:
        """What all its views count."""
        sums = [f"(select sum(orders) from {name})" for name in self.names]
        (counted,) = set(self.lake.run(f"select {', '.join(sums)}")[0])
        return counted

    def is_pending(self, name: str) -> bool:
        return status_of(Tables(self.lake.engine(), "UTC"), self.target(name).name).task.is_pending


class TestViewsThatFollow:
    @pytest.fixture(scope="class")
    def group(self, spark):
        return Group(Lake(spark, "group_that_follows"), "sold", "returned")

    def test_one_of_them_brings_all_at_one_instant(self, group):
        """Between the commits of the states, while a writer goes on, the group is looked at from outside."""
        seen = []

        def look():
            seen.append(group.shown())
            group.sell()

        slow = group.lake.engine()
        slow.before["fold"] = look
        slow.before["insert overwrite"] = look
        group.sell()
        outcome = group.refresh("returned", slow, trigger="demand")
        assert [outcome.kind, *(each.kind for each in outcome.companions)] == ["incremental", "incremental"]
        assert seen == [1, 1]
        assert group.shown() == 2  # the cut was chosen once, before the writer went on
        group.refresh("sold")
        assert group.shown() == 4
        told = comparison(group.lake.engine(), group.target("returned"))
        assert group.lake.run(f"select * from ({told.view}) except all ({told.query})") == []

    @pytest.mark.parametrize("moment", ["between the commits", "in the middle of the switch"])
    def test_killed(self, group, moment):
        before = group.shown()
        group.sell()
        dying = group.lake.engine()
        dying.after["fold" if moment == "between the commits" else "create or replace view"] = die
        with pytest.raises(Killed):
            group.refresh("returned", dying)
        if moment == "between the commits":
            assert group.shown() == before
            assert group.is_pending("returned")
        group.refresh("sold", trigger="demand")  # nothing else is pending
        assert group.shown() == before + 1
        assert not group.is_pending("returned")

    def test_one_that_fails_holds_all(self, group):
        """Its source loses its change data feed, and it may only be maintained incrementally."""
        group.refresh("returned", refresh_mode="incremental")
        before = group.shown()
        group.lake.run("alter table returns unset tblproperties (delta.enableChangeDataFeed)")
        group.sell()
        with pytest.raises(RefreshError, match="view group g stays where it is") as failed:
            group.refresh("sold")
        assert "`returned` needs a full refresh" in str(failed.value)
        assert group.shown() == before
        group.lake.run("alter table returns set tblproperties (delta.enableChangeDataFeed = true)")
        group.refresh("returned", refresh_mode="auto")
        assert group.shown() == before + 1

    @pytest.mark.long
    def test_two_refreshers(self, group):
        before = group.shown()
        group.sell()
        slow = group.lake.engine()
        slow.before["insert overwrite"] = lambda: group.refresh("sold")
        group.refresh("returned", slow)
        assert group.shown() == before + 1
        group.sell()
        slow.before["create or replace view"] = lambda: (group.sell(), group.refresh("sold"))
        group.refresh("returned", slow)
        assert group.shown() == before + 3

    def test_a_view_over_a_member_brings_its_group(self, group):
        before = group.shown()
        group.sell()
        child = group.lake.target("child", "select region, orders * 10 as tenfold from sold")
        refresh(group.lake.engine(), child, members=group.members)
        assert group.lake.run("select sum(tenfold) from child") == [(10 * (before + 1),)]
        assert group.shown() == before + 1

    def test_a_new_definition_and_a_view_that_leaves(self, group):
        """Others of the group read the changed view: they are compiled against the new one."""
        before = group.shown()
        group.sell()
        assert group.refresh("sold", sql=CHANGED).line.startswith("full (definition_changed)")
        assert group.shown() == before + 1
        assert group.lake.run("select max(newest) from sold") == [(9,)]
        alone = replace(group.target("sold", CHANGED).definition, view_group=None)
        refresh(group.lake.engine(), replace(group.target("sold"), definition=alone))
        assert "VERSION AS OF" not in group.lake.run("show create table sold")[0][0].upper()


class TestSnapshots:
    @pytest.fixture(scope="class")
    def group(self, spark):
        return Group(Lake(spark, "group_of_snapshots"), "sold", "returned", policy="snapshot")

    @pytest.mark.long
    def test_they_move_by_name_and_their_readers_find_what_they_show(self, group):
        group.sell()
        assert group.refresh("sold", trigger="demand").kind == "noop"
        dying = group.lake.engine()
        dying.before["create or replace view"] = die
        with pytest.raises(Killed):
            group.refresh("returned", dying)
        assert group.shown() == 1
        reader = group.lake.target("reader", "select sum(orders) as orders from sold", policy="snapshot")
        refresh(group.lake.engine(), reader, members=group.members)  # reads what is shown, not what is stored
        assert group.lake.run("select orders from reader") == [(1,)]
        group.refresh("sold")
        assert group.shown() == 2
        refresh(group.lake.engine(), reader, members=group.members)
        assert group.lake.run("select orders from reader") == [(2,)]
