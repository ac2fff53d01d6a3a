"""Subtrees whose changes have a key in common read each table once, for the keys that changed; others as before."""

from collections import Counter
from dataclasses import replace

import pytest

from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.derivation import ALL_ON
from dbt_lazyview.compiler.passes.staging import BYTES_READ_AT_COST
from dbt_lazyview.compiler.plan import Derive, ReadSource, RefreshPlan, Step, Window
from tests.unit.compiler.paper_catalog import PaperCatalog

CATALOG = PaperCatalog(
    {
        "o": ["id int", "cust int", "at date", "note string"],
        "l": ["oid int", "part int", "n int", "sent date"],
        "c": ["cid int", "name string", "code string"],
    }
)
LARGE = 100 * BYTES_READ_AT_COST
SOME_LINE = "select cust from o where exists (select 1 from l where oid = id)"


def _plan(sql: str, *unchanged: str, **options: bool) -> RefreshPlan:
    view = compile_view(sql, CATALOG)
    windows = {each.name: Window(0, 1, changed=each.alias not in unchanged, bytes=LARGE) for each in view.sources}
    return view.refresh(windows, replace(ALL_ON, **options))


def _goes_by_keys(plan: RefreshPlan) -> bool:
    return any(step.name == "touched_keys" for step in _steps(plan))


def _steps(plan: RefreshPlan) -> list[Step]:
    return [*(step for stage in plan.stages for step in stage.steps), *plan.steps]


def _times_read(plan: RefreshPlan) -> Counter[str]:
    """How many statements read each table as it is."""
    return Counter(step.source.alias for step in _steps(plan) if isinstance(step, ReadSource))


@pytest.mark.parametrize(
    "sql",
    [
        SOME_LINE,
        "select cust from o where not exists (select 1 from l where oid = id and n > 1)",
        "select cust, n from o left join l on oid = id",
        "select cust, n from o full join l on oid = id",
        "select cust from o where id in (select oid from l group by oid having sum(n) > 3)",
        "select id, count(n) as n from o left join l on oid = id group by id",
        "select at, row_number() over (partition by id order by n) as place from o join l on oid = id",
        "select id, count(*) from (select id from o union all select oid from l) group by id having count(*) > 1",
        "select x.part from l x where exists (select 1 from l y where y.oid = x.oid and y.part <> x.part)",
    ],
)
def test_large_tables_are_read_once(sql: str) -> None:
    if "having count(*) > 1" in sql:
        sql = f"select q.id from ({sql}) q join c on q.id = cid"  # at the root, groups are added to
    plan = _plan(sql, "c")
    assert _goes_by_keys(plan)
    assert set(_times_read(plan).values()) == {1}
    assert not _goes_by_keys(_plan(sql, "c", share_keys=False))


@pytest.mark.parametrize(
    ("why", "sql", "unchanged"),
    [
        ("joined rows have a term each", "select cust, n from o join l on oid = id", ()),
        ("one change, one operator", SOME_LINE, ("l",)),
        ("one change, one operator", SOME_LINE, ("o",)),
        (
            "equal texts and numbers are no key",
            "select cust from o where exists (select 1 from l where oid = note)",
            (),
        ),
        ("keys are computed", "select cust from o where exists (select 1 from l where oid + 1 = id)", ()),
        ("no equation", "select cust from o where exists (select 1 from l where oid > id)", ()),
        ("a range is closer", "select cust from o where exists (select 1 from l where oid = id and sent > at)", ()),
        ("NULL matches everything", "select cust from o where id not in (select oid from l)", ()),
        ("groups of all keys", "select cust, m from o left join (select max(n) as m from l) on m = id", ()),
        (
            "partitions across keys",
            "select cust, k from o join (select oid, rank() over (order by n) as k from l) on oid = id",
            (),
        ),
        (
            "what is equal only in rows with a match",
            "select x.cust from o x cross join o y left join l on oid = x.id and oid = y.id",
            (),
        ),
    ],
)
def test_nothing_is_taken_for_a_key(why: str, sql: str, unchanged: tuple[str, ...]) -> None:
    assert not _goes_by_keys(_plan(sql, *unchanged)), why


def test_a_finer_key_below_is_better() -> None:
    pairs = "select oid, part, sum(n) as m from l group by oid, part"
    orders = f"select cust, m from o left join ({pairs}) on oid = id and part = cust"
    plan = _plan(f"select cid from c where exists (select 1 from ({orders}) where cust = cid and m > 3)", "c", "o")
    (keys,) = {step.query for step in _steps(plan) if isinstance(step, Derive) and step.name == "touched_keys"}
    assert "lv_key_1" in keys
