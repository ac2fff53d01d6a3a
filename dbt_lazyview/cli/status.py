"""`lazyview status`."""

import time
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from dbt_lazyview.cli.project import Impossible, ask
from dbt_lazyview.cli.screen import Screen
from dbt_lazyview.maintenance.durations import seconds_of
from dbt_lazyview.maintenance.freshness import why_stale
from dbt_lazyview.maintenance.status import Status
from dbt_lazyview.maintenance.status_report import Tone, facts, table_lines

Judged = Sequence[tuple[Status, list[str]]]  # with each limit that a view exceeds, in words


def run(options: Namespace, screen: Screen) -> bool:
    """Show what is pending; whether a view exceeds a limit."""
    check(options)
    found = ask(options, screen, lambda adapter: statuses(adapter, options.models))
    now = round(time.time() * 1000)
    judged = [(status, problems(status, options, now)) for status in found]
    if options.json:
        screen.json(document(judged, now))
    else:
        show(judged, screen, now)
    return any(exceeded for _, exceeded in judged)


def check(options: Namespace) -> None:
    try:
        seconds_of(options.max_age or 0)
    except ValueError as problem:
        raise Impossible(str(problem)) from problem


def statuses(adapter: Any, models: list[str]) -> list[Status]:
    return [status for _, status in adapter.statuses(adapter.lazy_views_named(models or None))]


def problems(status: Status, options: Namespace, now: int) -> list[str]:
    """Each limit that a view exceeds; none where no limit was given."""
    if options.max_age is None and options.max_pending_rows is None:
        return []
    return why_stale(status, options.max_age, options.max_pending_rows, now)


def document(judged: Judged, now: int) -> list[dict[str, Any]]:
    return [{**facts(status, now), "problems": exceeded} for status, exceeded in judged]


def show(judged: Judged, screen: Screen, now: int) -> None:
    """The table, unless only what is wrong was asked for; then each limit that is exceeded."""
    if not judged:
        screen.line("This project has no lazy views.")
    elif not screen.is_quiet:
        for text, tone in table_lines([status for status, _ in judged], now):
            screen.line(text, tone)
    for status, exceeded in judged:
        for problem in exceeded:
            screen.line(f"STALE {'.'.join(status.view[-2:])}: {problem}", Tone.WRONG)
