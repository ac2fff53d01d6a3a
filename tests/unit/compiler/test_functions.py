"""Every aggregate of Spark is known, and how it is maintained; what is not known is never added up."""

import pytest

from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.functions import ADDED, ADDED_FOR_INTEGERS, ADDED_WHILE_ROWS_COME, GROUPING_MARKS, RECOMPUTED
from dbt_lazyview.compiler.plan import Window
from dbt_lazyview.compiler.reasons import Reason
from tests.unit.compiler.paper_catalog import PaperCatalog

ARGUMENTS = {
    "count_if": "price > 5",
    "any": "price > 5", "bool_and": "price > 5", "bool_or": "price > 5", "every": "price > 5", "some": "price > 5",
    "max_by": "st, id", "min_by": "st, id",
    "corr": "price, id", "covar_pop": "price, id", "covar_samp": "price, id",
    "percentile": "price, 0.5", "percentile_approx": "price, 0.5", "approx_percentile": "price, 0.5",
    "histogram_numeric": "price, 5", "count_min_sketch": "id, 0.5, 0.5, 1",
    **{name: "price, id" for name in RECOMPUTED if name.startswith("regr_")},
}  # fmt: skip
SUFFIX = dict.fromkeys(("percentile_cont", "percentile_disc"), " within group (order by price)")


def test_every_aggregate_is_in_one_class() -> None:
    classes = [ADDED, ADDED_FOR_INTEGERS, ADDED_WHILE_ROWS_COME, RECOMPUTED, GROUPING_MARKS]
    assert sum(map(len, classes)) == len(frozenset().union(*classes))


@pytest.mark.parametrize(("names", "mode"), [(ADDED, "add"), (RECOMPUTED, "replace")], ids=["added", "recomputed"])
def test_follows_rows_that_go(names: frozenset[str], mode: str) -> None:
    assert {name: _mode(name, insert_only=False) for name in names} == dict.fromkeys(names, mode)


@pytest.mark.parametrize(
    ("names", "mode"),
    [(ADDED, "add"), (ADDED_WHILE_ROWS_COME, "add"), (RECOMPUTED, "replace")],
    ids=["added", "added while rows come", "recomputed"],
)
def test_follows_rows_that_come(names: frozenset[str], mode: str) -> None:
    assert {name: _mode(name, insert_only=True) for name in names} == dict.fromkeys(names, mode)


@pytest.mark.parametrize(("arguments", "mode"), [("id, id", "add"), ("price, id", "replace")], ids=["int", "decimal"])
def test_moments_are_added_for_integers(arguments: str, mode: str) -> None:
    for name in ADDED_FOR_INTEGERS:
        given = arguments if name.startswith("co") else arguments.split(", ")[0]
        assert _mode_of(f"{name}({given})", insert_only=False) == mode, name


def test_distinct_is_recomputed() -> None:
    for call in ("count(distinct id)", "sum(distinct price)", "avg(distinct price)", "count(distinct id, st)"):
        assert _mode_of(call, insert_only=True) == "replace", call


@pytest.mark.parametrize("call", ["total_of(price)", "tools.total_of(price)"])
def test_an_unknown_function_is_no_aggregate(call: str) -> None:
    view = compile_view(f"select cust, {call} as total from orders group by cust", PaperCatalog())
    assert [problem.reason for problem in view.problems] == [Reason.UNSUPPORTED]


def _mode(name: str, *, insert_only: bool) -> str:
    return _mode_of(f"{name}({ARGUMENTS.get(name, 'price')}){SUFFIX.get(name, '')}", insert_only=insert_only)


def _mode_of(call: str, *, insert_only: bool) -> str:
    view = compile_view(f"select cust, {call} as value from orders group by cust", PaperCatalog())
    assert view.problems == (), call
    return view.refresh({("orders",): Window(0, 1, changed=True, insert_only=insert_only)}).mode
