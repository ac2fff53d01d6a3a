"""What is read from the files that commits left behind is what Delta's own change feed shows."""

import pytest

from dbt_lazyview.adapter.contents import contents
from dbt_lazyview.adapter.feeds import VIEW, feeds_replaced
from dbt_lazyview.adapter.logs import Logs, active
from dbt_lazyview.adapter.transaction import Transaction
from tests.functional.bags import bag

pytestmark = pytest.mark.in_process("reads the log through the JVM of this process")
FEW = "insert into it values (1, 'x', 1), (2, null, 2), (3, 'z', null)"
ONE_FILE = "insert into it select /*+ repartition(1) */ cast(id as int), 's', 1 from range(9)"
MERGED = (
    "merge into it using (select 1 as n union all select 7) on id = n "
    "when matched then update set s = 'm' when not matched then insert (id, s) values (n, 'new')"
)
MARKED = "tblproperties (delta.enableDeletionVectors = true)"
NAMED = "tblproperties (delta.columnMapping.mode = 'name')"
AS_FILES, BY_DELTA = True, False


def _created(more="", columns="id int, s string, p int"):
    return f"create or replace table it ({columns}) using delta {more}"


MARKING = MARKED.replace("tblproperties", "alter table it set tblproperties")
RENAMED = [_created(NAMED), "alter table it rename column p to q", "alter table it rename column q to p"]
NESTED = "n struct<a: array<map<string, decimal(5,2)>>>, t timestamp, z timestamp_ntz, d double"
NESTED_ROW = (
    "insert into it values (1, 'a', 1, named_struct('a', array(map('k', 1.5))), timestamp'2024-10-27 02:30:00', "
    "timestamp_ntz'1850-01-01 00:00:00', double('NaN'))"
)
OVERWRITTEN = "insert overwrite it values (2, null, 2), (8, 'y', 8)"
ONE_GOES, TWO_CHANGE, ALL_GO = "delete from it where id = 1", "update it set p = 9 where id > 1", "delete from it"

# What happens before the feed begins and in it, and whether its files tell all of it.
FEEDS = {
    "rows come": ([_created()], [FEW, FEW], AS_FILES),
    "rows change": ([_created(), FEW], [TWO_CHANGE, FEW, ONE_GOES], AS_FILES),
    "all rows go": ([_created(), FEW], [ALL_GO], AS_FILES),
    "all rows go, and some come": ([_created(), FEW], ["truncate table it", FEW], AS_FILES),
    "a partition goes": ([_created("partitioned by (p)"), FEW], ["delete from it where p = 1", FEW], AS_FILES),
    "rows of partitions change": ([_created("partitioned by (p, s)"), FEW], ["update it set s = 'u'", FEW], AS_FILES),
    "overwritten": ([_created(), FEW], [OVERWRITTEN], AS_FILES),
    "merged": ([_created(), FEW], [MERGED, FEW], AS_FILES),
    "optimized": ([_created(), FEW, FEW], [FEW, "optimize it", ONE_GOES], AS_FILES),
    "only optimized": ([_created(), FEW, FEW], ["optimize it"], AS_FILES),
    "properties": (
        [_created(), FEW],
        [FEW, "alter table it set tblproperties ('a' = 'b')", ONE_GOES, "alter table it unset tblproperties ('a')"],
        AS_FILES,
    ),
    "restored": ([_created(), FEW, FEW], ["restore table it to version as of 1"], BY_DELTA),
    "clustered": ([_created("cluster by (id)"), FEW], [FEW, "update it set p = 0"], AS_FILES),
    "other names in files": (RENAMED, [FEW, TWO_CHANGE, ALL_GO], AS_FILES),
    "a column comes": (
        [_created(columns="id int, s string"), "insert into it values (9, 'before')"],
        ["alter table it add column p int", FEW],
        BY_DELTA,
    ),
    "marked as deleted": ([_created(MARKED), ONE_FILE], [ONE_GOES, FEW], BY_DELTA),
    "marked, then appended to": ([_created(MARKED), ONE_FILE, ONE_GOES], [FEW], AS_FILES),
    "marked files go": ([_created(MARKED), ONE_FILE, ONE_GOES], [OVERWRITTEN], BY_DELTA),
    "made to mark": ([_created(), FEW], [MARKING, FEW], BY_DELTA),
    "padded": ([_created(columns="id int, s char(5), p int")], [FEW], BY_DELTA),
    "odd names": (
        [_created(NAMED, "`a.b c` int, id int, s string, p int"), "insert into it values (1, 1, 's', 2)"],
        ["update it set `a.b c` = 5"],
        AS_FILES,
    ),
    "many types": (
        [_created(columns=f"id int, s string, p int, {NESTED}")],
        [NESTED_ROW, "update it set p = 2"],
        AS_FILES,
    ),
}


