"""`read: live`: any SQL client finds the query's result, without a refresh, whatever is pending."""

from collections import Counter
from math import prod

import pytest

from tests.functional.maintenance.lake import Killed, Lake, die

MERGED = {
    "by_region": """
        select
            c.region, count(*) as orders, sum(s.amount) as revenue, max(s.amount) as highest, count(distinct s.id) as n
        from sales as s join customers as c on c.customer = s.customer
        group by c.region having count(*) > 1
    """,
    "both": "select customer, amount from sales where amount > 5 union all select customer, 0 from customers",
}
COMPUTED = {
    "all_of_them": """
        select sum(s.amount) as revenue, count(*) as rows
        from customers as c left join sales as s on s.customer = c.customer
    """,
}
QUERIES = {**MERGED, **COMPUTED}


class TestLiveReads:
    @pytest.fixture(scope="class")
    def lake(self, spark):
        lake = Lake(spark, "live_reads")
        lake.run(
            "create table sales (id int, customer int, amount decimal(10,2)) using delta",
            "create table customers (customer int, region string) using delta",
            "insert into customers values (1, 'north'), (2, 'south'), (3, null)",
            "insert into sales values (1, 1, 10), (2, 1, 20), (3, 2, 5), (4, 3, 7), (5, 3, 7), (6, null, 1)",
        )
        for name, sql in QUERIES.items():
            lake.refresh(name, sql, read="live")
        return lake

    def wrong(self, lake, *names: str) -> list[str]:
        """Live views that do not show what their queries give now."""
        return [
            name
            for name in names or QUERIES
            if self.rows(lake, f"select * from {name}") != self.rows(lake, QUERIES[name])
        ]

    def rows(self, lake, sql: str) -> Counter:
        return Counter(lake.run(sql))

    def text(self, lake, name: str) -> str:
        return lake.run(f"show create table {name}")[0][0]

    @pytest.mark.long
    def test_which_views_merge_changes(self, lake):
        assert [name for name in QUERIES if "table_changes_by_path" in self.text(lake, name)] == list(MERGED)
        assert self.wrong(lake) == []  # nothing is pending

    def test_pending_changes_show(self, lake):
        """Rows that come, go, change, are changed twice, or change and change back; groups that begin and end."""
        lake.run(
            "insert into sales values (7, 2, 50), (8, 4, 60), (9, null, 2)",
            "update customers set region = 'west' where customer = 3",
            "update sales set amount = amount + 1 where id = 1",
            "update sales set amount = amount - 1 where id = 1",
            "delete from sales where id = 2",
            "insert into customers values (4, 'east')",
            "merge into sales as t using (select 7 as id) as d on t.id = d.id when matched then update set amount = 51",
        )
        assert self.wrong(lake) == []
        rows = [len(lake.run(f"select * from {each}")) for each in ("by_region", "sales", "customers")]
        for order in (
            "by_region cross join sales cross join customers",
            "customers cross join by_region cross join sales",
        ):
            assert lake.run(f"select count(*) from {order}") == [(prod(rows),)]  # beside its own sources, in any order
        lake.run("delete from customers")
        assert self.wrong(lake, "by_region", "both") == []

    @pytest.mark.in_process("stops between planning and reading, in this process")
    def test_a_writer_commits_while_the_view_is_planned(self, lake):
        """The versions of the tables are chosen; the change feed goes further, and takes back what it told before."""
        expected = self.rows(lake, QUERIES["both"])
        reader = lake.session.sql("select * from both")
        reader._jdf.queryExecution().optimizedPlan()
        lake.run("delete from sales where id in (7, 8)", "insert into customers values (5, 'west')")
        assert Counter(map(tuple, reader.collect())) == expected
        assert self.wrong(lake, "both") == []

    @pytest.mark.long
    def test_a_refresh_shortens_the_window_and_a_lazy_view_over_it_reads_what_is_stored(self, lake):
        lake.run("insert into customers values (1, 'north'), (2, 'south')")
        before = self.text(lake, "both")
        assert lake.refresh("both", QUERIES["both"], read="live").kind == "incremental"
        assert self.text(lake, "both") != before
        assert lake.refresh("both", QUERIES["both"], read="live").statements == 0
        child = "select customer, count(*) as rows from both group by customer"
        lake.refresh("child", child)
        lake.run("insert into sales values (10, 1, 500)")
        assert lake.run("select rows from child where customer = 1") != lake.run(
            "select count(*) from both where customer = 1"
        )
        lake.refresh("child", child)
        assert self.rows(lake, "select * from child") == self.rows(lake, child)

    def test_a_new_definition_and_a_crash(self, lake):
        """While the state is replaced, the view is its old query, and just as live."""
        changed = QUERIES["both"].replace("> 5", "> 6")
        dying = lake.engine()
        dying.after["create or replace table"] = die
        with pytest.raises(Killed):
            lake.refresh("both", changed, dying, read="live")
        lake.run("insert into sales values (11, 2, 7)")
        assert self.wrong(lake, "both") == []
        lake.refresh("both", changed, read="live")
        assert self.rows(lake, "select * from both") == self.rows(lake, changed)

    def test_a_source_that_was_silent_for_long(self, lake):
        """Its changes could not be read from the last version on once there is a new one: the query is safe."""
        lake.run(
            "create table rarely (k int) using delta "
            "tblproperties (delta.deletedFileRetentionDuration = 'interval 0 hours')",
            "insert into rarely values (1)",
        )
        lake.refresh("seldom", "select k from rarely where k > 0", read="live")
        lake.run("insert into rarely values (2)")
        assert lake.run("select k from seldom order by k") == [(1,), (2,)]
