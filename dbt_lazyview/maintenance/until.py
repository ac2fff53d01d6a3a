"""Partial catch-up: bring a view to an earlier point; the rest stays pending."""

import time
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.cut import existing_delta, position
from dbt_lazyview.maintenance.errors import RefreshError
from dbt_lazyview.maintenance.history import Commit
from dbt_lazyview.maintenance.moments import milliseconds
from dbt_lazyview.maintenance.probes import Cut
from dbt_lazyview.maintenance.record import Position
from dbt_lazyview.maintenance.tables import FIRST_LOOK, Tables, sql_name


@dataclass(frozen=True)
class Until:
    """A point in the past: a moment (epoch milliseconds), or a version of the one table a view rests on."""

    told: str
    moment: int | None = None
    version: int | None = None


def parse_until(value: object, zone: str) -> Until:
    """
    A point as people write it; times without an offset are in the session's time zone.

    Example:
        >>> parse_until(12, "UTC").version, parse_until("12", "UTC").version
        (12, 12)
        >>> parse_until("2026-01-01 01:00", "Europe/Berlin").moment
        1767225600000
    """
    told = str(value)
    if told.isdigit():
        return Until(told, version=int(told))
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    try:
        parsed = value if isinstance(value, datetime) else datetime.fromisoformat(told)
    except ValueError:
        raise unreachable(
            f"until: {told} is neither a timestamp nor a version.", "Write for example 2026-01-31 06:00:00, or 17."
        ) from None
    exact = parsed if parsed.tzinfo else parsed.isoformat(sep=" ")
    return Until(told, moment=milliseconds(exact, zone))


def past_point(value: object, zone: str) -> Until | None:
    """The point, None if it is now or later: what has not been committed yet cannot be chosen."""
    until = parse_until(value, zone)
    is_past = until.moment is None or until.moment < time.time() * 1000
    return until if is_past else None


def cut_until(tables: Tables, names: Collection[Name], until: Until) -> Cut:
    """Of every table the newest version that existed at that point."""
    if until.version is not None and len(names) != 1:
        tables_read = ", ".join(sql_name(name) for name in names) or "no table"
        raise unreachable(
            f"until: {until.told} is a version, and the view rests on {tables_read}.", "Give a timestamp."
        )
    return {name: _position(tables, name, until) for name in names}


def _position(tables: Tables, name: Name, until: Until) -> Position:
    detail = existing_delta(name, tables.source(name))
    commit, commits = _newest_until(tables, name, until)
    return position(commit, detail, commits)


def _newest_until(tables: Tables, name: Name, until: Until) -> tuple[Commit, tuple[Commit, ...]]:
    """Read the history further and further down, until it is known what was the newest commit then; and all of it."""
    limit = FIRST_LOOK
    while True:
        commits = tables.newest(name, limit)
        found = next((each for each in commits if _is_within(each, until)), None)
        if found is not None and (until.version is None or found.version == until.version):
            return found, commits
        if found is not None or len(commits) < limit:
            raise unreachable(
                f"{sql_name(name)} has no version of {until.told} in its history.",
                f"Choose a later point; DESCRIBE HISTORY {sql_name(name)} shows what is left.",
            )
        limit *= 8


def _is_within(commit: Commit, until: Until) -> bool:
    if until.version is not None:
        return commit.version <= until.version
    return until.moment is not None and commit.timestamp <= until.moment


def already_past(view: Name, until: Until) -> RefreshError:
    return unreachable(
        f"{sql_name(view)} or a view it reads is already past {until.told}.",
        "Choose a later point: lazyview status shows where it stands. Only a view with apply: later goes back.",
    )


def shows_now(view: Name) -> RefreshError:
    return unreachable(
        f"{sql_name(view)} is read live: it shows its sources as they are now, and cannot show an earlier moment.",
        "Make a copy for that moment (dbt run-operation roll_copy), or leave out read: live.",
    )


def unreachable(what: str, to_do: str) -> RefreshError:
    return RefreshError(Reason.POINT_UNREACHABLE, what, to_do)
