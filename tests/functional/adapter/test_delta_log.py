"""A look at Delta's own log tells what DESCRIBE DETAIL and DESCRIBE HISTORY tell, whatever happens to a table."""

from pathlib import Path
from urllib.parse import urlparse

import pytest

from dbt_lazyview.adapter import delta_log
from dbt_lazyview.adapter.file_statistics import statistics
from dbt_lazyview.adapter.logs import Logs
from dbt_lazyview.adapter.shortcuts import EmbeddedShortcuts
from dbt_lazyview.compiler.catalog import CatalogError
from dbt_lazyview.maintenance.tables import Tables
from tests.functional.maintenance.conftest import lake  # noqa: F401

pytestmark = pytest.mark.in_process("is about Delta's log as read through the JVM of this process")


def both_ways(lake, look):  # noqa: F811
    quick, by_statement = lake.engine(), lake.engine(is_embedded=False)
    found = look(Tables(quick, "UTC")), look(Tables(by_statement, "UTC"))
    assert not quick.ran, "the shorter way was taken"
    return found


@pytest.mark.parametrize(
    "happens",
    [
        "insert into t values (2, 'b')",
        "delete from t where a = 1",
        "alter table t set tblproperties ('delta.enableChangeDataFeed' = 'false', 'x' = '`y')",
        "optimize t",
        "create or replace table t (a int, b string, c int) using delta",
        "merge into t using (select 1 as a) s on t.a = s.a when matched then delete",
        "insert overwrite t values (7, 'g')",
        "truncate table t",
        "alter table t add columns (c int)",
    ],
)
def test_tells_what_the_statement_tells(lake, happens):  # noqa: F811
    lake.run("create table t (a int, b string) using delta", "insert into t values (1, 'a')", happens)
    name = ("spark_catalog", lake.schema, "t")
    for look in (lambda tables: tables.detail(name), lambda tables: tables.newest(name, 2)):
        quick, told = both_ways(lake, look)
        assert quick == told


@pytest.mark.parametrize(
    "happens",
    [
        "restore table t to version as of 0",
        "alter table t set tblproperties ('delta.enableInCommitTimestamps' = 'true')",
    ],
)
def test_tells_the_same_commits(lake, happens):  # noqa: F811
    lake.run("create table t (a int, b string) using delta", "insert into t values (1, 'a')", happens)
    quick, told = both_ways(lake, lambda tables: tables.newest(("spark_catalog", lake.schema, "t"), 2))
    assert quick == told


def test_tells_of_no_more_commits_than_asked_for_and_left(lake):  # noqa: F811
    lake.run("create table t (a int) using delta", *("insert into t values (1)" for _ in range(3)))
    name = ("spark_catalog", lake.schema, "t")
    for limit in (1, 3, 100, 101):
        quick, told = delta_log.history(Logs(lake.session), name, limit), lake.history("t")[:limit]
        assert limit == 101 or [row["version"] for row in quick] == [row["version"] for row in told]
    assert quick is None, "many commits are read by a job"


def test_what_it_cannot_tell_is_left_to_the_statement(lake):  # noqa: F811
    lake.run("create table p (a int) using parquet", "create view v as select 1 as one")
    for table in ("p", "v", "missing"):
        assert delta_log.detail(Logs(lake.session), ("spark_catalog", lake.schema, table)) is None
    assert delta_log.detail(Logs(lake.session), ("elsewhere", lake.schema, "p")) is None


def test_transactions_are_found_once_in_every_version_of_a_small_table(lake, monkeypatch):  # noqa: F811
    lake.run("create table t (a int) using delta")
    shortcuts, scheduler = EmbeddedShortcuts(lake.session), lake.session.sparkContext._jsc.sc().dagScheduler()
    before = {key: lake.session.conf.get(key) for key in delta_log.SETTINGS_FOR_A_SHORT_LOG}

    def jobs(table="t", statement="merge into t"):
        first = scheduler.numTotalJobs()
        shortcuts.find_transactions(("spark_catalog", lake.schema, table), statement)
        return scheduler.numTotalJobs() - first

    lake.run("insert into t values (1)")
    assert jobs() == 1
    assert jobs() == 0
    lake.run("insert into t values (2)")
    assert jobs(statement="insert overwrite t (a) select 1") == 0, "its checksum tells"
    assert jobs() == 1
    assert {key: lake.session.conf.get(key) for key in before} == before
    assert jobs("missing") == 0
    lake.run("insert into t values (3)")
    monkeypatch.setattr(delta_log, "FEW_FILES", 2)
    assert jobs() == 0, "of many files, Delta reads as it likes"


