"""The outcome of a refresh, as dbt's result lines and `run_results.json` show it."""

from collections.abc import Sequence
from dataclasses import dataclass

from dbt.adapters.contracts.connection import AdapterResponse

from dbt_lazyview.maintenance.amounts import counted
from dbt_lazyview.maintenance.decide import BUILD, FULL, INCREMENTAL
from dbt_lazyview.maintenance.durations import spoken
from dbt_lazyview.maintenance.outcome import Outcome
from dbt_lazyview.maintenance.tables import name_of

NOT_BUILT, ERROR = "not_built", "error"
CHANGED = (BUILD, INCREMENTAL, FULL)


@dataclass
class LazyViewResponse(AdapterResponse):
    """What was decided, why, and what it cost."""

    kind: str = ""
    reason: str = ""
    changes: int | None = None
    rows_changed: int | None = None
    statements: int = 0
    strategy: str = ""
    chores: tuple[str, ...] = ()


@dataclass(frozen=True)
class Total:
    """What all refreshes of an operation did."""

    line: str
    failed: tuple[str, ...]


def response_of(outcome: Outcome, seconds: float | None = None) -> LazyViewResponse:
    """What dbt shows beside the time that it measured itself; where it measures none, with ours."""
    took = "" if seconds is None else f", {spoken(seconds)}"
    parents = "".join(f"; first {_short(parent)} {parent.line}" for parent in outcome.parents)
    companions = "".join(f"; with {_short(other)} {other.line}" for other in outcome.companions)
    return LazyViewResponse(
        _message=f"{outcome.what}{took}{parents}{companions}",
        kind=outcome.kind, reason=outcome.reason, changes=outcome.changes,
        rows_changed=outcome.rows_changed, rows_affected=outcome.rows_changed, statements=outcome.statements,
        strategy=outcome.strategy, chores=outcome.chores,
    )  # fmt: skip


def _short(outcome: Outcome) -> str:
    return ".".join(name_of(outcome.view)[-2:])


def sum_up(names: Sequence[str], responses: Sequence[LazyViewResponse], are_named: bool) -> Total:
    """
    All responses in one line; a view that is not built counts as failed if it was asked for by name.

    Example:
        >>> done = LazyViewResponse("", kind="incremental", changes=2, rows_changed=1)
        >>> sum_up(["a", "b"], [done, LazyViewResponse("", kind="error")], are_named=False)
        Total(line='2 lazy views: 1 refreshed, 1 failed; 2 changes, 1 row', failed=('b',))
    """
    bad = (ERROR, NOT_BUILT) if are_named else (ERROR,)
    failed = tuple(name for name, response in zip(names, responses, strict=True) if response.kind in bad)
    refreshed = [response for response in responses if response.kind in CHANGED]
    changes, rows = (sum(each or 0 for each in numbers) for numbers in _numbers(refreshed))
    line = f"{counted(len(names), 'lazy view')}: {len(refreshed)} refreshed, {len(failed)} failed"
    return Total(f"{line}; {counted(changes, 'change')}, {counted(rows, 'row')}", failed)


def _numbers(responses: Sequence[LazyViewResponse]) -> tuple[list[int | None], list[int | None]]:
    return [each.changes for each in responses], [each.rows_changed for each in responses]
