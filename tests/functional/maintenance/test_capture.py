"""Sources without a change feed: compared with a copy, or version by version, or read anew, as `capture` says."""

import pytest

from dbt_lazyview.compiler.reasons import ModelError, Reason
from dbt_lazyview.maintenance.copies import copy_name
from dbt_lazyview.maintenance.errors import RefreshError


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
