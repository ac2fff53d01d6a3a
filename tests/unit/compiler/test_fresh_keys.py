"""Terms that would meet rows from before are left out where the extents of keys prove that there is nothing to meet."""

from dataclasses import replace

import pytest

from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.derivation import ALL_ON
from dbt_lazyview.compiler.plan import Extent, ReadSource, Window
from tests.unit.compiler.paper_catalog import PaperCatalog

CATALOG = PaperCatalog({"o": ["id bigint", "c int", "d date"], "l": ["oid int", "n int", "e date"]})
BY_KEY = "select c, sum(n) as n from o join l on id = oid group by c"


def _windows(came: tuple[Extent, ...] = (), before: tuple[Extent, ...] = ()) -> dict[tuple[str, ...], Window]:
    """New rows of both tables; what is told stands for both."""
    window = Window(0, 1, changed=True, insert_only=True, rows=3, came=came, before=before)
    return {("o",): window, ("l",): window}


def _both(low: int | str, high: int | str, *columns: str) -> tuple[Extent, ...]:
    return tuple(Extent(each, low, high) for each in columns)


KEYS = ("id", "oid")
APART = _windows(came=_both(10, 12, *KEYS), before=_both(1, 9, *KEYS))


def _terms_and_tables(sql: str, windows: dict[tuple[str, ...], Window], **options: bool) -> tuple[int, set[str]]:
    plan = compile_view(sql, CATALOG).refresh(windows, replace(ALL_ON, **options))
    terms = [each for step in plan.steps for each in getattr(step, "terms", ())]
    return len(terms), {step.source.alias for step in plan.steps if isinstance(step, ReadSource)}


def test_new_rows_meet_each_other_alone() -> None:
    assert _terms_and_tables(BY_KEY, APART) == (1, set())
    assert _terms_and_tables(BY_KEY, APART, fresh_keys=False) == (2, {"o", "l"})


@pytest.mark.parametrize(
    ("why", "sql", "windows"),
    [
        ("keys overlap", BY_KEY, _windows(_both(9, 12, *KEYS), _both(1, 9, *KEYS))),
        ("nothing is known of what was there", BY_KEY, _windows(_both(9, 12, *KEYS))),
        ("nothing is known of what came", BY_KEY, _windows(before=_both(1, 9, *KEYS))),
        ("a number is no date", BY_KEY, _windows(_both(10, 12, *KEYS), _both("2024-01-01", "2024-01-31", *KEYS))),
        ("NULL equals NULL", "select c, n from o join l on id <=> oid", APART),
        ("keys are computed", "select c, n from o join l on id = oid + 1", APART),
        ("keys are computed below", "select c, n from o join (select oid * 2 as k, n from l) on id = k", APART),
        ("no equation", "select c, n from o join l on id > oid", APART),
        ("one of two will do", "select c, n from o join l on id = oid or c = n", APART),
    ],
)
def test_nothing_is_taken_for_granted(why: str, sql: str, windows: dict[tuple[str, ...], Window]) -> None:
    assert _terms_and_tables(sql, windows) == (2, {"o", "l"}), why


@pytest.mark.parametrize(
    "sql",
    [
        "select c, n from o join l on id = oid and c < n",
        "select c, n from (select id as k, c from o where c > 0) join (select oid, n from l where n > 1) on oid = k",
    ],
)
def test_keys_pass_filters_and_other_names(sql: str) -> None:
    assert _terms_and_tables(sql, APART) == (1, set())


def test_dates_are_keys_too() -> None:
    dates = _windows(_both("2024-03-01", "2024-03-02", "d", "e"), _both("2023-12-31", "2024-02-29", "d", "e"))
    assert _terms_and_tables("select c, n from o join l on d = e", dates) == (1, set())


def test_only_columns_that_are_compared_are_asked_for() -> None:
    sql = "select c, n from o join l on id = oid and d = e and c < n"
    assert compile_view(sql, CATALOG).compared_columns == {("o",): ("d", "id"), ("l",): ("e", "oid")}
