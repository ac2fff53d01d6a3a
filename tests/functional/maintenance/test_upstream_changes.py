"""
What happens to sources: every event is named or followed, under `incremental` nothing is recomputed unasked, and the
view equals its query afterwards.
"""

import os
import time
from dataclasses import dataclass

import pytest

from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.errors import RefreshError
from dbt_lazyview.maintenance.status import status_of
from dbt_lazyview.maintenance.status_report import warnings
from dbt_lazyview.maintenance.tables import Tables

FEED, MAPPED = "delta.enableChangeDataFeed", "'delta.columnMapping.mode' = 'name'"
COLUMNS = "(id int, region string, amount int, note int)"
ROWS = "values (1, 'n', 10, 1), (2, 's', 20, 1), (3, null, 5, 1), (4, 'n', 7, 1), (5, 'n', 7, 1)"
VIEW = "select region, amount, count(*) as n from t where id > 0 group by region, amount"


@dataclass(frozen=True)
class Event:
    """Statements, and what a refresh makes of them: the way it goes, or the reason of a full refresh."""

    statements: tuple[str, ...]
    outcome: str


def then(outcome: str, *statements: str) -> Event:
    return Event(statements, outcome)


INSERT = "insert into t (id, region, amount, note) values (9, 'w', 3, 2)"
INCREMENTAL, NOOP = "incremental", "noop"
STORIES = {
    "rows are rewritten": ("", [
        then(INCREMENTAL, "insert overwrite t select id, region, amount + 1, note from t where id <> 2",
             "insert into t replace where region = 'n' values (7, 'n', 3, 3)"),
        then(INCREMENTAL, INSERT,
             "alter table t set tblproperties ('delta.enableDeletionVectors' = 'true')", "delete from t where id = 1",
             "alter table t set tblproperties ('delta.enableDeletionVectors' = 'false')", "delete from t where id = 3"),
        then(INCREMENTAL, "restore table t to version as of 1"),
        then("source_schema_changed",
             "create or replace table t using delta partitioned by (region) as select * from t"),
        then(INCREMENTAL, "set spark.sql.sources.partitionOverwriteMode = dynamic",
             "insert overwrite t (id, region, amount, note) values (7, 'n', 3, 3), (8, 'x', 1, 1)",
             "set spark.sql.sources.partitionOverwriteMode = static"),
        then(INCREMENTAL, "truncate table t", "create table other using delta partitioned by (region) as "
             f"select * from {ROWS} as r (id, region, amount, note)",
             "create or replace table t shallow clone other", INSERT),
        then("source_recreated", "drop table t",
             f"create table t {COLUMNS[:-1]}, twice int generated always as (amount * 2)) using delta cluster by (id)",
             INSERT),
        then(INCREMENTAL, "alter table t cluster by (region)", INSERT, "optimize t full",
             "alter table t add constraint positive check (amount > 0)", INSERT,
             "alter table t drop constraint positive", "alter table t alter column id comment 'key'", INSERT),
    ]),
    "the feed and its history": ("", [
        then(INCREMENTAL, INSERT, f"alter table t set tblproperties ('{FEED}' = 'false')",
             f"alter table t set tblproperties ('{FEED}' = 'true')", INSERT),
        then("change_feed_missing", f"alter table t set tblproperties ('{FEED}' = 'false')", INSERT,
             f"alter table t set tblproperties ('{FEED}' = 'true')", INSERT),
        then(INCREMENTAL, INSERT, "vacuum t retain 0 hours"),
        then("history_gone", INSERT, "update t set amount = 4 where id = 9", "vacuum t retain 0 hours"),
        then(INCREMENTAL, "alter table t set tblproperties ('delta.deletedFileRetentionDuration' = 'interval 0 hours')",
             INSERT),
        then("history_gone", INSERT, INSERT),
    ]),
    "columns come, go and get other names": (MAPPED, [
        then(INCREMENTAL, INSERT, "alter table t drop column note", "alter table t add columns (note int)",
             "alter table t rename column note to remark", "alter table t rename column remark to note", INSERT),
        then(INCREMENTAL, "alter table t add columns (extra int first)", INSERT,
             "alter table t alter column note first", "update t set amount = 8 where id = 4"),
        then("source_schema_changed", "alter table t drop column amount", "alter table t add columns (amount int)"),
        then("source_schema_changed", "restore table t to version as of 1"),
        then("source_schema_changed", "alter table t rename column amount to z",
             "alter table t rename column note to amount", "alter table t rename column z to note"),
    ]),
    "types": ("'delta.enableTypeWidening' = 'true'", [
        then(INCREMENTAL, "alter table t alter column note type bigint", INSERT),
        then("source_schema_changed", INSERT, "alter table t alter column note type decimal(20)", INSERT),
        then("source_schema_changed", "alter table t alter column amount type bigint", INSERT),
        then(INCREMENTAL, "create or replace table t using delta as "
             "select id, region, amount, cast(note as string) as note from t", INSERT,
             "alter table t set tblproperties ('delta.columnMapping.mode' = 'name')", INSERT),
    ]),
}  # fmt: skip


