"""Sources without a change feed: compared with a copy, or version by version, or read anew, as `capture` says."""

import pytest

from dbt_lazyview.compiler.reasons import ModelError, Reason
from dbt_lazyview.maintenance.copies import copy_name
from dbt_lazyview.maintenance.errors import RefreshError
from dbt_lazyview.maintenance.explain import explain
from dbt_lazyview.maintenance.stored import stored_target
from tests.functional.maintenance.lake import Killed, die

JDBC = {
    "spark.sql.catalog.elsewhere": "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog",
    "spark.sql.catalog.elsewhere.url": "jdbc:derby:memory:shop;create=true",
    "spark.sql.catalog.elsewhere.driver": "org.apache.derby.iapi.jdbc.AutoloadedDriver",
}
VIEW = """
select kind, count(*) as n, sum(amount) as total
from (
    select kind, amount from files_and_lines
    union all select kind, amount from hive_table
    union all select kind, amount from elsewhere.shop.prices
    union all select kind, amount from without_feed
)
group by kind
"""


@pytest.fixture
def elsewhere(lake):
    """A lake with tables of many kinds, and engines that know another catalog."""
    plain = lake.engine

    def engine():
        made = plain()
        knows_elsewhere(made.session)
        return made

    lake.engine = engine
    knows_elsewhere(lake.session)
    lake.run(
        "create namespace if not exists elsewhere.shop",
        "create table elsewhere.shop.prices (kind varchar(9), amount int)",
        "insert into elsewhere.shop.prices values ('jdbc', 1)",
        "create table files (kind string, amount int) using parquet",
        "insert into files values ('parquet', 1), ('parquet', 1), (null, 2)",
        "create table lines (kind string, amount int) using csv",
        "insert into lines values ('csv', 1)",
        "create view files_and_lines as select * from files union all select * from lines",
        "create table hive_table (kind string, amount int) stored as textfile",
        "insert into hive_table values ('hive', 1)",
        "create table without_feed (kind string, amount int) using delta "
        "tblproperties ('delta.enableChangeDataFeed' = 'false')",
        "insert into without_feed values ('delta', 1), ('delta', 2)",
    )
    yield lake
    lake.run("drop table elsewhere.shop.prices")


def knows_elsewhere(session):
    for key, value in JDBC.items():
        session.conf.set(key, value)


@pytest.mark.long
def test_tables_without_a_feed_are_compared(elsewhere):
    lake = elsewhere

    def refreshed(engine=None):
        return lake.refresh("v", VIEW, engine, refresh_mode="incremental", capture="diff").kind

    assert refreshed() == "build"
    assert lake.differences("v", VIEW) == []
    assert refreshed() == "noop"

    lake.run(
        "insert into files values ('parquet', 5), (null, null)",
        "insert overwrite lines values ('csv', 1), ('csv', 3)",
        "insert into elsewhere.shop.prices values ('jdbc', 7)",
        "update without_feed set amount = 8 where amount = 2",
    )
    assert "insert overwrite" in explain(
        lake.engine(), stored_target(lake.engine(), ("spark_catalog", lake.schema, "v"))
    )
    assert refreshed() == "incremental"
    assert lake.differences("v", VIEW) == []

    lake.run("insert overwrite lines values ('csv', 3), ('csv', 1)")
    assert refreshed() == "noop", "the same rows"

    lake.run("insert into hive_table values ('hive', 9)", "delete from without_feed where amount = 1")
    dying = lake.engine()
    dying.after["insert overwrite"] = die
    with pytest.raises(Killed):
        refreshed(dying)
    assert "__copy_" in dying.ran[-1], "after the copy, before the state"
    assert refreshed() == "incremental"
    assert lake.differences("v", VIEW) == []

    lake.run("drop table lines", "create table lines (kind string, amount int, more int) using csv")
    lake.run("insert into lines values ('csv', 4, 5)", "alter view files_and_lines as "
             "select * from files union all select kind, amount from lines")  # fmt: skip
    assert lake.refresh("v", VIEW, capture="diff").reason == "definition_changed"
    assert lake.differences("v", VIEW) == []


def test_tables_without_versions_are_read_anew_or_refused(lake):
    lake.run("create table files using parquet as select 1 as a", "create table d using delta as select 1 as a")
    sql = "select a, count(*) as n from (select a from files union all select a from d) group by a"
    with pytest.raises(ModelError, match=r"(?s)LV004") as refused:
        lake.refresh("v", sql)
    assert "capture: diff" in str(refused.value)
    with pytest.raises(RefreshError, match=r"files` is not a Delta table") as refused:
        lake.refresh("v", sql, capture="full", refresh_mode="incremental")
    assert refused.value.reason is Reason.SOURCE_UNVERSIONED
    assert lake.run("show tables like 'v*'") == []

    lake.refresh("v", sql, capture="full")
    lake.run("insert into files values (2)", "insert into d values (3)")
    assert lake.refresh("v", sql, capture="full").reason == "source_unversioned"
    assert lake.differences("v", sql) == []

    lake.run("create table odd using parquet as select 1 as `a b`")
    with pytest.raises(ModelError, match=r"odd` cannot be copied: it has the columns a b"):
        lake.refresh("w", "select `a b` as a from odd", capture="diff")

    taken = copy_name(("spark_catalog", lake.schema, "files"), ("spark_catalog", lake.schema))
    lake.run(f"create table {taken[-1]} using delta as select 1 as mine")
    with pytest.raises(ModelError, match="LV005"):
        lake.refresh("w", sql, capture="diff")
    assert lake.run(f"select * from {taken[-1]}") == [(1,)]


def test_a_delta_table_by_path_is_one(lake):
    lake.run("create table d using delta as select 1 as a")
    sql = f"select a from delta.`{lake.folder('d')}`"
    lake.refresh("v", sql)
    lake.run("insert into d values (2)")
    assert lake.refresh("v", sql).kind == "incremental"
    assert lake.differences("v", sql) == []


@pytest.mark.long
def test_versions_are_compared_where_the_feed_does_not_tell(lake):
    lake.run(
        "create table t (id int, amount int, note int) using delta tblproperties ('delta.columnMapping.mode' = 'name')",
        "insert into t values (1, 10, 3), (2, 20, 4)",
    )
    sql = "select id, amount from t"
    configs = {"refresh_mode": "incremental", "capture": "diff"}
    lake.refresh("v", sql, **configs)
    for statements in (
        ["alter table t drop column amount", "alter table t add columns (amount int)"],
        ["insert into t (id, amount) values (3, 30)", "create or replace table t using delta partitioned by (id) as "
         "select id, amount, cast(note as string) as note from t"],
        ["insert into t values (4, 40, 'x')", "create or replace table t using delta partitioned by (id) as "
         "select id, amount, length(note) as note from t where id <> 3"],
    ):  # fmt: skip
        lake.run(*statements)
        assert lake.refresh("v", sql, **configs).kind == "incremental", statements
        assert lake.differences("v", sql) == [], statements
