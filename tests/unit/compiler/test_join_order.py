"""A small delta meets the largest inputs first, whatever order the query has them in."""

import re
from dataclasses import replace

import pytest

from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.derivation import ALL_ON
from dbt_lazyview.compiler.plan import Window
from tests.unit.compiler.paper_catalog import PaperCatalog

CATALOG = PaperCatalog({"small": ["a int"], "changed": ["b int", "c int"], "large": ["d int"]})
SQL = "select a, b, d from small, changed, large where a = b and c = d"
WINDOWS = {
    ("small",): Window(1, 1, changed=False, bytes=10),
    ("changed",): Window(0, 1, changed=True, rows=3, bytes=500),
    ("large",): Window(1, 1, changed=False, bytes=1000),
}


@pytest.mark.parametrize(("largest_first", "order"), [(True, ["large", "small"]), (False, ["small", "large"])])
def test_inputs_after_the_delta(largest_first: bool, order: list[str]) -> None:
    plan = compile_view(SQL, CATALOG).refresh(WINDOWS, replace(ALL_ON, largest_first=largest_first))
    [term] = [each for step in plan.steps for each in getattr(step, "terms", ())]
    tables = re.findall(r"AS `(small|changed|large)`", term.query[term.query.index("FROM") :])
    assert tables == ["changed", *order]
