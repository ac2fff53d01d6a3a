"""When a delta is grouped before it is joined."""

import pytest

from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.derivation import ALL_ON, Options
from dbt_lazyview.compiler.passes.broadcast_hints import FEW_ROWS
from dbt_lazyview.compiler.plan import Window
from tests.unit.compiler.paper_catalog import PaperCatalog

REVENUE = "select nation, sum(price) as s from orders join customers on cust = c_id where st <> 'x' group by nation"
UNCHANGED, MANY = Window(1, 1, changed=False), Window(0, 1, changed=True)


def _early(sql: str, orders: Window = MANY, customers: Window = UNCHANGED, options: Options = ALL_ON) -> list[str]:
    """The queries of grouped deltas in a plan, in one line each."""
    view = compile_view(sql, PaperCatalog())
    plan = view.refresh({("orders",): orders, ("customers",): customers}, options)
    steps = [step for each in plan.stages for step in each.steps] + list(plan.steps)
    return [" ".join(step.query.split()) for step in steps if step.name.startswith("grouped_delta")]  # type: ignore[union-attr]


def test_by_the_columns_of_the_join_with_its_own_filters_first() -> None:
    [query] = _early(REVENUE)
    assert "WHERE `orders`.`st` <> 'x'" in query
    assert query.startswith("SELECT `orders`.`cust` AS `cust`, SUM(`orders`.`lv_weight`) AS `lv_weight`")
    assert query.endswith("GROUP BY 1")


def test_rows_that_only_came_are_counted() -> None:
    [query] = _early(REVENUE, orders=Window(0, 1, changed=True, insert_only=True))
    assert "SUM(1) AS `lv_weight`" in query


@pytest.mark.parametrize("rows", [None, FEW_ROWS + 1])
def test_where_many_rows_changed_or_nobody_knows(rows: int | None) -> None:
    assert len(_early(REVENUE, orders=Window(0, 1, changed=True, rows=rows))) == 1


@pytest.mark.parametrize(
    ("why", "sql", "orders", "customers"),
    [
        ("few rows changed", REVENUE, Window(0, 1, changed=True, rows=10), UNCHANGED),
        ("what is summed is not in the delta", REVENUE, UNCHANGED, MANY),
        ("the other input is read as it was, with weights", REVENUE, MANY, MANY),
        ("there is no join", "select cust, sum(price) as s from orders group by cust", MANY, UNCHANGED),
        ("all columns are needed by the join and the groups",
         "select cust, count(*) as n from orders join customers on cust = c_id group by cust", MANY, UNCHANGED),
        ("groups are computed again, not added to",
         "select nation, count(distinct price) as n from orders join customers on cust = c_id group by nation",
         MANY, UNCHANGED),
    ],
)  # fmt: skip
def test_not_where(why: str, sql: str, orders: Window, customers: Window) -> None:
    assert _early(sql, orders, customers) == [], why


def test_not_where_it_is_switched_off() -> None:
    assert _early(REVENUE, options=Options(group_early=False)) == []
