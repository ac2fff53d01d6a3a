"""Files of states are looked after, and no full refresh runs up a bill."""

import time

import pytest

from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.engine import EngineError
from dbt_lazyview.maintenance.errors import RefreshError
from dbt_lazyview.maintenance.orphans import find_orphans
from dbt_lazyview.maintenance.status import status_of
from dbt_lazyview.maintenance.tables import Tables
from dbt_lazyview.maintenance.vacuum_guard import guards


@pytest.mark.long
def test_a_state_is_compacted_and_vacuumed_every_so_many_commits(lake, sales, merges):
    configs = {"is_parent": True, "compact_every": 2, "vacuum_every": 3}  # merged into: a file more each time
    lines = []
    for number in range(4):
        lake.run(f"insert into sales values ({number + 10}, 'r{number}', 1)")
        lines.append(lake.refresh("v", sales, **configs).line)
    assert ["compacted" in line for line in lines[:3]] == [False, False, True]
    assert ["vacuumed" in line for line in lines] == [False, False, False, True]
    assert "OPTIMIZE" in {row["operation"] for row in lake.history("v__state")}
    assert lake.refresh("v", sales, **configs).kind == "noop"

    def fail():
        raise EngineError("no rights to do that")

    lake.run("insert into sales values (20, 'north', 1)")
    engine = lake.engine()
    engine.before["optimize"] = fail
    told = lake.refresh("v", sales, engine, is_parent=True, compact_every=1).line
    assert "not compacted (no rights to do that)" in told, "and no more"
    assert lake.differences("v", sales) == []


def test_what_was_written_anew_is_not_compacted(lake, sales):
    for number in range(3):
        lake.run(f"insert into sales values ({number + 10}, 'r{number}', 1)")
        for name, is_parent in (("overwritten", False), ("rewritten", True)):
            assert "compacted" not in lake.refresh(name, sales, is_parent=is_parent, compact_every=1).line
            assert lake.refresh(name, sales, full=True, is_parent=is_parent, compact_every=1).chores == ()
    written = [row["operation"] for name in ("overwritten", "rewritten") for row in lake.history(f"{name}__state")]
    assert "OPTIMIZE" not in written


def test_a_full_refresh_beyond_the_limit_fails_unless_it_is_asked_for(lake, sales):
    assert lake.refresh("v", sales, full_refresh_limit="2 rows").kind == "build"
    for limit in ("2 rows", "100 B"):
        lake.run("update v__state set lv_count = 99", "insert into sales values (10, 'north', 1)")
        with pytest.raises(RefreshError, match=f"full_refresh_limit is {limit}") as refused:
            lake.refresh("v", sales, full_refresh_limit=limit)
        assert refused.value.reason is Reason.FULL_REFRESH_TOO_LARGE
        assert "its state table was changed by somebody else" in str(refused.value)
        assert lake.refresh("v", sales, full=True, full_refresh_limit=limit).reason == "full_refresh_requested"
        assert lake.differences("v", sales) == []
    lake.run("insert into sales values (11, 'north', 1)")
    assert lake.refresh("v", sales, full_refresh_limit="100 B").kind == "incremental"


def test_guard_and_orphans(lake, sales):
    for name, model in (("kept", "model.shop.kept"), ("gone", "model.shop.gone"), ("theirs", "model.other.theirs")):
        lake.refresh(name, sales, model=model)
    lake.run("create table files using parquet as select 1 as a")
    lake.refresh("copied", "select a from files", capture="diff", model="model.shop.copied")
    lake.run("insert into sales values (10, 'north', 1)", "create table gone2__state (a int) using delta")
    tables = Tables(lake.engine(), "UTC")
    schema = ("spark_catalog", lake.schema)
    views = [status_of(tables, (*schema, name)) for name in ("kept", "gone")]
    (guard,) = guards(tables, views, round(time.time() * 1000) + 3 * 3600 * 1000)
    assert (guard.source[-1], guard.hours, guard.table_keeps) == ("sales", 5, 168)

    def orphans(*wanted):
        schemas, names = [schema, ("spark_catalog", "no_such_schema")], {(*schema, name) for name in wanted}
        return find_orphans(Tables(lake.engine(), "UTC"), schemas, names, ["shop"])

    found = orphans("kept", "copied")
    assert [(each.table[-1], each.is_ours) for each in found] == [("gone__state", True), ("theirs__state", False)]
    lake.run("drop view gone", "create table gone (a int) using delta")
    (copied, gone, _, copy) = orphans("kept")
    assert copy.whose == f"a copy of `spark_catalog`.`{lake.schema}`.`files` that no lazy view reads"
    assert gone.statements == (f"drop table if exists `spark_catalog`.`{lake.schema}`.`gone__state`",)
    lake.run(*copied.statements, *gone.statements, *copy.statements)
    assert lake.run("select * from gone") == []
    assert [row[1] for row in lake.run("show tables like '*cop*'")] == []
    assert [each.whose for each in orphans("kept")] == ["model.other.theirs"]
