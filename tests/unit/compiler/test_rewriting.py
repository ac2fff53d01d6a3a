"""Shorthand becomes the plain SQL it stands for."""

import pytest

from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.dialect import DIALECT
from dbt_lazyview.compiler.expand import expand_views, read_query
from dbt_lazyview.compiler.parse import parse_query
from dbt_lazyview.compiler.rewriting.context import Context
from dbt_lazyview.compiler.rewriting.generators import with_named_generators
from dbt_lazyview.compiler.rewriting.spelling import spelled_out
from dbt_lazyview.compiler.rewriting.stars import without_inner_stars
from tests.unit.compiler.paper_catalog import PaperCatalog

SPELLED_OUT = {
    "values": ("select * from values (1, 'a')", "SELECT * FROM VALUES (1, 'a') AS lv_values(col1, col2)"),
    "values without parentheses": ("select * from values 1, 2 as t(n)", "SELECT * FROM VALUES (1), (2) AS t(n)"),
    "unpivot": (
        "select * from orders unpivot (v for n in (Cust, id as Two))",
        "SELECT * FROM (SELECT `orders`.* EXCEPT (`Cust`, `id`), lv_unpivot.lv_turned.`n` AS `n`, "
        "lv_unpivot.lv_turned.`v` AS `v` FROM orders LATERAL VIEW EXPLODE(ARRAY(STRUCT('Cust' AS `n`, Cust AS `v`), "
        "STRUCT('Two' AS `n`, id AS `v`))) lv_unpivot AS lv_turned WHERE NOT lv_unpivot.lv_turned.`v` IS NULL) "
        "AS `orders`",
    ),
    "arrays_zip": (
        "select arrays_zip(Xs, array(1)) from t",
        "SELECT TRANSFORM(ARRAYS_ZIP(COALESCE(Xs), COALESCE(ARRAY(1))), lv_element -> "
        "STRUCT(lv_element.`0` AS `Xs`, lv_element.`1` AS `1`)) FROM t",
    ),
}


@pytest.mark.parametrize("name", SPELLED_OUT)
def test_is_spelled_out(name: str) -> None:
    short, plain = SPELLED_OUT[name]
    assert spelled_out(parse_query(short)).sql(DIALECT) == plain


GENERATORS = {
    "explode of an array": ("lateral view explode(array(id)) e", "e AS `col`"),
    "explode of a map": ("lateral view explode(map('a', id)) e", "e AS `key`, `value`"),
    "posexplode": ("lateral view posexplode(sequence(1, id)) e", "e AS `pos`, `col`"),
    "stack": ("lateral view stack(2, 'a', id, 'b') s", "s AS `col0`, `col1`"),
    "json_tuple": ("lateral view json_tuple(st, 'a', 'b') j", "j AS `c0`, `c1`"),
    "explode of something": ("lateral view explode(unknown(id)) e", "e AS `key`, `value`"),
    "inline": ("lateral view inline(unknown(id)) i", "i AS `a`, `b`"),
}


@pytest.mark.parametrize("name", GENERATORS)
def test_generators_are_named(name: str) -> None:
    clause, named = GENERATORS[name]
    assert named in _rewritten(f"select id from orders {clause}", {"UNKNOWN": ["a", "b"]})


def test_generators_are_asked_about_where_they_stand() -> None:
    catalog = PaperCatalog(answers={"UNKNOWN": ["key", "value"]})
    sql = (
        "with a as (select id as x from orders), b as (select x from a), c as (select * from b) "
        "select * from b lateral view explode(unknown(b.x)) e"
    )
    assert compile_view(sql, catalog).problems == ()
    assert any(asked.startswith("WITH `a` AS (SELECT") or asked.startswith("WITH a AS") for asked in catalog.asked)


STARS = {
    "fields of a struct": (
        "select s.* from (select struct(id as a) as s from orders)",
        "`s`.`a` AS `a`",
        {"s.*": ["a"]},
    ),
    "arguments": ("select hash(*) as h from orders", "HASH(`id`, `cust`, `price`, `st`)", {}),
    "arguments of a relation": ("select hash(o.*) as h from orders as o", "HASH(o.`id`, o.`cust`", {}),
    "struct of all": ("select struct(*) as s from customers", "STRUCT(`c_id` AS `c_id`, `nation` AS `nation`)", {}),
    "count of all": ("select count(distinct *) as n from customers", "COUNT(DISTINCT `c_id`, `nation`)", {}),
    "count of rows": ("select count(*) as n from customers", "COUNT(*)", {}),
}


@pytest.mark.parametrize("name", STARS)
def test_stars_inside_are_written_out(name: str) -> None:
    sql, plain, answers = STARS[name]
    assert plain.replace("`", "") in _rewritten(sql, answers).replace("`", "")


def test_a_moment_that_is_written_out_is_pinned() -> None:
    view = compile_view("select o.id, p.st from orders o join orders version as of 3 p on p.id = o.id", PaperCatalog())
    assert [(each.alias, each.at) for each in view.reads] == [("orders", ""), ("orders_2", "VERSION AS OF 3")]
    assert [each.alias for each in view.sources] == ["orders"]


def _rewritten(sql: str, answers: dict[str, list[str]]) -> str:
    catalog = PaperCatalog(answers=answers)
    expanded = expand_views(read_query(sql), catalog, sql)
    context = Context(catalog, expanded.tables)
    return with_named_generators(without_inner_stars(expanded.query, context), context).sql(DIALECT)
