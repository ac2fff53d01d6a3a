"""The protocol on real Spark and Delta: what is decided, what is committed, and that the view equals its query."""

import pytest

from dbt_lazyview.compiler.derivation import ALL_OFF
from dbt_lazyview.compiler.reasons import ModelError, Reason
from dbt_lazyview.maintenance.errors import RefreshError
from dbt_lazyview.names import PROPERTY_FORMAT


def test_builds_then_follows_changes_then_does_nothing(lake, sales):
    built = lake.refresh("v", sales)
    assert (built.kind, built.reason, built.rows_changed) == ("build", "first_build", 3)
    assert lake.differences("v", sales) == []

    lake.run(
        "insert into sales values (4, 'north', 1)",
        "delete from sales where id = 2",
        "update sales set amount = 7 where id = 3",
    )
    followed = lake.refresh("v", sales)
    assert (followed.kind, followed.reason, followed.changes, followed.statements) == ("incremental", "", 3, 1)
    assert lake.differences("v", sales) == []

    assert lake.refresh("v", sales).kind == "noop"
    tasks = [record.task for _, record in lake.records("v")]
    assert tasks == [tasks[-1] + 1, tasks[-1]]


def test_noop_runs_no_data_job_and_writes_nothing(lake, sales):
    lake.refresh("v", sales)
    before = len(lake.history("v__state"))
    engine = lake.engine()
    assert lake.refresh("v", sales, engine).kind == "noop"
    ran = [statement for statement in engine.ran if not (statement.startswith("set ") and "=" not in statement)]
    assert {statement.split()[0] for statement in ran} <= {"describe", "show"}  # and looks at settings
    assert len(lake.history("v__state")) == before


def test_without_any_pass(lake, sales):
    """Changes that a filter keeps out only move the cut, unless that is switched off with everything else."""
    sql = f"{sales.replace(' group by', ' where amount > 15 group by')}"
    for name in ("v", "plain"):
        lake.refresh(name, sql)
    lake.run("insert into sales values (4, 'north', 1)")
    assert lake.refresh("v", sql).reason == "changes_irrelevant"
    assert lake.refresh("plain", sql, options=ALL_OFF).kind == "incremental"
    lake.run("update sales set amount = amount + 10")
    assert lake.refresh("plain", sql, options=ALL_OFF).kind == "incremental"
    assert lake.differences("plain", sql) == []


def test_optimize_and_properties_are_nothing_new(lake, sales):
    lake.refresh("v", sales)
    lake.run("insert into sales values (9, 'x', 1)", "delete from sales where id = 9")
    lake.refresh("v", sales)
    lake.run("optimize sales", "alter table sales set tblproperties ('a' = 'b')", "optimize v__state")
    assert lake.refresh("v", sales).kind == "noop"
    lake.run("insert into sales values (5, 'east', 1)")
    assert lake.refresh("v", sales).kind == "incremental"
    assert lake.differences("v", sales) == []


def test_large_states_and_parents_are_merged(lake, sales, merges):
    lake.refresh("v", sales, is_parent=True)
    lake.run("insert into sales values (4, 'north', 1)")
    outcome = lake.refresh("v", sales, is_parent=True)
    assert (outcome.strategy, outcome.rows_changed) == ("merge", 1)
    assert lake.differences("v", sales) == []


def test_replaced_source_stays_incremental(lake, sales):
    lake.refresh("v", sales)
    lake.run(
        "create or replace table sales using delta as select * from sales where id < 3 union all select 8, 'west', 3.00"
    )
    assert lake.refresh("v", sales).kind == "incremental"
    assert lake.differences("v", sales) == []


def test_recreated_source_is_recomputed(lake, sales):
    lake.refresh("v", sales)
    lake.run("create table copy using delta as select * from sales", "drop table sales")
    lake.run("create table sales using delta as select * from copy", "insert into sales values (7, 'west', 2)")
    outcome = lake.refresh("v", sales)
    assert (outcome.kind, outcome.reason) == ("full", "source_recreated")
    assert lake.differences("v", sales) == []


def test_changes_without_a_feed_are_recomputed_or_refused(lake, sales):
    lake.refresh("v", sales, refresh_mode="incremental")
    lake.run("alter table sales set tblproperties ('delta.enableChangeDataFeed' = 'false')")
    assert lake.refresh("v", sales, refresh_mode="incremental").kind == "noop"
    lake.run("insert into sales values (7, 'west', 2)")
    with pytest.raises(RefreshError, match=r"(?s)change data feed was off.*enableChangeDataFeed.*LV032") as refused:
        lake.refresh("v", sales, refresh_mode="incremental")
    assert refused.value.reason is Reason.CHANGE_FEED_MISSING
    assert lake.refresh("v", sales).reason == "change_feed_missing"
    assert lake.differences("v", sales) == []


def test_changed_columns_of_a_source(lake, sales):
    lake.refresh("v", sales)
    lake.run("alter table sales add columns (note string)", "insert into sales values (7, 'west', 2, 'n')")
    assert lake.refresh("v", sales).kind == "incremental"
    lake.run(
        "create or replace table sales using delta as select id, region, cast(amount as bigint) as amount from sales"
    )
    assert lake.refresh("v", sales).reason == "source_schema_changed"
    assert lake.differences("v", sales) == []


