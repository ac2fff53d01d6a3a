"""Which inner groups are kept as auxiliary states."""

import pytest

from dbt_lazyview.compiler.compile import compile_view
from tests.unit.compiler.paper_catalog import PaperCatalog

PER_CUSTOMER = "select cust, 'shop' as channel, count(*) as n from orders group by cust"
PAIRED = """
    (select cust, count(*) as n from orders group by cust),
    (select nation, count(*) as m from customers group by nation)
"""


def kept(sql: str) -> list[tuple[str, ...]]:
    """The columns of the auxiliary states that the view itself reads, and of those that they read."""
    found = list(compile_view(sql, PaperCatalog(), owner=("v",)).auxiliaries)
    for each in found:
        found.extend(each.view.auxiliaries)
    return sorted({tuple(column.name for column in each.view.columns) for each in found})


@pytest.mark.parametrize(
    ("why", "sql"),
    [
        ("a key leads to them", f"select s from (select cust, sum(n) as s from ({PER_CUSTOMER}) group by cust)"),
        ("changes are added to what is stored", f"select channel, sum(n) as s from ({PER_CUSTOMER}) group by channel"),
    ],
)  # fmt: skip
def test_none_where(why: str, sql: str) -> None:
    assert kept(sql) == [], why


def test_groups_under_a_key_that_is_a_constant() -> None:
    most = f"select channel, max(n) as most from ({PER_CUSTOMER}) group by channel"
    assert kept(f"select most, count(*) as k from ({most}) group by most") == [("cust_2", "count_1")]


def test_groups_in_a_product_under_a_total_are_kept_before_it() -> None:
    """The total is kept too, over the states of what it sums up."""
    sql = f"select nation, t from customers, (select sum(n * m) as t from {PAIRED})"
    view = compile_view(sql, PaperCatalog(), owner=("v",))
    assert [each.name[-1] for each in view.auxiliaries] == ["v__aux_3"]
    assert sorted(each.name[-1] for each in view.auxiliaries[0].view.auxiliaries) == ["v__aux_1", "v__aux_2"]
