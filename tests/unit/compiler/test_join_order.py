"""A small delta meets the largest inputs first, whatever order the query has them in."""

import re
from dataclasses import replace

import pytest

from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.derivation import ALL_ON
from dbt_lazyview.compiler.operators.join import BROADCAST_BYTES, LARGE_INPUT
from dbt_lazyview.compiler.passes.broadcast_hints import VERY_FEW_ROWS
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


@pytest.mark.parametrize("rows", [3, VERY_FEW_ROWS + 1, None])
def test_what_is_not_tied_yet_has_to_wait(rows: int | None) -> None:
    """Under hints Spark keeps the order that it is given, and would multiply the delta with the large input."""
    windows = {**WINDOWS, ("small",): Window(0, 1, changed=True, rows=rows), ("changed",): Window(1, 1, changed=False)}
    plan = compile_view(SQL, CATALOG).refresh(windows)
    queries = [each.query for step in plan.steps for each in getattr(step, "terms", ())]
    tables = re.findall(r"AS `(small|changed|large)`", queries[0][queries[0].index("FROM") :])
    assert tables == ["small", "changed", "large"]


CHAIN = PaperCatalog({"changed": ["a int"], "middle": ["b int", "c int"], "last": ["d int", "e int"]})
CHAIN_SQL = "select a, e from changed, middle, last where a = b and c = d"


@pytest.mark.parametrize(("rows", "is_broadcast"), [(3, True), (VERY_FEW_ROWS + 1, False), (None, False)])
def test_what_very_few_changes_meet_is_broadcast_to_the_next_large_input(rows: int | None, is_broadcast: bool) -> None:
    windows = {
        ("changed",): Window(0, 1, changed=True, rows=rows, bytes=1),
        ("middle",): Window(1, 1, changed=False, bytes=LARGE_INPUT),
        ("last",): Window(1, 1, changed=False, bytes=LARGE_INPUT),
    }
    plan = compile_view(CHAIN_SQL, CHAIN).refresh(windows)
    [term] = [each for step in plan.steps for each in getattr(step, "terms", ())]
    assert ("BROADCAST(`met`)" in term.query) is is_broadcast
    assert [step.name for step in plan.steps if step.name == "met"] == (["met"] if is_broadcast else [])


@pytest.mark.parametrize(
    ("why", "sql", "sizes"),
    [
        ("the last input is small", CHAIN_SQL, (1000, LARGE_INPUT, LARGE_INPUT - 1)),
        ("a tenth of a large input is much", CHAIN_SQL, (3000, 20 * BROADCAST_BYTES, LARGE_INPUT)),
        (
            "what lies below is perhaps most of it",
            CHAIN_SQL.replace("a = b", "a < b"),
            (1000, LARGE_INPUT, LARGE_INPUT),
        ),
    ],
)
def test_what_is_met_is_not_named_where(why: str, sql: str, sizes: tuple[int, int, int]) -> None:
    changed, middle, last = sizes
    windows = {
        ("changed",): Window(0, 1, changed=True, rows=3, bytes=changed),
        ("middle",): Window(1, 1, changed=False, bytes=middle),
        ("last",): Window(1, 1, changed=False, bytes=last),
    }
    assert "met" not in [step.name for step in compile_view(sql, CHAIN).refresh(windows).steps], why
