"""Status for people (an aligned table) and for programs (JSON)."""

import json
from collections.abc import Sequence
from datetime import datetime, timezone
from enum import Enum
from typing import Any

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.amounts import counted, size
from dbt_lazyview.maintenance.definition import LATER
from dbt_lazyview.maintenance.durations import spoken
from dbt_lazyview.maintenance.status import Status
from dbt_lazyview.maintenance.tasks import Pending

HEADINGS = ("view", "policy", "group", "cut age", "pending", "last decision", "when", "took", "state")
GOAL = "goal"  # shown where some view has one
NONE = "-"


class Tone(Enum):
    """What a line is, for those who can show colours."""

    HEADING = "heading"
    FRESH = "fresh"
    PENDING = "pending"
    WRONG = "wrong"
    DETAIL = "detail"


Line = tuple[str, Tone]


def as_table(statuses: Sequence[Status], now: int) -> str:
    """One line per view, and below it one per source with something pending; `now` in epoch milliseconds."""
    return "\n".join(text for text, _ in table_lines(statuses, now))


def table_lines(statuses: Sequence[Status], now: int) -> list[Line]:
    """The table, line by line."""
    rows = [HEADINGS, *(_row(status, now) for status in statuses)]
    if any(status.goal is not None for status in statuses):
        goals = [GOAL, *(_goal(status, now) for status in statuses)]
        rows = [(*row, goal) for row, goal in zip(rows, goals, strict=True)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    heading, *texts = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    lines = [(heading, Tone.HEADING)]
    for status, text in zip(statuses, texts, strict=True):
        lines += [
            (text, tone_of(status)),
            *_delta_lines(status),
            *((below, Tone.DETAIL) for below in _source_lines(status, now)),
        ]
        lines += [(f"  WARNING {warning}", Tone.WRONG) for warning in warnings(status, now)]
    return lines


def tone_of(status: Status) -> Tone:
    """How a view is doing."""
    if not status.is_built or status.state.distrust or any(each.obstacle for each in status.task.sources):
        return Tone.WRONG
    return Tone.PENDING if status.task.is_pending or not status.is_known else Tone.FRESH


def as_json(statuses: Sequence[Status], now: int) -> str:
    return json.dumps([facts(status, now) for status in statuses], indent=2)


def _row(status: Status, now: int) -> tuple[str, ...]:
    if not status.is_built:
        return (_short(status.view), NONE, NONE, NONE, NONE, "not built", NONE, NONE, NONE)
    last = status.last
    decision = f"{last.kind} ({last.reason})" if last and last.reason else last.kind if last else NONE
    if status.state.distrust:
        decision = f"to be rebuilt ({status.state.distrust.word})"
    return (
        _short(status.view), status.definition.policy if status.definition else NONE,
        (status.definition.view_group if status.definition else None) or NONE,
        ago(now, status.cut_time), _pending(status), decision,
        ago(now, status.last_commit.timestamp if status.last_commit else None),
        NONE if status.seconds is None else spoken(status.seconds), size(status.size),
    )  # fmt: skip


def _goal(status: Status, now: int) -> str:
    if status.goal is None:
        return NONE
    return f"{ago(round(status.goal * 1000), 0)}, {'met' if status.meets_goal(now) else 'missed'}"


def _pending(status: Status) -> str:
    task = status.task
    if not task.is_pending:
        return "nothing" if status.is_known else "not known"
    return ", ".join(filter(None, [counted(task.commits, "commit"), counted(task.rows, "change")]))


def _source_lines(status: Status, now: int) -> tuple[str, ...]:
    found = [each for each in status.task.sources if each.commits or each.obstacle]
    return tuple(f"  {_short(each.source)}: {_told(each)}, since {ago(now, each.oldest)}" for each in found)


def _delta_lines(status: Status) -> list[Line]:
    """Of a view with a view delta: since when and how long what it shows is the current answer, and what waits."""
    if status.definition is None or status.definition.apply != LATER or status.valid is None:
        return []
    valid = f"valid from {moment(status.valid.since)} until {moment(status.valid.until) or 'now'}"
    return [(f"  {valid}; {counted(status.state.waiting, 'row')} of its view delta not applied", Tone.DETAIL)]


def warnings(status: Status, now: int) -> list[str]:
    """What will be lost if nobody does anything, and what to do."""
    return [_expiring(each, now) for each in status.task.sources if each.is_expiring(now)]


def _expiring(pending: Pending, now: int) -> str:
    source, until = _short(pending.source), pending.kept_until or 0
    left = f"are kept for {ago(until, now)} more" if until > now else f"may be gone since {ago(now, until)}"
    return (
        f"{source}: its changes since the cut {left}; after that, the next refresh is a full one. Refresh this view "
        "now, and more often; or keep them longer: dbt run-operation prepare_sources --args '{apply: true, days: 14}'"
    )


def _told(pending: Pending) -> str:
    if pending.obstacle:
        return pending.obstacle.word
    told = [counted(len(pending.commits), "commit"), counted(pending.rows, "change"), "/".join(pending.operations)]
    return ", ".join(filter(None, told))


def facts(status: Status, now: int) -> dict[str, Any]:
    """All that is known of a view, for programs."""
    last, definition, task = status.last, status.definition, status.task
    return {
        "view": ".".join(status.view),
        "is_built": status.is_built,
        "policy": definition.policy if definition else None,
        "view_group": definition.view_group if definition else None,
        "refresh_mode": definition.refresh_mode if definition else None,
        "cut_time": moment(status.cut_time),
        "cut_age_seconds": _seconds(now, status.cut_time),
        "valid_from": moment(status.valid.since) if status.valid else None,
        "valid_until": moment(status.valid.until) if status.valid else None,
        "apply": definition.apply if definition else None,
        "waiting_rows": status.state.waiting,
        "pending_since": moment(task.oldest),
        "behind_seconds": _seconds(now, task.oldest) or 0,
        "max_staleness_seconds": status.goal,
        "meets_goal": status.meets_goal(now),
        "pending_commits": task.commits,
        "pending_changes": task.rows,
        "sources": [_source_facts(each) for each in task.sources],
        "distrust": status.state.distrust.word if status.state.distrust else None,
        "last_decision": last.kind if last else None,
        "last_reason": (last.reason or None) if last else None,
        "last_trigger": (last.trigger or None) if last else None,
        "last_changes": last.changes if last else None,
        "last_strategy": (last.strategy or None) if last else None,
        "last_refresh": moment(status.last_commit.timestamp) if status.last_commit else None,
        "last_seconds": status.seconds,
        "state_bytes": status.size,
        "warnings": warnings(status, now),
    }


def _source_facts(pending: Pending) -> dict[str, Any]:
    return {
        "source": ".".join(pending.source),
        "version": pending.upto,
        "cut_version": pending.after,
        "pending_commits": len(pending.commits),
        "pending_changes": pending.rows,
        "pending_since": moment(pending.oldest),
        "operations": list(pending.operations),
        "obstacle": pending.obstacle.word if pending.obstacle else None,
        "kept_until": moment(pending.kept_until),
    }


def _short(name: Name) -> str:
    return ".".join(name[-2:])


def moment(milliseconds: int | None) -> str | None:
    """
    A moment as ISO 8601 in UTC.

    Example:
        >>> moment(1767225600123)
        '2026-01-01T00:00:00.123+00:00'
    """
    if milliseconds is None:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, timezone.utc).isoformat(timespec="milliseconds")


def _seconds(now: int, then: int | None) -> float | None:
    return None if then is None else max(now - then, 0) / 1000


def ago(now: int, then: int | None) -> str:
    """
    An age as people say it.

    Example:
        >>> ago(7_500_000, 0), ago(90_000, 0), ago(0, None)
        ('2 h', '90 s', '-')
    """
    seconds = _seconds(now, then)
    if seconds is None:
        return NONE
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
