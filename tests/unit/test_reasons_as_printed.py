"""The messages in docs/reasons.md are those that are printed, and each says what to do and where to read on."""

import pytest

from dbt_lazyview.compiler.reasons import Reason
from docs.example_messages import messages, others, result_lines
from docs.quote_reasons import PAGE, SECTION, current

MESSAGES, LINES, OTHERS = messages(), result_lines(), others()


def test_the_page_shows_what_is_printed():
    assert PAGE.read_text() == current(PAGE.read_text()), "python -m docs.quote_reasons writes it"


def test_every_reason_and_every_other_error_has_a_text():
    assert {*MESSAGES, *LINES} == set(Reason)
    headings = [found.group(1) for found in SECTION.finditer(PAGE.read_text())]
    assert sorted(headings) == sorted([*(reason.code for reason in Reason), *OTHERS])


@pytest.mark.parametrize("reason", MESSAGES, ids=lambda reason: reason.word)
def test_a_message_ends_with_what_to_do_and_where_to_read_on(reason: Reason):
    lines = MESSAGES[reason].splitlines()
    assert len(lines) >= 3
    assert f"[{reason.code}]" in MESSAGES[reason]
    assert lines[-1].startswith("  See docs/reasons.md#lv")
    assert lines[-2].startswith("  ")
    assert lines[-2].endswith((".", ")"))


@pytest.mark.parametrize("reason", LINES, ids=lambda reason: reason.word)
def test_a_result_line_has_the_word(reason: Reason):
    assert reason.word in LINES[reason]
