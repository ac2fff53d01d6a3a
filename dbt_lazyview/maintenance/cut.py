"""Probe: one version of every base table, at one moment."""

from collections.abc import Collection, Mapping, Sequence

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.reasons import ModelError, Problem, Reason
from dbt_lazyview.maintenance.column_changes import partitions_at
from dbt_lazyview.maintenance.history import Commit
from dbt_lazyview.maintenance.probes import Cut
from dbt_lazyview.maintenance.record import Position
from dbt_lazyview.maintenance.tables import Detail, Tables, sql_name

PASSES = 4  # under writers that never pause, the cut is chosen by a commit time instead


def take_cut(tables: Tables, names: Collection[Name], known: Mapping[str, Position]) -> Cut:
    """One version of every table, at one moment not long ago; `known` are positions that may still be the newest."""
    return tables.probes.cut(names, lambda: probe(tables, names, known))


def probe(tables: Tables, names: Collection[Name], known: Mapping[str, Position]) -> Cut:
    """Look at all tables until two passes agree. One table alone is always at one moment."""
    details = {name: existing_delta(name, tables.source(name)) for name in names}
    for _ in range(PASSES):
        cut = {name: head(tables, name, detail, known) for name, detail in details.items()}
        again = {name: existing_delta(name, tables.detail(name)) for name in names} if len(names) > 1 else details
        if again == details:
            return cut
        details = again
    return cut_by_time(tables, details)


def head(tables: Tables, name: Name, detail: Detail, known: Mapping[str, Position]) -> Position:
    """The newest version of a table: from `known` if it was not touched since, else from its history."""
    before = known.get(sql_name(name))
    if before and (before.timestamp, before.id) == (detail.modified, detail.id):
        return before
    return position(tables.head(name, detail), detail)


def position(commit: Commit, detail: Detail, commits: Sequence[Commit] = ()) -> Position:
    """A commit as a position; `commits` are the newest ones, where it may not be the newest itself."""
    partitions = partitions_at(commit.version, commits, detail.partitions)
    return Position(commit.version, commit.timestamp, detail.id, detail.has_change_feed, partitions=partitions)


def cut_by_time(tables: Tables, details: Mapping[Name, Detail]) -> Cut:
    """Of every table the newest version up to the latest commit seen: whatever is older is visible by now."""
    moment = max(detail.modified for detail in details.values())
    return {name: _at(tables, name, detail, moment) for name, detail in details.items()}


def _at(tables: Tables, name: Name, detail: Detail, moment: int) -> Position:
    commits = tables.newest(name)
    commit = next((each for each in commits if each.timestamp <= moment), commits[-1])
    return position(commit, detail, commits)


def existing_delta(name: Name, detail: Detail | None) -> Detail:
    """Details of a source, which must exist and be a Delta table."""
    if detail is None:
        raise ModelError((_missing(name),))
    if detail.format != "delta":
        raise ModelError((not_delta(name, detail.format),))
    return detail


def _missing(name: Name) -> Problem:
    return Problem(
        Reason.UNKNOWN_RELATION, f"{sql_name(name)} is not known.",
        "The view reads it, and it does not exist (any more).", "Build it first, or correct the name.",
    )  # fmt: skip


def not_delta(name: Name, kind: str) -> Problem:
    what = f"a {kind} table" if kind else "a table of another system"
    return Problem(
        Reason.NOT_DELTA, f"{sql_name(name)} is {what}, not a Delta table.",
        "Only Delta tables have versions and a change data feed, and a lazy view is maintained from these.",
        f"Store it as Delta (CONVERT TO DELTA {sql_name(name)}, or file_format: delta); or set capture: diff, to "
        "compare it with a copy at every refresh, or capture: full, to compute the view anew each time.",
    )  # fmt: skip
