"""Freshness: whether a view is too far behind its sources."""

from dbt_lazyview.maintenance.amounts import counted
from dbt_lazyview.maintenance.durations import seconds_of, spoken
from dbt_lazyview.maintenance.status import Status


def why_stale(status: Status, max_age: str | float | None, max_pending_rows: int | None, now: int) -> list[str]:
    """Each limit the view exceeds, in words; a view that nothing is pending for is fresh, however old its rows."""
    if not status.is_built:
        return ["The view is not built."]
    if status.state.distrust:
        return [f"The view has to be rebuilt: {status.state.distrust.word}."]
    broken = [f"{each.source[-1]}: {each.obstacle.word}." for each in status.task.sources if each.obstacle]
    return [*broken, *_too_old(status, max_age, now), *_too_many(status, max_pending_rows)]


def _too_old(status: Status, max_age: str | float | None, now: int) -> list[str]:
    oldest = status.task.oldest
    if max_age is None or oldest is None or (now - oldest) / 1000 <= seconds_of(max_age):
        return []
    return [f"The oldest pending change is {spoken((now - oldest) / 1000)} old; at most {max_age} is allowed."]


def _too_many(status: Status, max_pending_rows: int | None) -> list[str]:
    rows = status.task.rows
    if max_pending_rows is None or not status.task.is_pending or (rows is not None and rows <= int(max_pending_rows)):
        return []
    return [f"{counted(rows, 'change') or 'An unknown number of changes'} pending; {max_pending_rows} are allowed."]
