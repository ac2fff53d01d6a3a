"""Types come from the engine, by one question however many operators need them."""

from dbt_lazyview.compiler.compile import compile_view
from tests.unit.compiler.paper_catalog import PaperCatalog

NESTED = """
select cust, sum(total) as total, avg(largest) as largest
from (select cust, st, sum(price) as total, max(price) as largest from orders group by cust, st)
group by cust
"""


def test_all_types_are_one_question() -> None:
    catalog = PaperCatalog()
    compile_view(NESTED, catalog)
    columns, types = catalog.asked
    assert columns == NESTED
    assert types.startswith("WITH")
    assert all(name in types for name in ("`t0`", "`t1`", "`t2`"))


def test_nothing_is_asked_where_nothing_is_added_up() -> None:
    catalog = PaperCatalog()
    compile_view("select cust, max(price) as largest from orders group by cust", catalog)
    assert len(catalog.asked) == 1
