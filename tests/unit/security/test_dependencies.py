"""Dependencies are pinned by range, and an audit that got no answer does not say that all is well."""

import re
from pathlib import Path

import pytest

from scripts.audit import NONE, NOT_ASKED, OURS, SOME, judge

ROOT = Path(__file__).parents[3]
LISTED = re.search(r"^dependencies = \[\n(.*?)^\]", (ROOT / "pyproject.toml").read_text(), re.DOTALL | re.MULTILINE)
SOUND = {"name": "a", "version": "1", "vulns": []}
UNKNOWN = {"name": "b", "skip_reason": "Dependency not found and could not be audited"}
FLAWED = {"name": "c", "version": "2", "vulns": [{"id": "CVE-1"}]}
EDITABLE = {"name": OURS, "skip_reason": "distribution marked as editable"}


def test_every_dependency_has_a_lower_and_an_upper_bound():
    assert LISTED is not None
    dependencies = re.findall(r'"(.+?)"', LISTED.group(1))
    assert len(dependencies) >= 6
    assert [each for each in dependencies if not ("==" in each or (">=" in each and "<" in each))] == []


@pytest.mark.parametrize(
    ("packages", "verdict", "told"),
    [
        ([SOUND, EDITABLE], NONE, "1 packages: no known vulnerability."),
        ([SOUND, UNKNOWN], NOT_ASKED, "could not be asked about 1 of 2 packages"),
        ([SOUND, UNKNOWN, FLAWED], SOME, "c 2: CVE-1"),
        ([], NOT_ASKED, "could not be asked about anything"),
    ],
)
def test_the_verdict_of_an_audit(packages, verdict, told):
    found = judge({"dependencies": packages})
    assert found[0] == verdict
    assert told in found[1]
