"""View deltas in groups, read live, under contracts, and below other lazy views: what is shown is what is claimed."""

from collections import Counter
from typing import ClassVar

import pytest

from dbt_lazyview.maintenance.errors import RefreshError
from dbt_lazyview.maintenance.plan import Request
from dbt_lazyview.maintenance.refresh import refresh
from dbt_lazyview.maintenance.register import register
from dbt_lazyview.maintenance.view_delta.idle import apply_waiting
from dbt_lazyview.maintenance.view_delta.pinned import consistent
from tests.functional.maintenance.deferred_world import LATER, Deferred, until
from tests.functional.maintenance.lake import Killed, Lake, die
from tests.functional.maintenance.test_view_groups import Group

SALES = "select region, count(*) as orders, sum(amount) as revenue from sales group by region"
CHILD = "select count(*) as regions, sum(orders) as orders from sold"


class Separate(Group):
    """A group of two views of which none reads the other."""

    QUERIES: ClassVar = {
        "sold": "select region, count(*) as orders from sales group by region",
        "returned": "select region, count(*) as orders from returns group by region",
    }

    def target(self, name: str, sql: str = "", **configs):
        return super().target(name, sql or self.QUERIES[name], **configs)


def count_of(lake: Lake, name: str) -> int:
    return lake.run(f"select count(*) from {name}")[0][0]


class TestGroups:
    @pytest.fixture(scope="class")
    def group(self, spark):
        return Separate(Lake(spark, "group_with_deltas"), "sold", "returned", **LATER)

    def stored(self, group, name: str = "sold") -> int:
        return group.lake.run(f"select sum(lv_count) from {name}__state")[0][0]

    def test_they_propagate_and_show_one_cut(self, group):
        """A writer goes on between the two windows; the states stay as they were built."""
        seen = []

        def look():
            seen.append(group.shown())
            group.sell()

        group.sell()
        slow = group.lake.engine()
        slow.before["insert into"] = look
        outcome = group.refresh("returned", slow, trigger="demand")
        assert [outcome.strategy, *(each.strategy for each in outcome.companions)] == ["append", "append"]
        assert (seen, group.shown(), self.stored(group)) == ([1], 2, 1)
        group.refresh("sold", trigger="demand")
        assert (group.shown(), self.stored(group)) == (3, 1)

    @pytest.mark.parametrize("moment", ["insert into", "create or replace view"])
    @pytest.mark.long
    def test_killed_between_the_windows_and_in_the_switch(self, group, moment):
        before = group.shown()
        group.sell()
        dying = group.lake.engine()
        dying.after[moment] = die
        with pytest.raises(Killed):
            group.refresh("returned", dying)
        if moment == "insert into":
            assert group.shown() == before
        group.refresh("sold", trigger="demand")
        assert group.shown() == before + 1

    @pytest.mark.long
    def test_two_refreshers(self, group):
        before = group.shown()
        group.sell()
        slow = group.lake.engine()
        slow.before["create or replace view"] = lambda: (group.sell(), group.refresh("sold"))
        group.refresh("returned", slow)
        assert group.shown() == before + 2

    @pytest.mark.long
    def test_rolled_together_and_back(self, group):
        """As of one time, in one switch; what was propagated later stays, and is shown again for nothing."""
        before = group.shown()
        moment = Deferred(group.lake, {}).time_of("returns", group.lake.history("returns")[0]["version"])
        for _ in range(2):
            group.sell()
            group.refresh("sold")
        request = Request(trigger="run", until=until(moment))
        outcome = refresh(group.lake.engine(), group.target("sold"), request, members=group.members)
        assert (outcome.kind, group.shown()) == ("roll", before)
        engine = group.lake.engine()
        group.refresh("returned", engine)
        assert group.shown() == before + 2
        assert not [each for each in engine.ran if each.lower().startswith(("insert", "merge"))]

    @pytest.mark.long
    def test_brought_to_a_consistent_time(self, group):
        """Without computing anything: to the newest time that a view outside of the group can be read at, too."""
        before = group.shown()
        other = Deferred(group.lake, {"outside": "select count(*) as orders from sales"})
        other.build()  # and not refreshed since
        for _ in range(2):
            group.sell()
            group.refresh("sold")
        views = {name: ("spark_catalog", group.lake.schema, name) for name in (*group.names, "outside")}
        found = consistent(group.lake.engine(), views, {}, brings=True)
        assert found.valid.until is not None
        assert (group.shown(), group.lake.run("select orders from outside")) == (before, [(before,)])
        group.refresh("sold")
        assert group.shown() == before + 2

    @pytest.mark.long
    def test_applied_by_name(self, group):
        before = group.shown()
        group.sell()
        group.refresh("sold", trigger="operation")
        assert (group.shown(), self.stored(group)) == (before + 1, before + 1)

    @pytest.mark.long
    def test_one_reads_another(self, spark):
        """What is read is applied first, whoever is asked for; both show one cut."""
        group = Group(Lake(spark, "group_with_deltas_of_two"), "sold", "returned", **LATER)
        for trigger, name in (("run", "sold"), ("demand", "returned"), ("manager", "sold")):
            before = group.shown()
            group.sell()
            group.refresh(name, trigger=trigger)
            assert (group.shown(), self.stored(group)) == (before + 1, before + 1)
            assert self.stored(group, "returned") == 1


