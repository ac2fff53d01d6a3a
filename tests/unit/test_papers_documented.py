"""Every file that docs/papers.md names is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMED = re.findall(r"`([\w/]+(?:\.\w+|/))`", (ROOT / "docs" / "papers.md").read_text())


def test_every_file_is_there():
    paths = [each for each in NAMED if "/" in each and each != "dbt_lazyview/"]
    missing = [each for each in paths if not ((ROOT / "dbt_lazyview" / each).exists() or (ROOT / each).exists())]
    assert len(paths) > 30
    assert missing == []