@pytest.fixture
def session(spark):
    spark.sql("create schema if not exists feeds")
    session = spark.newSession()
    session.conf.set("spark.databricks.delta.properties.defaults.enableChangeDataFeed", "true")
    session.sql("use feeds")
    session.sql("drop table if exists it")
    return session


def _newest(session):
    return session.sql("describe history it limit 1").collect()[0]["version"]


def _location(session):
    return session.sql("describe detail it").collect()[0]["location"]


def _both_ways(session, query):
    with feeds_replaced(Logs(session), query) as shorter:
        assert bag(session, shorter) == bag(session, query)
    assert session.sql("show views like 'lazyview_*'").collect() == []
    return shorter


@pytest.mark.parametrize("kind", FEEDS)
def test_shows_the_same_changes(session, kind):
    before, meanwhile, way = FEEDS[kind]
    for each in before:
        session.sql(each)
    oldest = _newest(session) + 1
    for each in meanwhile:
        session.sql(each)
    feed = f"table_changes_by_path('{_location(session)}', {oldest}, {_newest(session)})"
    columns = ", ".join(f"cast(`{name.replace('`', '``')}` as string)" for name in session.table("it").columns)
    shorter = _both_ways(session, f"select {columns}, _change_type from {feed}")
    assert (VIEW in shorter) is way
    _both_ways(session, f"select id, p, _change_type from {feed} where p = 1 or s is null")
    rows = f"select id, s from it version as of {_newest(session)}"
    _both_ways(session, f"select d.p, d._change_type, t.s from {feed} as d join ({rows}) as t on t.id = d.id")


def test_several_feeds_of_a_table_in_one_statement(session):
    for each in (_created(), FEW, "update it set p = 5 where id = 2", "delete from it where id = 3"):
        session.sql(each)
    where, newest = _location(session), _newest(session)
    feeds = [f"(select id, _change_type from table_changes_by_path('{where}', {at}, {newest}))" for at in (1, 2, 3)]
    union = " union all ".join(f"select * from {feed}" for feed in feeds)
    assert _both_ways(session, union).count(VIEW) == 3
    _both_ways(session, f"select a.id from {feeds[0]} as a join {feeds[1]} as b on a.id = b.id join {feeds[2]} on true")


def test_files_that_a_merge_wrote_anew_for_nothing(session):
    for each in (_created(), FEW):
        session.sql(each)
    known = contents(*Logs(session).look(("spark_catalog", "feeds", "it")))
    unchanged = session.sql("select *, cast(null as string) as _change_type from it version as of 1")
    with active(session):
        Transaction(session, known).rewrite(known.files, unchanged)
    feed = f"table_changes_by_path('{_location(session)}', 2, 2)"
    assert _both_ways(session, f"select id, _change_type from {feed}").count(VIEW) == 0
    assert session.sql(f"select * from {feed}").collect() == []


@pytest.mark.parametrize("last", [2, 4])
def test_a_feed_that_does_not_end_with_the_newest_version_is_left_to_delta(session, last):
    for each in (_created(), FEW, FEW, FEW):
        session.sql(each)
    query = f"select id from table_changes_by_path('{_location(session)}', 1, {last})"
    with feeds_replaced(Logs(session), query) as shorter:
        assert shorter == query


def test_what_is_no_table_is_left_to_delta(session):
    query = "select id from table_changes_by_path('/nowhere/at/all', 1, 2)"
    with feeds_replaced(Logs(session), query) as shorter:
        assert shorter == query


def test_a_feed_that_was_off_for_a_while_is_refused_as_delta_does(session):
    for each in (
        _created(), FEW, "alter table it set tblproperties (delta.enableChangeDataFeed = false)", FEW,
        "alter table it set tblproperties (delta.enableChangeDataFeed = true)", FEW,
    ):  # fmt: skip
        session.sql(each)
    query = f"select id from table_changes_by_path('{_location(session)}', 1, {_newest(session)})"
    with feeds_replaced(Logs(session), query) as shorter:
        assert shorter == query
