"""By which columns rows of a view and of its query can be sampled alike, and what a sample looks like."""

from types import SimpleNamespace

import pytest

from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.maintenance.comparison import Compared, Comparison
from dbt_lazyview.maintenance.differences import Sample
from tests.macro_rendering import MacroRenderer
from tests.unit.compiler.paper_catalog import PaperCatalog


@pytest.mark.parametrize(
    ("sql", "keys"),
    [
        ("select cust as who, st, count(*) as n from orders group by cust, st", ["who", "st"]),
        ("select cust + 1 as next, count(*) as n from orders group by cust", []),
        ("select count(*) as n, sum(price) / 2 as half from orders", []),
        ("select count(*) as n, st from orders group by all having count(*) > 1 order by n limit 3", ["st"]),
        ("select id, price from orders where st = 'a'", ["id", "price"]),
        ("select id, rand() as r from orders", []),  # computed in full: nothing is stored by key
    ],
)
def test_keys_of_a_view(sql, keys):
    assert [column.name for column in compile_view(sql, PaperCatalog()).keys] == keys


def compared(*keys: str) -> Comparison:
    return Comparison("select 1 as k", "select 2 as k", (Compared("k", is_float=False),), keys)


def test_both_sides_are_sampled_alike():
    rendered = MacroRenderer().render("first_differences", compared=compared("`k`"), limit=5, sample=Sample(2.5, 42))
    assert rendered.count("where pmod(xxhash64(`k`, 42), 10000) < 250") == 4


@pytest.mark.parametrize(("keys", "sample"), [((), Sample(5, 1)), (("`k`",), None)])
def test_all_is_compared_without_keys_or_sample(keys, sample):
    rendered = MacroRenderer().render("first_differences", compared=compared(*keys), limit=5, sample=sample)
    assert "xxhash64" not in rendered


def test_names_of_the_view_cannot_clash_with_ours():
    columns = (Compared("only_in", is_float=False), Compared("a`b", is_float=True))
    told = SimpleNamespace(view="v", query="q", columns=columns, keys=())
    rendered = MacroRenderer().render("bag_difference", compared=told)
    assert "format_string('%.11e', `a``b`) as `a``b`" in rendered
    assert " as only_in" not in rendered
