"""What to do with a seed that failed: shrink it, save it as a regression, and say how to see it again."""

import hashlib
import os
from pathlib import Path

from tests.property.case import failure
from tests.property.exploration import Explored
from tests.property.shrinking import shrunk

REGRESSIONS = Path(__file__).parent / "regressions"
SECONDS = float(os.environ.get("LAZYVIEW_SHRINK_SECONDS", "60"))


def saved_finding(found: Explored, seconds: float = SECONDS) -> str:
    """Shrink and save the case of a failed seed; gives the report."""
    assert found.failure
    report = f"seed {found.seed}: {found.failure.kind} {found.failure.text}\nquery: {found.case.sql}"
    if found.failure.kind == "not accepted":  # as is anything else that shrinking might try
        return report
    small = shrunk(found.case, seconds)
    path = REGRESSIONS / f"{hashlib.sha256(small.sql.encode()).hexdigest()[:8]}.json"
    small.save(path, f"seed {found.seed}")
    return f"{report}\nshrunk, saved as {path.name} in tests/property/regressions: {small.sql}\n{failure(small)}"
