"""Probe: one version of every base table, at one moment."""

from collections.abc import Mapping

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.reasons import ModelError, Problem, Reason
from dbt_lazyview.maintenance.record import Position
from dbt_lazyview.maintenance.tables import Detail, Tables, sql_name

PASSES = 4  # under writers that never pause, the cut is chosen by a commit time instead

Cut = Mapping[Name, Position]


def take_cut(tables: Tables, details: Mapping[Name, Detail], known: Mapping[str, Position]) -> Cut:
    """
    Probe all tables until two passes agree. `details` are the first pass; `known` are positions that need no look at
    the history if nothing moved. One table alone is always at one moment.
    """
    for _ in range(PASSES):
        cut = {name: head(tables, name, detail, known) for name, detail in details.items()}
        again = {name: existing_delta(tables, name) for name in details} if len(details) > 1 else details
        if again == details:
            return cut
        details = again
    return cut_by_time(tables, details)


def head(tables: Tables, name: Name, detail: Detail, known: Mapping[str, Position]) -> Position:
    """The newest version of a table: from `known` if it was not touched since, else from its history."""
    before = known.get(sql_name(name))
    if before and (before.timestamp, before.id) == (detail.modified, detail.id):
        return before
    newest = tables.look(name)[0]
    return Position(newest.version, newest.timestamp, detail.id, detail.has_change_feed)


def cut_by_time(tables: Tables, details: Mapping[Name, Detail]) -> Cut:
    """Of every table the newest version up to the latest commit seen: whatever is older is visible by now."""
    moment = max(detail.modified for detail in details.values())
    return {name: _at(tables, name, detail, moment) for name, detail in details.items()}


def _at(tables: Tables, name: Name, detail: Detail, moment: int) -> Position:
    commits = tables.look(name)
    commit = next((each for each in commits if each.timestamp <= moment), commits[-1])
    return Position(commit.version, commit.timestamp, detail.id, detail.has_change_feed)


def existing_delta(tables: Tables, name: Name) -> Detail:
    """Details of a source, which must exist and be a Delta table."""
    detail = tables.detail(name)
    if detail is None:
        raise ModelError((_missing(name),))
    if detail.format != "delta":
        raise ModelError((_not_delta(name, detail.format),))
    return detail


def _missing(name: Name) -> Problem:
    return Problem(
        Reason.UNKNOWN_RELATION, f"{sql_name(name)} is not known.",
        "The view reads it, and it does not exist (any more).", "Build it first, or correct the name.",
    )  # fmt: skip


def _not_delta(name: Name, kind: str) -> Problem:
    return Problem(
        Reason.NOT_DELTA, f"{sql_name(name)} is a {kind} table, not a Delta table.",
        "Only Delta tables have versions and a change data feed, and a lazy view is maintained from these.",
        f"Store it as Delta (CONVERT TO DELTA {sql_name(name)}, or file_format: delta), or use materialized: view.",
    )  # fmt: skip