def test_definition_change_is_named_and_formatting_is_none(lake, sales):
    lake.refresh("v", sales)
    assert lake.refresh("v", f"-- a comment\n{sales.replace('select ', 'SELECT   ')}").kind == "noop"
    other = "select region, max(amount) as highest from sales group by region having max(amount) > 5"
    outcome = lake.refresh("v", other)
    assert (outcome.kind, outcome.reason) == ("full", "definition_changed")
    assert lake.differences("v", other) == []


def test_full_refresh_on_request_overwrites_in_place(lake, sales):
    lake.refresh("v", sales)
    assert lake.refresh("v", sales, full=True).reason == "full_refresh_requested"
    assert lake.history("v__state")[0]["operation"] == "WRITE"
    assert lake.refresh("v", sales).kind == "noop"


def test_mode_full_always_recomputes(lake, sales):
    lake.refresh("v", sales, refresh_mode="full")
    assert lake.refresh("v", sales, refresh_mode="full").reason == "refresh_mode_full"


def test_dropped_state_is_rebuilt(lake, sales):
    lake.refresh("v", sales)
    lake.run("drop table v__state")
    assert lake.refresh("v", sales).reason == "state_missing"
    assert lake.differences("v", sales) == []


@pytest.mark.parametrize("change", ["update v__state set lv_count = 99", "restore table v__state to version as of 0"])
def test_state_changed_by_others_is_rebuilt(lake, sales, change):
    lake.refresh("v", sales)
    lake.run("insert into sales values (7, 'west', 2)")
    lake.refresh("v", sales)
    lake.run(change)
    assert lake.refresh("v", sales).reason == "state_changed"
    assert lake.differences("v", sales) == []


def test_a_state_of_a_newer_release(lake, sales):
    lake.refresh("v", sales)
    lake.run(f"alter table v__state set tblproperties ('{PROPERTY_FORMAT}' = '99')")
    with pytest.raises(RefreshError, match="newer release") as refused:
        lake.refresh("v", sales, refresh_mode="incremental")
    assert refused.value.reason is Reason.RECORD_FORMAT
    assert lake.refresh("v", sales).reason == "record_format"
    assert lake.refresh("v", sales).kind == "noop"


def test_settings_change_is_named(lake, sales):
    lake.refresh("v", sales)
    engine = lake.engine()
    engine.execute("set spark.sql.session.timeZone=Asia/Tokyo")
    assert lake.refresh("v", sales, engine).reason == "settings_changed"


def test_unmaintainable_query(lake, sales):
    volatile = "select id, rand() as luck from sales"
    with pytest.raises(RefreshError, match="LV012"):
        lake.refresh("v", volatile, refresh_mode="incremental")
    assert lake.run("show tables like 'v*'") == []
    assert lake.refresh("v", volatile).kind == "build"
    lake.run("insert into sales values (7, 'west', 2)")
    assert lake.refresh("v", volatile).reason == "non_deterministic"


def test_bad_input_leaves_nothing_behind(lake, sales):
    lake.run("create table files using parquet as select 1 as a")
    for sql, code in [
        ("select a from files", "LV004"),
        ("select a from nowhere", "LV002"),
        ("select nothing from sales", "LV003"),
        ("select from where", "LV001"),
    ]:
        with pytest.raises(ModelError, match=code):
            lake.refresh("v", sql)
    assert lake.run("show tables like 'v*'") == []


def test_a_table_in_the_place_of_the_view_makes_room(lake, sales):
    lake.run("create table v using delta as select 1 as a")
    lake.refresh("v", sales)
    assert lake.differences("v", sales) == []


def test_a_foreign_table_in_the_place_of_the_state_is_left_alone(lake, sales):
    lake.run("create table v__state using delta as select 1 as a")
    with pytest.raises(ModelError, match="LV005"):
        lake.refresh("v", sales)
    assert lake.run("select * from v__state") == [(1,)]


def test_odd_names(lake):
    """Spark's own catalog allows letters, digits and _ in names of tables; in names of columns nearly everything."""
    lake.run("create table `order` (`select` int, `b.c` string, `größe'` int) using delta")
    lake.run("insert into `order` values (1, 'a', 2)")
    sql = "select `select`, `b.c` as `the group`, sum(`größe'`) as `sum``s` from `order` group by `select`, `b.c`"
    assert lake.refresh("table", sql).kind == "build"
    lake.run("insert into `order` values (1, 'a', 3), (2, 'it\\'s; ${x}', 4)")
    assert lake.refresh("table", sql).kind == "incremental"
    assert lake.differences("table", sql) == []
    with pytest.raises(RefreshError, match=r"odd name__state. is not a valid name"):
        lake.refresh("odd name", sql)


def test_the_record_follows_versions_without_changes_now_and_then(lake, sales, monkeypatch):
    lake.refresh("v", sales)
    lake.run("alter table sales set tblproperties ('a' = 'b')")
    monkeypatch.setattr("dbt_lazyview.maintenance.decide.ADVANCE_AFTER_VERSIONS", 0)
    assert lake.refresh("v", sales).kind == "noop"
    (_, record), (_, before) = lake.records("v")
    source = f"`spark_catalog`.`{lake.schema}`.`sales`"
    assert (record.kind, record.task, record.cut[source].version) == ("noop", before.task + 1, 2)
    assert lake.history("v__state")[0]["operationMetrics"]["numTargetFilesAdded"] == "0"
    lake.run("insert into sales values (5, 'east', 1)")
    assert lake.refresh("v", sales).kind == "incremental"
    assert lake.differences("v", sales) == []
