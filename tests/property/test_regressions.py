"""Every case that once failed: shrunk, saved, and right since."""

from pathlib import Path

import pytest

from tests.property.case import Case, failure
from tests.property.findings import REGRESSIONS


@pytest.mark.parametrize("path", sorted(REGRESSIONS.glob("*.json")), ids=lambda path: path.stem)
def test_stays_right(path: Path) -> None:
    assert failure(Case.load(path)) is None
