"""The pages about TPC-H and TPC-DS tell what the compiler does now."""

import pytest

from docs.maintained_queries import DOCS, TITLES, page


@pytest.mark.parametrize("benchmark", TITLES)
def test_page_is_current(benchmark: str) -> None:
    assert (DOCS / f"{benchmark}.md").read_text() == page(benchmark), "run: python -m docs.maintained_queries"


@pytest.mark.parametrize(("benchmark", "count"), [("tpch", 22), ("tpcds", 99)])
def test_all_have_an_incremental_plan(benchmark: str, count: int) -> None:
    """Says the page, which is current."""
    assert f"**{count} of {count} are incremental.**" in (DOCS / f"{benchmark}.md").read_text()
