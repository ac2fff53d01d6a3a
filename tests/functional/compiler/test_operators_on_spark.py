"""Every operator on real Spark: DuckDB proves the algebra, Spark the semantics; a few of them through Delta's feeds."""

import os
from decimal import Decimal

import pytest

from tests.functional.compiler.rows_on_spark import RowsOnSpark
from tests.functional.maintenance.lake import Lake
from tests.property.test_operators import CASES as ALL_CASES

# Not in Spark's SQL: a column from two queries up, subqueries over both sides of a join, BY NAME, a function of DuckDB.
NOT_IN_SPARK = {
    "subquery__two_levels_up", "outer_join__exists_over_both", "outer_join__full_exists_over_both",
    "set_operation__by_name", "project__lambda",
}  # fmt: skip
NEVER_CHANGES = {"values__no_from"}
EVERYTHING = bool(os.environ.get("LAZYVIEW_ALL_OPERATORS"))  # the whole set takes minutes
ON_SPARK = [name for name in ALL_CASES if name not in NOT_IN_SPARK | NEVER_CHANGES][:: 1 if EVERYTHING else 9]
ON_DELTA = ["outer_join__left", "semi_join__exists", "window__qualify"]

ORDERS = [(1, 1, 10, "a"), (2, 1, 20, "b"), (3, 2, 5, None), (3, 2, 5, None), (7, None, 9, "b")]
CUSTOMERS = [(1, "DE"), (2, "FR"), (None, "XX"), (9, "DE")]


def _orders(*rows):
    return [(number, customer, Decimal(price), status) for number, customer, price, status in rows]


@pytest.mark.in_process("rows and changes are temporary views of this process, no tables")
@pytest.mark.long
def test_every_operator_equals_its_query(spark):
    lake = RowsOnSpark(
        spark.newSession(),
        {"orders": "id int, cust int, price decimal(12,2), st string", "customers": "c_id int, nation string"},
    )
    lake.commit("orders", _orders(*ORDERS))
    lake.commit("customers", CUSTOMERS)
    views = {name: lake.build(name, ALL_CASES[name]) for name in ON_SPARK}
    assert {name: found for name, view in views.items() if (found := view.differences())} == {}
    lake.commit("orders", _orders((4, 2, 7, "c"), (5, 1, 8, "c"), (7, None, 10, "b")), _orders(*ORDERS[2:]))
    lake.commit("customers", [(2, "IT")], [(2, "FR"), (None, "XX")])
    for view in views.values():
        view.refresh()
    assert {name: found for name, view in views.items() if (found := view.differences())} == {}


@pytest.fixture
def shop(spark):
    lake = Lake(spark, "operators_on_spark")
    lake.run(
        "create table orders (id int, cust int, price decimal(12,2), st string) using delta",
        "create table customers (c_id int, nation string) using delta",
        "insert into orders values (1, 1, 10, 'a'), (2, 1, 20, 'b'), (3, 2, 5, null), (7, null, 9, 'b')",
        "insert into orders values (3, 2, 5, null)",
        "insert into customers values (1, 'DE'), (2, 'FR'), (null, 'XX'), (9, 'DE')",
    )  # fmt: skip
    return lake


def test_operators_follow_change_feeds(shop):
    for name in ON_DELTA:
        assert shop.refresh(name, ALL_CASES[name]).kind == "build", name
    shop.run(
        "insert into orders values (4, 2, 7, 'c'), (5, 1, 8, 'c')",
        "delete from orders where id = 3",
        "update customers set nation = 'IT' where c_id = 2",
        "update orders set price = price + 1 where cust is null",
    )
    for name in ON_DELTA:
        outcome = shop.refresh(name, ALL_CASES[name])
        assert (outcome.kind, outcome.reason) == ("incremental", ""), name
        assert shop.differences(name, ALL_CASES[name]) == [], name
