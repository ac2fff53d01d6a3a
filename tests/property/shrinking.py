"""Smaller cases that fail alike: fewer batches, commits, rows, tables and columns, and a simpler query."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from time import monotonic
from typing import TypeVar

import duckdb
from sqlglot import exp, parse_one

from tests.property.case import Batch, Case, Commit, failure
from tests.property.duck_lake import Row
from tests.property.simpler_queries import simpler_queries

T = TypeVar("T")
Fails = Callable[[Case], bool]


def shrunk(case: Case, seconds: float = 60) -> Case:
    """The smallest case found in the given time that fails in the same way."""
    kind = _kind(case)
    assert kind, "only a failing case can be shrunk"
    return Shrinker(lambda each: _kind(each) == kind, monotonic() + seconds).shrunk(case)


def _kind(case: Case) -> str:
    try:
        found = failure(case)
    except duckdb.Error:
        return "not accepted"  # the engine fails on the query itself, which shows with certain rows only
    return found.kind if found else ""


class Shrinker:
    """Tries one kind of reduction after the other until none helps."""

    def __init__(self, fails: Fails, deadline: float) -> None:
        self.fails, self.deadline = fails, deadline

    def shrunk(self, case: Case) -> Case:
        while monotonic() < self.deadline:
            before = case
            for reductions in (_fewer_batches, _simpler_query, _fewer_changes, _fewer_rows, _narrower_tables):
                case = self._reduced(case, reductions)
            if case == before:
                break
        return case

    def _reduced(self, case: Case, reductions: Callable[[Case], Iterator[Case]]) -> Case:
        """Take the first reduction that still fails, and look again."""
        found = True
        while found:
            found = False
            for candidate in reductions(case):
                if monotonic() > self.deadline:
                    return case
                if self.fails(candidate):
                    case, found = candidate, True
                    break
        return case


def _fewer_batches(case: Case) -> Iterator[Case]:
    """Without the last ones, without one of them, or with the first ones in the rows from the start."""
    for size in range(len(case.batches)):
        yield replace(case, batches=case.batches[:size])
    for size in range(len(case.batches), 0, -1):
        yield _started_after(case, size)
    for batches in _without_some(case.batches):
        yield _consistent(replace(case, batches=batches))


def _started_after(case: Case, size: int) -> Case:
    rows = {table: list(each) for table, each in case.rows.items()}
    for batch in case.batches[:size]:
        for commit in batch.commits:
            for row in commit.deletes:
                rows[commit.table].remove(row)
            rows[commit.table].extend(commit.inserts)
    return replace(case, rows=rows, batches=case.batches[size:])


def _simpler_query(case: Case) -> Iterator[Case]:
    for sql in simpler_queries(case.sql, case.tables):
        yield replace(case, sql=sql)


def _fewer_changes(case: Case) -> Iterator[Case]:
    for number, batch in enumerate(case.batches):
        for commits in _smaller_commits(batch):
            batches = (*case.batches[:number], replace(batch, commits=commits), *case.batches[number + 1 :])
            yield _consistent(replace(case, batches=batches))


def _smaller_commits(batch: Batch) -> Iterator[list[Commit]]:
    yield from map(list, _without_some(batch.commits))
    for number, commit in enumerate(batch.commits):
        smaller = [replace(commit, inserts=list(rows)) for rows in _without_some(commit.inserts)]
        smaller += [replace(commit, deletes=list(rows)) for rows in _without_some(commit.deletes)]
        for each in smaller:
            yield [*batch.commits[:number], each, *batch.commits[number + 1 :]]


def _fewer_rows(case: Case) -> Iterator[Case]:
    for table, rows in case.rows.items():
        for fewer in _without_some(rows):
            yield _consistent(replace(case, rows={**case.rows, table: list(fewer)}))


def _narrower_tables(case: Case) -> Iterator[Case]:
    """Without tables and columns that the query does not name."""
    parsed = parse_one(case.sql, dialect="spark")
    used = {each.name for each in parsed.find_all(exp.Table)}
    for table, columns in case.tables.items():
        if table not in used:
            yield _without_table(case, table)
        elif len(columns) > 1:
            yield from (_without_column(case, table, position) for position in range(len(columns)))


def _without_table(case: Case, table: str) -> Case:
    batches = tuple(
        replace(each, commits=[commit for commit in each.commits if commit.table != table]) for each in case.batches
    )
    tables = {name: each for name, each in case.tables.items() if name != table}
    return replace(case, tables=tables, rows={name: case.rows[name] for name in tables}, batches=batches)


def _without_column(case: Case, table: str, position: int) -> Case:
    def narrow(commit: Commit) -> Commit:
        if commit.table != table:
            return commit
        return Commit(table, _without_value(commit.inserts, position), _without_value(commit.deletes, position))

    return replace(
        case,
        tables={**case.tables, table: _removed(case.tables[table], position)},
        rows={**case.rows, table: _without_value(case.rows[table], position)},
        batches=tuple(replace(each, commits=list(map(narrow, each.commits))) for each in case.batches),
    )


def _without_value(rows: list[Row], position: int) -> list[Row]:
    return [tuple(_removed(row, position)) for row in rows]


def _removed(items: Sequence[T], position: int) -> list[T]:
    return [*items[:position], *items[position + 1 :]]


def _without_some(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """Without a half, a quarter, … a single one of them."""
    size = len(items) // 2 or len(items)
    while size:
        for start in range(0, len(items), size):
            yield (*items[:start], *items[start + size :])
        size //= 2


def _consistent(case: Case) -> Case:
    """Without deletes of rows that are not there any more."""
    rows = {table: list(each) for table, each in case.rows.items()}
    batches = tuple(
        replace(batch, commits=[_possible(commit, rows[commit.table]) for commit in batch.commits])
        for batch in case.batches
    )
    return replace(case, batches=batches)


def _possible(commit: Commit, rows: list[Row]) -> Commit:
    deletes = []
    for row in commit.deletes:
        if row in rows:
            rows.remove(row)
            deletes.append(row)
    rows.extend(commit.inserts)
    return replace(commit, deletes=deletes)
