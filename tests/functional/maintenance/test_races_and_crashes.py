"""Whatever happens at whatever moment: the view shows one cut exactly, and the next refresh goes on."""

import pytest

from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance import refresh as refreshing
from dbt_lazyview.maintenance.engine import EngineError
from dbt_lazyview.maintenance.errors import RefreshError
from dbt_lazyview.names import SETTING_TRANSACTION_APP, SETTING_TRANSACTION_VERSION, SETTING_USER_METADATA
from tests.functional.maintenance.lake import Killed, die

OTHER = "select region, max(amount) as highest from sales group by region having max(amount) > 5"


@pytest.fixture
def view(lake, sales):
    """A view with a change pending."""
    lake.refresh("v", sales)
    lake.run("insert into sales values (4, 'north', 1), (5, 'west', 2)")
    return sales


@pytest.mark.parametrize("strategy", ["insert overwrite", "merge into", "fold"])
def test_two_refreshers_apply_a_change_once(lake, view, strategy, request):
    """The second one commits after the first one planned: the same task number, so one of them wins."""
    configs = {"is_parent": strategy != "insert overwrite"}
    if strategy == "merge into":
        request.getfixturevalue("merges")
    lake.refresh("v", view, **configs)
    lake.run("insert into sales values (6, 'north', 100)")
    slow = lake.engine()
    slow.before[strategy] = lambda: lake.refresh("v", view, **configs)
    assert lake.refresh("v", view, slow, **configs).kind == "noop"
    assert lake.differences("v", view) == []
    tasks = [record.task for _, record in lake.records("v")]
    assert len(tasks) == len(set(tasks)) == 3


def test_a_refresher_that_always_loses_says_so(lake, view, monkeypatch):
    monkeypatch.setattr(refreshing, "ATTEMPTS", 2)

    def interfere():
        slow.before["insert overwrite"] = interfere
        lake.refresh("v", view)
        lake.run("insert into sales values (6, 'north', 100)")

    slow = lake.engine()
    slow.before["insert overwrite"] = interfere
    with pytest.raises(RefreshError) as lost:
        lake.refresh("v", view, slow)
    assert lost.value.reason is Reason.LOST_RACE
    lake.refresh("v", view)
    assert lake.differences("v", view) == []


def test_a_writer_commits_during_the_refresh(lake, view):
    slow = lake.engine()
    slow.before["insert overwrite"] = lambda: lake.run("insert into sales values (6, 'north', 100)")
    assert lake.refresh("v", view, slow).kind == "incremental"
    assert lake.run("select sum(orders) from v") == [(5,)]
    assert lake.refresh("v", view).changes == 1
    assert lake.differences("v", view) == []


def test_somebody_changes_the_state_during_the_refresh(lake, view):
    slow = lake.engine()
    slow.before["insert overwrite"] = lambda: lake.run("delete from v__state where lv_count = 1")
    assert lake.refresh("v", view, slow).reason == "state_changed"
    assert lake.differences("v", view) == []


def test_somebody_changed_the_state_and_the_refresher_died(lake, view):
    """The change lies below our newest record: the record tells which version it was based on."""
    slow = lake.engine()
    slow.before["insert overwrite"] = lambda: lake.run("delete from v__state where lv_count = 1")
    slow.after["insert overwrite"] = die
    with pytest.raises(Killed):
        lake.refresh("v", view, slow)
    assert lake.refresh("v", view).reason == "state_changed"
    assert lake.differences("v", view) == []


@pytest.mark.parametrize(("moment", "statement"), [("before", "insert overwrite"), ("after", "insert overwrite")])
def test_killed_around_the_commit(lake, view, moment, statement):
    dying = lake.engine()
    getattr(dying, moment)[statement] = die
    with pytest.raises(Killed):
        lake.refresh("v", view, dying)
    assert lake.refresh("v", view).kind == ("incremental" if moment == "before" else "noop")
    assert lake.differences("v", view) == []


@pytest.mark.parametrize("statement", ["create or replace table", "create or replace view"])
def test_killed_during_the_first_build(lake, sales, statement):
    dying = lake.engine()
    dying.before[statement] = die
    with pytest.raises(Killed):
        lake.refresh("v", sales, dying)
    lake.refresh("v", sales)
    assert lake.differences("v", sales) == []


@pytest.mark.parametrize("moment", ["before the state", "after the state"])
def test_killed_while_the_definition_changes(lake, view, moment):
    """Readers see the old definition at the old cut until the new one is complete."""
    shown = lake.run("select * from v order by region")
    dying = lake.engine()
    if moment == "before the state":
        dying.before["create or replace table"] = die
    else:
        dying.after["create or replace table"] = die
    with pytest.raises(Killed):
        lake.refresh("v", OTHER, dying)
    assert lake.run("select * from v order by region") == shown
    lake.refresh("v", OTHER)
    assert lake.differences("v", OTHER) == []


def test_a_failed_statement_leaves_the_view_as_it_was(lake, view):
    def fail():
        raise EngineError("out of disk")

    broken = lake.engine()
    broken.before["insert overwrite"] = fail
    with pytest.raises(RefreshError, match=r"v` was not refreshed: out of disk") as failed:
        lake.refresh("v", view, broken)
    assert failed.value.reason is Reason.REFRESH_FAILED
    assert lake.refresh("v", view).kind == "incremental"


def test_settings_of_the_record_do_not_leak(lake, view):
    engine = lake.engine()
    lake.refresh("v", view, engine)
    for key in (SETTING_USER_METADATA, SETTING_TRANSACTION_APP, SETTING_TRANSACTION_VERSION):
        assert engine.query(f"set {key}")[0]["value"] == "<undefined>"
    engine.execute("insert into sales values (6, 'north', 1)")
    engine.execute("insert into sales values (7, 'north', 1)")
    assert [row["userMetadata"] for row in lake.history("sales")[:2]] == [None, None]
    assert lake.run("select count(*) from sales where id in (6, 7)") == [(2,)]
