"""Every operator has its page, and the trees the pages quote are those the compiler makes."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OPERATORS = sorted(path.stem for path in (ROOT / "dbt_lazyview/compiler/operators").glob("[!_]*.py"))


@pytest.mark.parametrize("operator", OPERATORS)
def test_operator_has_a_page_with_an_example(operator: str) -> None:
    page = (ROOT / "docs/operators" / f"{operator}.md").read_text()
    assert f"operators/{operator}.py" in page
    assert "<!-- golden: " in page


def test_quotes_are_current() -> None:
    quoting = _program("quote_golden")
    old = [page.name for page in quoting.PAGES if page.read_text() != quoting.current(page)]
    assert old == [], "run: python docs/quote_golden.py"


def _program(name: str):  # type: ignore[no-untyped-def]
    specification = importlib.util.spec_from_file_location(name, ROOT / f"docs/{name}.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module
