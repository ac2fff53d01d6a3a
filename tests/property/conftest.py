"""Says how much the random tests have covered."""

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    recorded = [dict(each.user_properties) for each in terminalreporter.getreports("passed") if each.user_properties]
    pairs, moved = (sum(each.get(name, 0) for each in recorded) for name in ("pairs", "moved"))
    if pairs:
        terminalreporter.write_line(
            f"random queries: {pairs} pairs of query and batch, {moved / pairs:.1%} with a change of the view's rows"
        )
