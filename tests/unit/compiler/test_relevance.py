"""Which rows of a source a view depends on."""

import pytest

from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.plan import Window
from tests.property.duck_lake import DuckLake

LAKE = {"a": [("k", "int"), ("x", "int"), ("y", "int")], "b": [("k", "int"), ("z", "int")]}


@pytest.mark.parametrize(
    ("sql", "predicates"),
    [
        ("select x from a where x > 1 and y = 2", {"a": "`x` > 1 AND `y` = 2"}),
        ("select x from a", {"a": ""}),
        ("select n from (select x + 1 as n from a) where n > 5", {"a": "( `x` + 1 ) > 5"}),
        ("select a.x from a join b on a.k = b.k and z = 3 where x > 1", {"a": "`x` > 1", "b": "`z` = 3"}),
        ("select a.x, z from a left join b on a.k = b.k and z = 3 where x > 1", {"a": "`x` > 1", "b": ""}),
        ("select a.x, z from a full join b on a.k = b.k where x > 1", {"a": "", "b": ""}),
        ("select x from a where x > 1 and exists (select 1 from b where b.k = a.k)", {"a": "`x` > 1", "b": ""}),
        ("select x, count(*) n from a where y = 1 group by x having x > 5", {"a": "`y` = 1"}),
        ("select x from (select x, row_number() over (order by y) r from a) where x = 1 and r = 1", {"a": ""}),
        ("select x from a where x > 1 union all select x from a where x < 0", {"a": "`x` > 1 OR `x` < 0"}),
        ("select p.x from a p join a q on p.k = q.y where p.x = 1", {"a": ""}),
    ],
)
def test_rows_that_matter(sql, predicates):
    view = compile_view(sql, DuckLake(LAKE))
    windows = {each.name: Window(0, 1, changed=True) for each in view.sources}
    found = {each.delta.source.alias: " ".join(each.predicate.split()) for each in view.relevant_changes(windows)}
    assert found == predicates