@pytest.mark.parametrize("parts", [1, 2, 3])
def test_tells_the_same_columns(lake, parts):  # noqa: F811
    simple = "a int, B bigint, c decimal(12,2), d date, e timestamp, f timestamp_ntz, g double, h boolean, i binary"
    lake.run(
        f"create table Plain ({simple}, j tinyint, k smallint, l float, m string) using delta partitioned by (a)",
        "create table other (a varchar(5), b struct<x: int>) using delta",
        "create table files (a int) using parquet",
        "create view seen as select 1 as a",
    )
    for name, is_quick in (("PLAIN", True), ("other", False), ("files", False), ("seen", False)):
        quick, by_statement = lake.engine(), lake.engine(is_embedded=False)
        full = ("spark_catalog", lake.schema, name)[-parts:]
        assert quick.catalog().relation(full, None) == by_statement.catalog().relation(full, None)
        assert (not quick.ran) is is_quick


def test_temporary_views_hide_tables(lake):  # noqa: F811
    lake.run("create table t (a int) using delta")
    engine = lake.engine()
    engine.session.sql("create temporary view t as select 'x' as b")
    with pytest.raises(CatalogError):
        engine.catalog().relation(("t",), None)


def test_statistics_of_odd_texts(lake):  # noqa: F811
    in_one_file = "select /*+ coalesce(1) */ * from values (1, 'a\u2028b\u0085c'), (5, 'z')"
    lake.run("create table t (a int, b string) using delta", f"insert into t {in_one_file}")
    (file,) = statistics(Logs(lake.session), ("spark_catalog", lake.schema, "t"), 0, 1)
    assert (file["minValues"]["a"], file["maxValues"]["a"], file["minValues"]["b"]) == ("1", "5", "a\u2028b\u0085c")


def test_a_table_that_is_created_again_in_its_place(lake):  # noqa: F811
    name = ("spark_catalog", lake.schema, "t")
    for value in ("a", "b"):
        lake.run("create or replace table t (x string) using delta", "drop table t")
        lake.run("create table t (x string) using delta", f"insert into t values ('{value}')")
        for look in (lambda tables: tables.detail(name), lambda tables: tables.newest(name, 8)):
            quick, told = both_ways(lake, look)
            assert quick == told


def test_a_log_that_was_looked_up_tells_what_is_committed_later(lake):  # noqa: F811
    name = ("spark_catalog", lake.schema, "t")
    lake.run("create table t (a int) using delta")
    tables = Tables(lake.engine(), "UTC")
    assert tables.detail(name)
    assert len(tables.newest(name)) == 1
    lake.run("insert into t values (1)")
    assert [each.version for each in tables.newest(name)] == [1, 0]
    lake.run("drop table t")
    assert tables.detail(name) is None


def test_sees_what_another_process_commits(lake):  # noqa: F811
    name = ("spark_catalog", lake.schema, "t")
    lake.run("create table t (a int) using delta", "insert into t values (1)")
    logs = Logs(lake.session)
    log, snapshot = logs.look(name)
    assert snapshot.version() == 1
    assert [each.version for each in logs.commit_files(log, 0, 2)] == [], "there is no second one"
    folder = Path(urlparse(log.logPath().toString()).path)
    (folder / f"{2:020}.json").write_text('{"commitInfo":{"timestamp":0,"operation":"ELSEWHERE"}}\n')
    assert logs.look_again(name)[1].version() == 2
    assert [each.version for each in logs.commit_files(log, 0, 2)] == [0, 1, 2]
    (folder / f"{0:020}.json").unlink()
    assert [each.version for each in logs.commit_files(log, 0, 2)] == [1, 2], "it was cleaned up"


def test_tells_the_same_properties(lake):  # noqa: F811
    lake.run("create view v tblproperties ('lazyview.x' = 'a`\"=, b', 'other' = '') as select 1 as a")
    name = ("spark_catalog", lake.schema, "v")
    told = {
        row["key"]: row["value"] for row in lake.engine(is_embedded=False).query(f"show tblproperties {lake.schema}.v")
    }
    assert delta_log.properties(Logs(lake.session), name) | told == delta_log.properties(Logs(lake.session), name)
    assert told["lazyview.x"] == 'a`"=, b'
    assert delta_log.properties(Logs(lake.session), (*name[:2], "missing")) is None
