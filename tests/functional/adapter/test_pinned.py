"""What is read from the files that a table is known to consist of is what Delta itself would read."""

import pytest

from dbt_lazyview.adapter.contents import contents
from dbt_lazyview.adapter.logs import Logs
from dbt_lazyview.adapter.pinned import VIEW, pins_replaced
from dbt_lazyview.adapter.shortcuts import EmbeddedShortcuts
from tests.functional.bags import bag

pytestmark = pytest.mark.in_process
FEW = "insert into it values (1, 'x', 1), (2, null, 2), (3, 'z', null)"


@pytest.fixture
def session(spark):
    spark.sql("create schema if not exists pinned")
    session = spark.newSession()
    session.sql("use pinned")
    session.sql("drop table if exists it")
    return session


def _pinned(session, version=None, table="it"):
    newest = session.sql(f"describe history {table} limit 1").collect()[0]["version"]
    return f"`spark_catalog`.`pinned`.`{table}` version as of {newest if version is None else version}"


def _both_ways(session, query):
    with pins_replaced(Logs(session), query) as shorter:
        assert bag(session, shorter) == bag(session, query)
    assert session.sql("show views like 'lazyview_*'").collect() == []
    return shorter


def _created(more="", columns="id int, s string, p int"):
    return f"create or replace table it ({columns}) using delta {more}"


def _with_property(key, value="true"):
    return _created(f"tblproperties (delta.{key} = '{value}')")


TABLES = {
    "plain": [_created(), FEW],
    "of several commits": [_created(), FEW, FEW, "delete from it where id = 1"],
    "empty": [_created()],
    "partitioned": [_created("partitioned by (p)"), FEW],
    "clustered": [_created("cluster by (id)"), FEW],
    "without deletions yet": [_with_property("enableDeletionVectors"), FEW],
    "with a column more": [
        _created(columns="id int, s string"), "insert into it values (9, 'before')", "alter table it add column p int",
        FEW,
    ],
    "with a renamed column": [
        _with_property("columnMapping.mode", "name"), FEW, "alter table it rename column p to q", FEW,
        "alter table it rename column q to p",
    ],
    "widened": [
        _with_property("enableTypeWidening"), FEW, "alter table it alter column id type bigint",
        "insert into it values (5000000000, 'far', 1)",
    ],
    "restored": [_created(), FEW, FEW, "restore table it to version as of 1"],
    "optimized": [_created(), FEW, FEW, "optimize it"],
    "cloned": [
        "create or replace table origin (id int, s string, p int) using delta", FEW.replace(" it ", " origin "),
        "create table it shallow clone origin", FEW,
    ],
}  # fmt: skip


NOT_TOLD = ("with a renamed column", "restored")  # their checksums do not list files


@pytest.mark.parametrize("kind", TABLES)
def test_reads_the_same_rows(session, kind):
    for each in TABLES[kind]:
        session.sql(each)
    shorter = _both_ways(session, f"select id, s, p from {_pinned(session)}")
    assert kind in NOT_TOLD or shorter == f"select id, s, p from {VIEW}0"
    version = session.sql("describe history it limit 1").collect()[0]["version"]
    counted = EmbeddedShortcuts(session).row_count(("spark_catalog", "pinned", "it"), version)
    assert counted == (None if kind in NOT_TOLD else session.table("it").count())
    _both_ways(
        session, f"select p, count(*) from (select * from {_pinned(session)}) where p = 1 or s is null group by p"
    )
    _both_ways(session, f"select a.id from {_pinned(session)} as a join {_pinned(session)} as b on a.p = b.p")


def test_beside_its_own_change_feed(session):
    for each in TABLES["plain"]:
        session.sql(each)
    session.sql("alter table it set tblproperties (delta.enableChangeDataFeed = true)")
    first = session.sql("describe history it limit 1").collect()[0]["version"] + 1
    session.sql("insert into it values (3, 'more', 1)")
    session.sql("update it set p = 7 where id = 1")
    where = session.sql("describe detail it").collect()[0]["location"]
    feed = f"select id, _change_type from table_changes_by_path('{where}', {first}, {first + 1})"
    rows = f"select * from {_pinned(session)}"
    query = f"select t.id, t.p, d._change_type from ({feed}) as d join ({rows}) as t on t.id = d.id"
    _both_ways(session, f"{query} union all {query} where t.p > 1")


BOUNDED = {
    "numbers": ("(`id` between 1 and 2 or `id` is null)", 3),
    "negative ones": ("(`id` between -7 and 0 or `id` is null)", 1),
    "beyond all": ("(`id` between 100L and 200L or `id` is null)", 1),
    "two columns": ("(`id` between 1 and 9 or `id` is null)\n    and (`p` between 3 and 3 or `p` is null)", 2),
    "dates": ("(`d` between DATE '2024-01-03' and DATE '2024-01-09' or `d` is null)", 3),
    "texts": ("(`s` between 'a' and 'b' or `s` is null)", None),
}


@pytest.mark.parametrize("bounds", BOUNDED)
@pytest.mark.parametrize("more", ["", "tblproperties (delta.columnMapping.mode = 'name')"])
def test_within_bounds_only_files_with_such_rows_are_read(session, bounds, more):
    session.sql(_created(more, "id bigint, s string, p int, d date"))
    for number in range(1, 5):
        session.sql(f"insert into it values ({number}, 's{number}', {number}, date '2024-01-0{number}')")
    session.sql("insert into it values (null, null, null, null)")
    condition, files = BOUNDED[bounds]
    query = f"select * from (\n    select id, s from {_pinned(session)}\nwhere {condition}\n)"
    assert (VIEW in _both_ways(session, query)) is (files is not None)
    with pins_replaced(Logs(session), query):
        assert files is None or len(session.table(f"{VIEW}0").inputFiles()) == files


@pytest.mark.parametrize(
    "query",
    [
        "select id from {older}",
        "select id from {newest} where id between 1 and 2",
        "select * from (select id from {newest} where (`id` between 1 and 2 or `id` is null) or s = 'z')",
        "select '{newest}' as text",
        "select id from it -- {newest}",
        "create or replace view over_it as select id from {newest}",
        "create or replace table copied shallow clone {newest}",
    ],
)
def test_left_as_it_is(session, query):
    for each in TABLES["of several commits"]:
        session.sql(each)
    statement = query.format(newest=_pinned(session), older=_pinned(session, 1))
    with pins_replaced(Logs(session), statement) as shorter:
        assert shorter == statement


ONE_FILE = "insert into it select /*+ repartition(1) */ cast(id as int), 's', 1 from range(9)"
MANY_FILES = "create or replace table it using delta as select /*+ repartition(60) */ id from range(600)"


@pytest.mark.parametrize(
    "statements",
    [
        [_created(columns="id int, s char(5), p int"), FEW],
        [_with_property("enableDeletionVectors"), ONE_FILE, "delete from it where id = 1"],
        [MANY_FILES],
    ],
    ids=["padded texts", "deletion vectors", "many files"],
)
def test_not_plain_and_not_small(session, statements):
    for each in statements:
        session.sql(each)
    assert contents(*Logs(session).look(("spark_catalog", "pinned", "it"))) is None
    query = f"select id from {_pinned(session)}"
    assert _both_ways(session, query) == query