class TestLive:
    """State, windows that wait, and what is pending in the sources: any client sees the query, at every moment."""

    QUERIES: ClassVar = {
        "grouped": SALES.replace("group by", "where amount > 0 group by"),
        "extremes": "select region, min(amount) as least, max(id) as newest from sales group by region",
        "rows_kept": "select region, amount from sales where amount > 5",
        "total": "select count(*) as orders, sum(amount) as revenue from sales",  # its own query
    }

    @pytest.fixture(scope="class")
    def world(self, spark):
        lake = Lake(spark, "live_with_deltas")
        lake.run(
            "create table sales (id int, region string, amount decimal(10,2)) using delta",
            "insert into sales values (1, 'north', 10), (2, 'south', 20), (3, null, 5)",
        )
        world = Deferred(lake, self.QUERIES, read="live")
        world.build()
        return world

    def check(self, world) -> None:
        for name, sql in self.QUERIES.items():
            assert Counter(world.lake.run(f"select * from {name}")) == Counter(world.lake.run(sql)), name

    @pytest.mark.long
    def test_whatever_waits_and_is_pending(self, world):
        batches = [
            "insert into sales values (4, 'north', 7), (5, 'east', 50), (6, null, 1)",
            "update sales set amount = amount + 1 where region = 'north'",
            "delete from sales where region is null or id = 2",
            "update sales set region = 'west' where id = 5",
        ]
        for batch in batches:
            world.lake.run(batch)
            self.check(world)  # pending, beside what waits
            for name in self.QUERIES:
                assert world.refresh(name).strategy == "append"
            self.check(world)  # waiting
        assert "__delta" in world.lake.run("show create table grouped")[0][0]
        assert world.shown("total").waiting > 0
        world.lake.run("insert into sales values (7, 'east', 3)")
        for name in self.QUERIES:
            world.apply(name)
            assert world.shown(name).unapplied is None
        world.lake.run("delete from sales where id = 7")
        self.check(world)

    @pytest.mark.long
    def test_while_somebody_works_on_it(self, world):
        """Before and after the commits of a window and of applying it, and before the view is created again."""
        for act, moments in (
            (world.refresh, ("insert into", "create or replace view")),
            (world.apply, ("insert overwrite", "create or replace view")),
        ):
            world.lake.run("insert into sales values (8, 'north', 9)")
            slow = world.lake.engine()
            for moment in moments:
                slow.before[moment] = slow.after[moment] = lambda: (
                    self.check(world),
                    world.lake.run("insert into sales values (9, 'south', 1)"),
                    self.check(world),
                )
            act("grouped", slow)
            assert not slow.before
            self.check(world)

    def test_no_earlier_moment(self, world):
        """What is live shows now; a copy shows an earlier moment."""
        moment = world.time_of("sales", world.lake.history("sales")[0]["version"])
        world.lake.run("insert into sales values (10, 'north', 9)")
        world.refresh("grouped")
        with pytest.raises(RefreshError, match="is read live") as refused:
            world.roll("grouped", moment)
        assert "LV042" in str(refused.value)
        self.check(world)


