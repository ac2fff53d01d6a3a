"""Extreme values, widths and numbers: the view equals its query, or the refresh fails and leaves it as it was."""

import json
import os
import shutil

import pytest

from dbt_lazyview.maintenance.errors import RefreshError

COMMITS = int(os.environ.get("LAZYVIEW_TEST_COMMITS", "200"))
LONGEST, MOST = 2**63 - 1, "9" * 38


def test_values_out_of_range(lake):
    lake.run(
        "create table t (k int, i bigint, d decimal(38,0), s string) using delta",
        "insert into t values (1, 5, 7, '3'), (2, 1, 1, 'no number')",
    )
    sql = """
        select k, sum(i) as i, sum(d) as d, avg(d) as a, sum(cast(s as int)) as s, count(cast(s as tinyint)) as n,
            max(cast(i * 2 as int)) as m from t group by k
    """
    lake.refresh("v", sql, refresh_mode="incremental")
    for statement in (
        f"insert into t values (1, {LONGEST}, {MOST}, '99999999999'), (2, {LONGEST}, {MOST}, '300')",
        f"insert into t values (1, 1, 1, null), (2, null, {MOST}, '1e3')",
        f"delete from t where d = {MOST}",
    ):
        lake.run(statement)
        assert lake.refresh("v", sql, refresh_mode="incremental").kind == "incremental"
        assert lake.differences("v", sql) == [], statement


@pytest.mark.parametrize("strategy", ["overwrite", "rewrite", "merge"])
def test_wide_sums_that_overflow_and_come_back(lake, strategy, request):
    """Sums of more than 28 digits are added to; where one overflows, its group is computed from its rows."""
    lake.run("create table t (k int, d decimal(38,2)) using delta", "insert into t values (1, 7), (2, 1), (3, null)")
    sql = "select k, sum(d) as d, count(*) as n from t group by k"
    configs = {"refresh_mode": "incremental", "is_parent": strategy != "overwrite"}
    if strategy == "merge":
        request.getfixturevalue("merges")
    lake.refresh("v", sql, **configs)
    most = "9" * 36 + ".99"
    for statement in (
        "insert into t values (1, 0.25), (3, 4)",
        f"insert into t values (1, {most}), (2, {most}), (2, {most})",
        "insert into t values (3, 1)",  # beside groups that overflowed
        f"delete from t where d = {most}",
    ):
        lake.run(statement)
        outcome = lake.refresh("v", sql, **configs)
        assert (outcome.kind, outcome.strategy) == ("incremental", strategy), statement
        assert lake.differences("v", sql) == [], statement


def test_values_that_cannot_be_computed_under_ansi(lake):
    lake.run("create table t (k int, s string) using delta", "insert into t values (1, '3')")
    sql = "select k, sum(cast(s as int)) as s from t group by k"

    def refreshed():
        engine = lake.engine()
        engine.execute("set spark.sql.ansi.enabled = true")
        return lake.refresh("v", sql, engine).kind

    refreshed()
    lake.run("insert into t values (1, 'no number')")
    before = lake.history("v__state")[0]["version"]
    with pytest.raises(RefreshError, match="CAST_INVALID_INPUT"):
        refreshed()
    assert lake.history("v__state")[0]["version"] == before
    lake.run("delete from t where s = 'no number'")
    assert refreshed() == "incremental"
    assert lake.differences("v", sql) == []


COLUMNS = ", ".join(f"{number} as c{number}" for number in range(1000))


@pytest.mark.parametrize(
    ("table", "sql", "change"),
    [
        pytest.param(
            f"select {COLUMNS}", "select * from t where c0 >= 0", "insert into t select * from t",
            id="wide", marks=pytest.mark.long,
        ),
        pytest.param("select 1 as id, repeat('x', 1048576) as text", "select id, text from t",
                     "insert into t select 2, repeat('y', 1048576) union all select 1, text from t", id="long"),
        pytest.param("select id as k, 1 as n from range(100000)", "select k, sum(n) as n from t group by k",
                     "delete from t", id="many groups gone"),
    ],
)  # fmt: skip
def test_many_columns_long_values_many_groups(lake, table, sql, change):
    lake.run(f"create table t using delta as {table}")
    lake.refresh("v", sql, refresh_mode="incremental")
    lake.run(change)
    assert lake.refresh("v", sql, refresh_mode="incremental").kind == "incremental"
    assert lake.differences("v", sql) == []


def test_many_commits_in_a_window(lake):
    lake.run("create table t (id int) using delta", "insert into t values (1)")
    sql = "select id, count(*) as n from t group by id"
    lake.refresh("v", sql, refresh_mode="incremental")
    append_again_and_again(lake, "t", COMMITS)
    assert lake.refresh("v", sql, refresh_mode="incremental").kind == "incremental"
    assert lake.run("select * from v") == [(1, COMMITS + 1)]


def append_again_and_again(lake, table, times):
    """Commit the newest append again: its file under another name each time, without the time that Spark would take."""
    folder = lake.folder(table)
    first = lake.history(table)[0]["version"]
    actions = [json.loads(line) for line in (folder / "_delta_log" / f"{first:020}.json").read_text().splitlines()]
    info = next(each for each in actions if "commitInfo" in each)
    add = next(each["add"] for each in actions if "add" in each)
    for version in range(first + 1, first + 1 + times):
        again = {"add": {**add, "path": f"{version}-{add['path']}"}}
        shutil.copy(folder / add["path"], folder / again["add"]["path"])
        commit = "\n".join(json.dumps(each) for each in (info, again))
        (folder / "_delta_log" / f"{version:020}.json").write_text(commit)
