"""What may be bounded by the keys of the changes, and what may not."""

import pytest
from sqlglot import parse_one

from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.derivation import ALL_ON, Options
from dbt_lazyview.compiler.dialect import DIALECT
from dbt_lazyview.compiler.passes.literal_bounds import literal
from dbt_lazyview.compiler.plan import Window
from tests.unit.compiler.paper_catalog import PaperCatalog

TABLES = {
    "orders": ["id int", "cust int", "price decimal(12,2)", "st string", "at timestamp"],
    "customers": ["c_id int", "nation string", "since timestamp", "big bigint"],
    "nations": ["n_name string", "region string"],
}


def _ranges(sql: str, *changed: str, options: Options = ALL_ON) -> dict[str, str]:
    """Columns of steps (and keys of the state, as .key) with the columns of deltas that bound them."""
    view = compile_view(sql, PaperCatalog(TABLES))
    windows = {each.name: Window(0, 1, changed=each.alias in changed) for each in view.sources}
    found = view.refresh(windows, options).ranges
    return {
        f"{each.step}.{each.column}": ", ".join(f"{one.delta.name}.{one.column}" for one in each.deltas)
        for each in found
    }


JOIN = "select nation, sum(price) as s from orders join customers on cust = c_id group by nation"


def test_the_other_side_of_a_join() -> None:
    assert _ranges(JOIN, "orders") == {"new_customers.c_id": "delta_orders.cust"}


def test_keys_of_the_state_that_come_from_the_changes() -> None:
    found = _ranges(JOIN, "customers")
    assert found == {"new_orders.cust": "delta_customers.c_id", ".nation_2": "delta_customers.nation"}


def test_by_way_of_another_column() -> None:
    found = _ranges("select cust, max(price) as m from orders join customers on cust = c_id group by cust", "orders")
    assert found["new_customers.c_id"] == "delta_orders.cust"


def test_groups_that_are_computed_again_for_the_keys_of_two_deltas() -> None:
    sql = "select id, n from orders join (select c_id, count(*) as n from customers group by c_id) on cust = c_id"
    assert _ranges(sql, "orders", "customers")["new_customers.c_id"] == "delta_customers.c_id, delta_orders.cust"


def test_the_padded_side_of_an_outer_join() -> None:
    sql = "select id, nation from orders left join customers on cust = c_id"
    assert "new_customers.c_id" in _ranges(sql, "orders")


def test_relations_of_the_same_name_in_two_subqueries() -> None:
    sql = (
        "select id from orders o where exists (select 1 from customers x where x.c_id = o.cust) "
        "and exists (select 1 from nations x where x.n_name = o.st)"
    )
    expected = {"new_orders.cust": "delta_customers.c_id", "new_customers.c_id": "delta_customers.c_id"}
    assert _ranges(sql, "customers") == expected


@pytest.mark.parametrize(
    ("why", "sql", "changed"),
    [
        ("no equation", "select id, nation from orders join customers on cust > c_id", ["orders"]),
        ("types differ", "select id, nation from orders join customers on cust = big", ["orders"]),
        ("an hour of a timestamp may come twice", "select id, nation from orders join customers on at = since",
         ["orders"]),
        ("only an expression is equal", "select id, nation from orders join customers on cust + 1 = c_id", ["orders"]),
        ("all rows are read for a total", "select id from orders where cust > (select avg(c_id) from customers)",
         ["orders"]),
        ("every row is numbered", "select id, r from orders join "
         "(select c_id, row_number() over (order by nation) as r from customers) on cust = c_id", ["orders"]),
        ("another place reads all rows",
         "select id, nation from orders join customers on cust = c_id where cust < (select max(c_id) from customers)",
         ["orders"]),
    ],
)  # fmt: skip
def test_not_where(why: str, sql: str, changed: list[str]) -> None:
    assert [name for name in _ranges(sql, *changed) if name.startswith("new_customers")] == [], why


def test_not_where_it_is_switched_off() -> None:
    assert _ranges(JOIN, "orders", options=Options(literal_bounds=False)) == {}


@pytest.mark.parametrize("value", ["it's", 'a "b"', "back\\slash", "line\nbreak", ""])
def test_texts_stay_what_they_are(value: str) -> None:
    assert parse_one(literal(value, "string"), dialect=DIALECT).name == value
