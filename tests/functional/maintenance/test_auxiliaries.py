"""Inner aggregates that are kept for their owner: brought to its cut, shown to nobody, and right whatever happens."""

import pytest

from dbt_lazyview.maintenance.comparison import comparison
from tests.functional.bags import bag
from tests.functional.maintenance.lake import Killed, die

ABOVE_AVERAGE = (
    "with totals as (select region, sum(amount) as revenue from sales group by region) "
    "select region, revenue from totals where revenue > (select avg(amount) from sales)"
)
BEST = (
    "with totals as (select region, sum(amount) as revenue from sales group by region) "
    "select region, revenue from totals where revenue = (select max(revenue) from totals)"
)
CHANGES = (
    "insert into sales values (4, 'west', 100), (5, 'north', 1)",
    "merge into sales t using (select 2 as id union all select 4 union all select 9) s on t.id = s.id "
    "when matched and t.id = 4 then delete when matched then update set amount = amount + 40, region = 'east' "
    "when not matched then insert (id, region, amount) values (s.id, null, 9)",
    "delete from sales",
)


def tables_like(lake, words):
    return sorted(row[1] for row in lake.run(f"show tables like '{words}'"))


@pytest.mark.parametrize(("sql", "kept"), [(ABOVE_AVERAGE, 2), (BEST, 1)], ids=["scalar", "best"])
def test_follows_every_change_and_is_shown_to_nobody(lake, sales, sql, kept):
    assert lake.refresh("v", sql).kind == "build"
    auxiliaries = [f"v__aux_{number + 1}__state" for number in range(kept)]
    assert tables_like(lake, "v*") == ["v", *auxiliaries, "v__state"]
    for change in CHANGES:
        lake.run(change)
        outcome = lake.refresh("v", sql)
        assert (outcome.kind, outcome.parents) == ("incremental", ())
        assert lake.differences("v", sql) == [], change
    assert lake.refresh("v", sql).kind == "noop"
    auxiliary, owner = lake.records("v__aux_1"), lake.records("v")
    assert auxiliary[0][1].cut == owner[0][1].cut


def test_the_oracle_reads_the_tables_below(lake, sales):
    lake.refresh("v", ABOVE_AVERAGE)
    engine = lake.engine()
    compared = comparison(engine, lake.target("v", ABOVE_AVERAGE))
    assert "aux" not in compared.query
    assert bag(engine.session, compared.view) == bag(engine.session, compared.query)


@pytest.mark.long
def test_killed_between_an_auxiliary_and_its_owner(lake, sales):
    lake.refresh("v", ABOVE_AVERAGE)
    lake.run("insert into sales values (4, 'west', 100)")
    dying = lake.engine()
    dying.after["insert overwrite"] = die
    with pytest.raises(Killed):
        lake.refresh("v", ABOVE_AVERAGE, dying)
    lake.run("update sales set amount = amount * 2 where id = 2")
    assert lake.refresh("v", ABOVE_AVERAGE).kind == "incremental"
    assert lake.differences("v", ABOVE_AVERAGE) == []


@pytest.mark.long
def test_is_built_again_when_it_is_gone_or_a_full_refresh_is_asked_for(lake, sales):
    lake.refresh("v", ABOVE_AVERAGE)
    lake.run("drop table v__aux_1__state", "insert into sales values (4, 'west', 100)")
    assert lake.refresh("v", ABOVE_AVERAGE).kind == "full"
    assert lake.differences("v", ABOVE_AVERAGE) == []
    assert lake.refresh("v", ABOVE_AVERAGE, full=True).kind == "full"
    assert [record.kind for _, record in lake.records("v__aux_1")] == ["full", "build"]


@pytest.mark.long
def test_another_definition_takes_others_or_none(lake, sales):
    lake.refresh("v", BEST)
    assert lake.refresh("v", ABOVE_AVERAGE).reason == "definition_changed"
    assert lake.differences("v", ABOVE_AVERAGE) == []
    dying = lake.engine()
    dying.after["drop table"] = die
    with pytest.raises(Killed):
        lake.refresh("v", sales, dying)
    assert tables_like(lake, "v*") == ["v", "v__aux_1__state", "v__state"]
    lake.run("insert into sales values (4, 'west', 100)")
    assert lake.refresh("v", sales).kind == "incremental"
    assert tables_like(lake, "v*") == ["v", "v__state"], "what was left is dropped by the next one"
    assert lake.differences("v", sales) == []
