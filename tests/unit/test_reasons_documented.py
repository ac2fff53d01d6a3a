"""Every reason has its section in docs/reasons.md, with its word, and none has two."""

import re
from pathlib import Path

import pytest

from dbt_lazyview.compiler.reasons import Reason

PAGE = (Path(__file__).parents[2] / "docs" / "reasons.md").read_text()
SECTIONS = dict(re.findall(r"^### (LV\d+)\n(.*?)(?=^#{2,3} |\Z)", PAGE, re.DOTALL | re.MULTILINE))


@pytest.mark.parametrize("reason", Reason, ids=lambda reason: reason.word)
def test_has_a_section_with_its_word(reason: Reason) -> None:
    assert f"**{reason.word}**" in SECTIONS[reason.code]


def test_no_section_without_a_reason() -> None:
    headings = re.findall(r"^### (LV\d+)$", PAGE, re.MULTILINE)
    assert sorted(headings) == sorted(reason.code for reason in Reason)