class TestContracts:
    """What would break a constraint is refused before it is appended: told, and never shown."""

    CONTRACT: ClassVar = {"few": "orders < 5", "named": "region is not null"}

    @pytest.fixture
    def world(self, lake):
        lake.run(
            "create table sales (id int, region string, amount decimal(10,2)) using delta",
            "insert into sales values (1, 'north', 10), (2, 'south', 20)",
        )
        world = Deferred(lake, {"sold": SALES}, constraints=self.CONTRACT)
        world.build()
        return world

    def test_refused_and_mended(self, world):
        lake = world.lake
        lake.run("insert into sales values (3, 'north', 1), (4, 'east', 1)")
        assert world.refresh("sold").strategy == "append"
        lake.run("insert into sales values (5, 'north', 1), (6, 'north', 1), (7, 'north', 1)")  # 5 with one that waits
        for act in (world.refresh, world.apply):
            with pytest.raises(RefreshError, match="would break a constraint of its contract") as refused:
                act("sold")
            assert "few: 1 rows" in str(refused.value)
            assert world.wrong_rows("sold") == []
        assert len(world.windows("sold")) == 1
        lake.run("delete from sales where id = 7")
        world.refresh("sold")
        assert lake.differences("sold", SALES) == []
        lake.run("insert into sales values (8, null, 1)")
        with pytest.raises(RefreshError, match="named: 1 rows"):
            world.refresh("sold")
        lake.run("delete from sales where id = 8")
        assert world.apply("sold").kind in ("incremental", "apply")
        assert lake.differences("sold", SALES) == []

    @pytest.mark.long
    def test_a_new_constraint_holds_for_what_waits(self, world):
        lake = world.lake
        lake.run("insert into sales values (3, 'north', 100)")
        world.refresh("sold")
        stricter = Deferred(lake, {"sold": SALES}, constraints={**self.CONTRACT, "cheap": "revenue < 50"})
        with pytest.raises(RefreshError, match="would break a constraint"):
            stricter.refresh("sold")
        assert world.wrong_rows("sold") == []
        lake.run("update sales set amount = 1 where id = 3")
        stricter.refresh("sold")
        assert lake.differences("sold", SALES) == []

    @pytest.mark.long
    def test_a_moment_between_windows(self, world):
        """Rows that were never shown are looked at as well."""
        lake = world.lake
        lake.run("insert into sales values (3, 'north', 1)")
        world.refresh("sold")
        lake.run("insert into sales values (4, null, 1)")
        wrong = world.time_of("sales", lake.history("sales")[0]["version"])
        lake.run("delete from sales where id = 4")
        world.refresh("sold")
        with pytest.raises(RefreshError, match="would break a constraint"):
            world.roll("sold", wrong, trigger="run")
        assert lake.differences("sold", SALES) == []


