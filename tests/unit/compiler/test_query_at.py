"""The user's own query over chosen versions: every column and table it names is there, used or not."""

import pytest

from dbt_lazyview.compiler.compile import compile_view
from tests.property.duck_lake import DuckLake
from tests.property.duck_sql import to_duckdb

LAKE = {"a": [("k", "int"), ("x", "int")], "b": [("k", "int"), ("z", "int")]}


@pytest.mark.parametrize(
    "sql",
    [
        "select k from a",
        "select k from (select k, x + 1 as next from a)",
        "with unread as (select z from b) select k from a",
        "with unread as (select q.z from b q join a on q.k = a.k) select count(*) from a",
    ],
)
def test_runs_over_all_it_names(sql):
    lake = DuckLake(LAKE)
    lake.commit("a", [(1, 2)])
    view = compile_view(sql, lake)
    steps, query = view.query_at({source.name: 1 for source in view.sources})
    rendered = to_duckdb(lake.renderer.render("steps_as_query", steps=steps, query=query))
    assert lake.execute(rendered).fetchall() == [(1,)]
