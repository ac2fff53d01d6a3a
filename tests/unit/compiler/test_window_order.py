"""Where rows have numbers, ties are broken by all columns, however the frame is spelt."""

import pytest

from dbt_lazyview.compiler.catalog import Column, Name, Table
from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.plan import Derive, Window


class _Catalog:
    def relation(self, name: Name, _namespace: Name | None) -> Table:
        return Table(name, (Column("a", "int"), Column("b", "int")))

    def describe(self, _sql: str) -> tuple[Column, ...]:
        return (Column("total", "bigint"),)


@pytest.mark.parametrize("frame", ["ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW", "rows unbounded preceding"])
def test_frames_of_rows_have_a_total_order(frame: str) -> None:
    view = compile_view(f"select sum(b) over (order by a {frame}) as total from t", _Catalog())
    plan = view.refresh({("t",): Window(0, 1, changed=True)})
    windowed = [step.query for step in plan.steps if isinstance(step, Derive) and " OVER " in step.query]
    assert windowed
    assert all("`b`" in query.split("ORDER BY")[1] for query in windowed)
