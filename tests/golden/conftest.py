"""Golden files: `pytest tests/golden --update-golden` rewrites them; review happens in their diff."""

from collections.abc import Callable
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    def compare(path: Path, text: str) -> None:
        text = "\n".join(line.rstrip() for line in text.strip().splitlines()) + "\n"
        if request.config.getoption("--update-golden"):
            path.write_text(text)
        assert path.exists(), f"{path.name} is missing: run with --update-golden and review it"
        assert text == path.read_text()

    return compare
