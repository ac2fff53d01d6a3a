"""The pages about TPC-H and TPC-DS tell what the compiler does now."""

import pytest

from docs.maintained_queries import DOCS, TITLES, page


@pytest.mark.parametrize("benchmark", TITLES)
def test_page_is_current(benchmark: str) -> None:
    assert (DOCS / f"{benchmark}.md").read_text() == page(benchmark), "run: python -m docs.maintained_queries"
