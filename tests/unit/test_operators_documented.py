"""Every operator has its page, and the trees the pages quote are those the compiler makes."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OPERATORS = sorted(path.stem for path in (ROOT / "dbt_lazyview/compiler/operators").glob("[!_]*.py"))
PAGES = sorted((ROOT / "docs/operators").glob("*.md"))


@pytest.mark.parametrize("operator", OPERATORS)
def test_operator_has_a_page_with_an_example(operator: str) -> None:
    page = (ROOT / "docs/operators" / f"{operator}.md").read_text()
    assert f"operators/{operator}.py" in page
    assert "<!-- golden: " in page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_quotes_are_current(page: Path) -> None:
    assert page.read_text() == _quoting().current(page.read_text()), "run: python docs/quote_golden.py"


def _quoting():  # type: ignore[no-untyped-def]
    specification = importlib.util.spec_from_file_location("quote_golden", ROOT / "docs/quote_golden.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module
