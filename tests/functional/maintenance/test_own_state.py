"""What others do to our own tables and views, and keys that rows do not keep: right again or refused, never stale."""

import pytest

from dbt_lazyview.compiler.reasons import ModelError, Reason
from dbt_lazyview.maintenance.errors import RefreshError

UNREADABLE = "alter table v__state {} tblproperties ('lazyview.definition.0'{})"
EVENTS = [
    ("noop", "optimize v__state"),
    ("noop", "vacuum v__state retain 0 hours"),
    ("noop", "drop view v"),
    ("state_changed", "truncate table v__state"),
    ("state_changed", "insert into v__state select * from v__state"),
    ("state_changed", "alter table v__state add columns (mine int)"),
    ("record_format", UNREADABLE.format("set", " = 'x'")),
    ("record_format", UNREADABLE.format("unset", "")),
    ("state_missing", "alter table v__state rename to elsewhere"),
]


@pytest.mark.long
def test_states_in_the_hands_of_others(lake, sales):
    lake.run(
        "set spark.databricks.delta.retentionDurationCheck.enabled = false",
    )
    lake.refresh("v", sales)
    assert lake.folder("v__state").stat().st_mode == lake.folder("sales").stat().st_mode, "no wider rights"
    outcomes = []
    for _, statement in EVENTS:
        lake.run(statement)
        outcome = lake.refresh("v", sales)
        outcomes.append((outcome.reason or outcome.kind, statement, lake.differences("v", sales)))
    assert outcomes == [(expected, statement, []) for expected, statement in EVENTS]

    lake.run("create or replace table v__state using delta as select 1 as mine")
    with pytest.raises(ModelError, match=r"LV005"):
        lake.refresh("v", sales)
    assert lake.run("select * from v__state") == [(1,)]


def test_a_violated_key(lake):
    lake.run("create table people (id int, name string) using delta", "insert into people values (1, 'a'), (2, 'b')")
    sql, child = "select id, name from people", "select count(*) as n from v"

    def refreshed(engine=None):
        return lake.refresh("v", sql, engine, unique_key=("id",), is_parent=True).kind

    def refused():
        with pytest.raises(RefreshError, match=r"(?s)unique_key is id.*id = 2: 2 rows") as problem:
            refreshed()
        assert problem.value.reason is Reason.KEY_VIOLATED

    with pytest.raises(ModelError, match=r"(?s)unique_key: nope.*LV006"):
        lake.refresh("v", sql, unique_key=("nope",))
    assert refreshed() == "build"
    assert lake.refresh("w", child).kind == "build"
    lake.run("insert into people values (2, 'c'), (3, 'd')")
    refused()
    assert "key_violated" in str(lake.run("show tblproperties v"))
    refused()
    with pytest.raises(RefreshError, match="id = 2: 2 rows"):
        lake.refresh("w", child)
    lake.run("delete from people where name = 'c'")
    assert refreshed() == "incremental"
    assert lake.differences("v", sql) == []
    engine = lake.engine()
    assert refreshed(engine) == "noop"
    assert [each for each in engine.ran if "having count" in each] == [], "looked at once"
    assert "key_violated" not in str(lake.run("show tblproperties v"))