LONG_STORIES = ("rows are rewritten", "the feed and its history", "types")


@pytest.mark.parametrize(
    "story", [pytest.param(each, marks=[pytest.mark.long] if each in LONG_STORIES else []) for each in STORIES]
)
def test_a_source_lives_through(lake, story):
    properties, events = STORIES[story]
    lake.run(
        "set spark.databricks.delta.retentionDurationCheck.enabled = false",
        f"create table t {COLUMNS} using delta tblproperties ('made' = 'x'{', ' if properties else ''}{properties})",
        f"insert into t {ROWS}",
    )
    lake.refresh("v", VIEW, refresh_mode="incremental")
    assert [lived_through(lake, event) for event in events] == [(event.outcome, []) for event in events]


def lived_through(lake, event):
    """What a refresh makes of an event, and the rows that are wrong then."""
    lake.run(*event.statements)
    if event.outcome not in (INCREMENTAL, NOOP):
        stays(lake, event.outcome)
        outcome = lake.refresh("v", VIEW).reason
    else:
        outcome = lake.refresh("v", VIEW, refresh_mode="incremental").kind
    return outcome, lake.differences("v", VIEW)


def stays(lake, reason):
    """A view that may not be recomputed stays as it is, and says why and what to do."""
    before = lake.history("v__state")[0]["version"]
    with pytest.raises(RefreshError, match=r"refresh_mode: auto") as refused:
        lake.refresh("v", VIEW, refresh_mode="incremental")
    assert refused.value.reason.word == reason
    assert lake.history("v__state")[0]["version"] == before


@pytest.mark.in_process("makes files older behind the back of Spark, whose memory of them is cleared in this process")
@pytest.mark.long
def test_a_source_is_silent_for_months(lake):
    """Then it changes, and Delta drops its old commits: one view has seen all that is gone, another has not."""
    raw = f"{lake.schema}_raw"
    sql = f"select region, sum(amount) as amount from {raw}.t group by region"
    lake.run(
        f"create schema {raw}",
        f"create table {raw}.t {COLUMNS} using delta tblproperties ('delta.checkpointInterval' = '1')",
        f"insert into {raw}.t {ROWS}",
    )
    days_pass(lake, f"{raw}.t", 200)
    for name in ("follows", "sleeps"):
        lake.refresh(name, sql, refresh_mode="incremental")
    insert, delete = f"insert into {raw}.t values (9, 'w', 3, 2)", f"delete from {raw}.t where id = 1"
    for statement, warned in ((insert, [True]), (delete, [])):  # in good time; then it is too late
        lake.run(statement)
        assert lake.refresh("follows", sql, refresh_mode="incremental").kind == "incremental"
        assert lake.differences("follows", sql) == []
        days_pass(lake, f"{raw}.t", 4)
        status = status_of(Tables(lake.engine(), "UTC"), ("spark_catalog", lake.schema, "sleeps"))
        assert ["are kept for" in text for text in warnings(status, round(time.time() * 1000))] == warned
        days_pass(lake, f"{raw}.t", 200)
    with pytest.raises(RefreshError, match=r"no longer kept") as refused:
        lake.refresh("sleeps", sql, refresh_mode="incremental")
    assert refused.value.reason is Reason.HISTORY_GONE
    assert lake.refresh("sleeps", sql).reason == "history_gone"
    assert lake.differences("sleeps", sql) == []


def days_pass(lake, table, days):
    """Everything that is there now was written so many days ago."""
    then = time.time() - days * 24 * 3600
    for file in lake.folder(table).rglob("*"):
        os.utime(file, (then, then))
    lake.session._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
