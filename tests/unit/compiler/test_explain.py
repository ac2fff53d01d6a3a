"""What explain tells: cost and rule at each operator, the terms of each source, warnings, problems."""

import pytest

from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.effects import recomputing
from dbt_lazyview.compiler.view import View
from tests.unit.compiler.paper_catalog import PaperCatalog

TABLES = {
    "orders": ["id int", "cust int", "price decimal(12,2)", "st string"],
    "customers": ["c_id int", "nation string", "rating double"],
    "days": ["d int"],
}
OF_ITS_OWN = "Make this part a lazy view of its own and read that"


def _view(sql: str) -> View:
    return compile_view(sql, PaperCatalog(TABLES))


def _rows(view: View) -> list[tuple[str, ...]]:
    """The tree's lines as operator, cost and rule, without indentation."""
    tree = view.explain().split("\n\n")[0]
    return [tuple(part.strip() for part in line.strip().split("  ") if part) for line in tree.splitlines()]


def _part(view: View, start: str) -> list[str]:
    return [part for part in view.explain().split("\n\n") if part.startswith(start)]


@pytest.mark.parametrize(
    ("sql", "cost", "operator"),
    [
        ("select id from orders where price > 1", "linear", "Where price > 1"),
        ("select price * 2 as twice from orders", "linear", "Select price * 2"),
        ("select id, nation from orders join customers on cust = c_id", "linear", "Join on cust = c_id"),
        ("select id, nation from orders left join customers on cust = c_id", "per key", "Left join on cust = c_id"),
        ("select id from orders where cust in (select c_id from customers)", "per key", "Where exists: cust = c_id"),
        ("select id from orders where cust not in (select c_id from customers)", "per key",
         "Where not exists: cust = c_id or unknown"),
        ("select cust, sum(price) as s from orders group by cust", "linear", "Group by cust: SUM(price)"),
        ("select cust, max(price) as m from orders group by cust", "per key", "Group by cust: MAX(price)"),
        ("select cust, count(distinct st) as n from orders group by cust", "per key",
         "Group by cust: COUNT(DISTINCT st)"),
        ("select n, count(*) as m from (select cust, count(*) as n from orders group by cust) group by n", "per key",
         "Group by cust: COUNT(*)"),
        ("select id, rank() over (partition by cust order by price) as r from orders", "per partition",
         "Window RANK() OVER (PARTITION BY cust ORDER BY price)"),
        ("select id, rank() over (order by price) as r from orders", "recomputed",
         "Window RANK() OVER (ORDER BY price)"),
        ("select distinct cust from orders", "linear", "Distinct cust"),
        ("select id from orders union all select c_id from customers", "linear", "Union all"),
        ("select id from orders order by price limit 3", "free", "Limit 3"),
        ("select id, n from orders cross join (values (1), (2)) as v(n)", "free", "Values (2 rows)"),
    ],
)  # fmt: skip
def test_cost_at_each_operator(sql: str, cost: str, operator: str) -> None:
    assert (operator, cost) in [row[:2] for row in _rows(_view(sql))]


def test_columns_have_the_names_of_the_query() -> None:
    view = _view(
        "select a.id from orders a where exists (select 1 from orders b where b.cust = a.cust and b.id > a.id)"
    )
    assert _rows(view)[0][0] == "Where exists: b.cust = a.cust AND b.id > a.id"


def test_a_value_without_a_name_is_shown_as_what_it_is() -> None:
    view = _view("select id from orders where price > (select avg(price) / 2 from orders)")
    assert _rows(view)[0][0] == "Where price > (AVG(price) / 2)"


def test_what_is_used_twice_is_shown_once() -> None:
    view = _view(
        "with t as (select cust, count(*) as n from orders group by cust) select a.n from t a join t b on a.cust = b.n"
    )
    rows = [row for row in _rows(view) if row[0] == "Group by cust: COUNT(*)"]
    assert [row[-1] for row in rows] == ["groups with changes, computed again", "the same as above"]


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("select id, nation from orders join customers on cust = c_id",
         ["If orders changes: 1 term", "If customers changes: 1 term"]),
        ("select a.id from orders a join orders b on a.cust = b.id", ["If orders changes: 2 terms (a, b)"]),
        ("select id, nation from orders left join customers on cust = c_id",
         ["If orders changes: 1 term", "If customers changes: 2 terms"]),
        ("select sum(n) as total from (select cust, count(*) as n from orders group by cust)",
         ["If orders changes: 2 terms"]),
        ("select id from orders where price > (select avg(price) from orders)",
         ["If orders changes: 2 terms; 1 operator computed from all rows"]),
    ],
)  # fmt: skip
def test_terms_of_each_source(sql: str, told: list[str]) -> None:
    [changes] = _part(_view(sql), "If ")
    assert changes.splitlines() == told


@pytest.mark.parametrize(
    ("sql", "about", "why", "remedy"),
    [
        ("select id from orders where price > (select avg(price) from orders)",
         "Total AVG(price)", "orders changes: a value over all rows has no key", OF_ITS_OWN),
        ("select id, rank() over (order by price) as r from orders",
         "Window RANK()", "without PARTITION BY all rows are one partition", "Give it a PARTITION BY"),
        ("select id, nation from orders left join customers on price > rating",
         "Left join on price > rating", "its condition has no equation", "Add an equation between columns"),
        ("select id, n from orders join (select c_id, count(*) as n from customers group by c_id) on price > n",
         "Group by c_id: COUNT(*)", "no equation ties its keys to the changed rows", OF_ITS_OWN),
        ("select id, d from orders join days on d > id",
         "Join on d > id", "compares every changed row with all rows of another input", "Add an equation"),
        ("select count(distinct cust) as n from orders",
         "Total COUNT(DISTINCT cust)", "without GROUP BY all rows are one group", "COUNT(*) over a SELECT DISTINCT x"),
        ("select max(price) as m from orders",
         "Total MAX(price)", "a row that went may have decided the value", "While rows only come, they are added"),
    ],
)  # fmt: skip
def test_warnings_say_what_why_and_what_would_help(sql: str, about: str, why: str, remedy: str) -> None:
    warnings = [" ".join(part.split()) for part in _part(_view(sql), "Warning: ")]
    assert any(told.startswith(f"Warning: {about}") and why in told and remedy in told for told in warnings)


@pytest.mark.parametrize(
    "sql",
    [
        "select cust, sum(price) as s from orders join customers on cust = c_id group by cust order by s limit 5",
        "select id, nation from orders left join customers on cust = c_id",
        "select id, rank() over (partition by cust order by price) as r from orders",
        "select id from orders cross join (values (1)) as v(n)",
    ],
)
def test_no_warning_where_nothing_is_expensive(sql: str) -> None:
    view = _view(sql)
    assert _part(view, "Warning: ") == []
    assert recomputing([view]) == []


def test_lines_fit_a_screen() -> None:
    names = ", ".join(f"price + {number} as a_rather_long_name_{number}" for number in range(20))
    view = _view(f"select {names}, (select avg(price) from orders) as mean from orders")
    assert max(map(len, view.explain().splitlines())) <= 120


def test_a_view_that_cannot_be_maintained_tells_its_problems_and_its_query() -> None:
    told = _view("select id, rand() as r from orders").explain()
    assert "RAND" in told.splitlines()[0]
    assert "SELECT" in told.split("\n\n")[-1]
