"""Partial catch-up: a view at an earlier point, the rest still pending."""

import pytest

from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.errors import RefreshError
from dbt_lazyview.maintenance.plan import Request
from dbt_lazyview.maintenance.refresh import refresh
from dbt_lazyview.maintenance.state import load_state
from dbt_lazyview.maintenance.tables import Tables
from dbt_lazyview.maintenance.tasks import task_of
from dbt_lazyview.maintenance.until import Until
from tests.functional.maintenance.lake import Lake

JOINED = "select s.region, count(*) as n from sales s join regions r on s.region = r.name group by s.region"


def pending(lake: Lake, name: str) -> tuple[int, int | None]:
    tables = Tables(lake.engine(), "UTC")
    task = task_of(tables, load_state(tables, lake.target(name, "").state))
    return task.commits, task.rows


def bring(lake: Lake, name: str, sql: str, until: Until) -> str:
    return refresh(lake.engine(), lake.target(name, sql), Request(until=until)).kind


def test_a_view_of_one_table_up_to_a_version(lake, sales):
    lake.refresh("v", sales)
    for number in (4, 5, 6):
        lake.run(f"insert into sales values ({number}, 'north', 1)")
    assert pending(lake, "v") == (3, 3)
    assert bring(lake, "v", sales, Until("3", version=3)) == "incremental"
    assert lake.differences("v", sales.replace("from sales", "from sales version as of 3")) == []
    assert pending(lake, "v") == (1, 1)
    with pytest.raises(RefreshError, match="already past 2"):
        bring(lake, "v", sales, Until("2", version=2))
    with pytest.raises(RefreshError, match="no version of 99") as unreachable:
        bring(lake, "v", sales, Until("99", version=99))
    assert unreachable.value.reason is Reason.POINT_UNREACHABLE
    assert lake.refresh("v", sales).kind == "incremental"
    assert lake.differences("v", sales) == []


@pytest.mark.long
def test_a_view_of_two_tables_up_to_a_moment(lake, sales):
    lake.run("create table regions (name string) using delta", "insert into regions values ('north'), ('south')")
    lake.refresh("v", JOINED)
    lake.run("insert into sales values (4, 'north', 1)", "insert into regions values ('south')")
    moment = lake.run("describe history regions limit 1")[0][1]
    lake.run("insert into sales values (5, 'north', 1)", "delete from regions where name = 'north'")
    until = Until("then", moment=round(moment.timestamp() * 1000))
    assert bring(lake, "v", JOINED, until) == "incremental"
    then = JOINED.replace("sales s", "sales version as of 2 s").replace("regions r", "regions version as of 2 r")
    assert lake.differences("v", then) == []
    assert pending(lake, "v") == (2, 2)
    with pytest.raises(RefreshError, match="Give a timestamp"):
        bring(lake, "v", JOINED, Until("2", version=2))
    lake.refresh("v", JOINED)
    assert lake.differences("v", JOINED) == []
    assert pending(lake, "v") == (0, 0)
