"""Every reason has a section in docs/reasons.md, with its word, and a test that produces it."""

import re
from pathlib import Path

import pytest

from dbt_lazyview.compiler.reasons import Reason

PAGE = (Path(__file__).parents[2] / "docs" / "reasons.md").read_text()
TESTS = [each.read_text() for each in Path(__file__).parents[1].rglob("test_*.py") if each != Path(__file__)]
SECTIONS = dict(re.findall(r"^### (LV\d+)\n(.*?)(?=^#{2,3} |\Z)", PAGE, re.DOTALL | re.MULTILINE))


@pytest.mark.parametrize("reason", Reason, ids=lambda reason: reason.word)
def test_has_a_section_with_its_word(reason: Reason) -> None:
    assert f"**{reason.word}**" in SECTIONS[reason.code]


@pytest.mark.parametrize("reason", Reason, ids=lambda reason: reason.word)
def test_is_produced_by_some_test(reason: Reason) -> None:
    told = re.compile(rf"Reason\.{reason.name}\b|\b{reason.word}\b|\b{reason.code}\b")
    assert any(told.search(text) for text in TESTS)


def test_no_section_without_a_reason() -> None:
    headings = re.findall(r"^### (LV\d+)$", PAGE, re.MULTILINE)
    assert sorted(headings) == sorted(reason.code for reason in Reason)
