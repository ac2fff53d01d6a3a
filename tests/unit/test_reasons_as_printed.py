"""The messages in docs/reasons.md are those that are printed, and each says what to do and where to read on."""

import pytest

from dbt_lazyview.compiler.reasons import Reason
from docs.quote_reasons import PAGE, current, messages

MESSAGES = messages()


def test_the_page_shows_what_is_printed():
    assert PAGE.read_text() == current(PAGE.read_text()), "python -m docs.quote_reasons writes it"


@pytest.mark.parametrize("reason", MESSAGES, ids=lambda reason: reason.word)
def test_a_message_ends_with_what_to_do_and_where_to_read_on(reason: Reason):
    lines = MESSAGES[reason].splitlines()
    assert len(lines) >= 3
    assert lines[-1] == f"  See docs/reasons.md#{reason.code.lower()} [{reason.code}]"
    assert lines[-2].startswith("  ")
    assert lines[-2].endswith((".", ")"))