class TestDependents:
    """Lazy views read stored rows: what waits below them is applied first, once for all of them, and no more."""

    @pytest.fixture
    def world(self, lake):
        lake.run(
            "create table sales (id int, region string, amount decimal(10,2)) using delta",
            "insert into sales values (1, 'north', 10), (2, 'south', 20)",
        )
        return Deferred(lake, {"sold": SALES}, is_parent=True)

    def sell(self, world, number: int) -> None:
        world.lake.run(f"insert into sales values ({number}, 'r{number}', 1)")

    @pytest.mark.long
    def test_many_windows_are_one_change(self, world):
        """Two children: the first applies what waited, the second finds it applied."""
        world.build()
        lake, other = world.lake, CHILD.replace("count(*)", "max(orders)")
        for name, sql in (("child", CHILD), ("other", other)):
            lake.refresh(name, sql)
        for number in (3, 4, 5):
            self.sell(world, number)
            world.refresh("sold")
        commits = len(lake.history("sold__state"))
        for name, sql in (("child", CHILD), ("other", other)):
            assert lake.refresh(name, sql).kind == "incremental"
            assert lake.differences(name, sql) == []
        kinds = [from_row["operation"] for from_row in lake.history("sold__state")][: -commits or None]
        assert kinds == ["MERGE"]

    @pytest.mark.parametrize("act", ["refresh", "apply"])
    @pytest.mark.long
    def test_somebody_goes_on_with_the_parent(self, world, act):
        """More is propagated, or applied, after the parent arrived and before its child reads it."""
        world.build()
        lake = world.lake
        lake.refresh("child", CHILD)
        self.sell(world, 3)
        world.refresh("sold")
        slow = lake.engine()
        slow.after["merge into"] = lambda: (self.sell(world, 4), getattr(world, act)("sold"))
        lake.refresh("child", CHILD, slow)
        assert not slow.after
        (_, record), *_ = lake.records("child")
        at = record.cut[f"`spark_catalog`.`{lake.schema}`.`sales`"].version
        told = lake.run(f"select count(distinct region), count(*) from sales version as of {at}")
        assert lake.run("select * from child") == told

    def test_a_snapshot_that_shows_an_earlier_moment(self, world):
        """Its child claims what it read, not what waits beside it."""
        world.configs["policy"] = "snapshot"
        world.build()
        lake = world.lake
        self.sell(world, 3)
        early = lake.history("sales")[0]["version"]
        world.refresh("sold")
        self.sell(world, 4)
        world.refresh("sold")
        world.roll("sold", world.time_of("sales", early), trigger="run")
        lake.refresh("child", CHILD)
        (_, record), *_ = lake.records("child")
        assert [at.version for table, at in record.cut.items() if "sales" in table] == [early]
        assert lake.run("select * from child") == [(3, 3)]
        assert lake.run("select sum(orders) from sold") == [(3,)]
        world.refresh("sold")
        assert lake.refresh("child", CHILD).kind == "incremental"
        assert lake.run("select * from child") == [(4, 4)]


class TestLeftAlone:
    """Whoever does not ask for another moment leaves it as it is."""

    @pytest.fixture
    def world(self, lake, sales):
        world = Deferred(lake, {"sold": sales}, policy="snapshot", compact_every=1)
        world.build()
        for number in (11, 12):
            lake.run(f"insert into sales values ({number}, 'north', 1)")
            world.refresh("sold")
        return world

    def claim(self, world) -> int:
        (at,) = world.shown("sold").record.cut.values()
        return at.version

    def test_in_idle_time_what_is_shown_is_applied_and_no_more(self, world):
        early = self.claim(world) - 1
        world.roll("sold", world.time_of("sales", early), trigger="run")
        outcome = apply_waiting(world.lake.engine(), world.target("sold"))
        assert (outcome.kind, outcome.chores) == ("apply", ("compacted",))
        assert (self.claim(world), world.wrong_rows("sold")) == (early, [])
        assert world.lake.records("sold")[0][1].trigger == "idle"
        assert apply_waiting(world.lake.engine(), world.target("sold")).kind == "noop"
        world.refresh("sold")
        assert (self.claim(world), world.wrong_rows("sold")) == (early + 1, [])

    @pytest.mark.long
    def test_a_view_that_is_only_registered(self, world, sales):
        early = self.claim(world) - 1
        world.roll("sold", world.time_of("sales", early), trigger="run")
        assert register(world.lake.engine(), world.target("sold"), Request()).kind == "registered"
        assert (self.claim(world), world.wrong_rows("sold")) == (early, [])
        world.lake.refresh("live", sales, read="live")
        world.lake.run("update sales set amount = amount + 1 where id = 1")
        live = world.lake.target("live", sales, read="live", comment="another")
        assert register(world.lake.engine(), live, Request()).kind == "registered"
        assert world.lake.differences("live", sales) == []
