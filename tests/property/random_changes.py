"""Random commits: appends, mixed ones, updates, no-ops, rows that come back, everything deleted and refilled."""

from dataclasses import dataclass
from functools import partial
from random import Random

from tests.property.case import Commit
from tests.property.duck_lake import DuckLake, Row
from tests.property.duck_sql import Value
from tests.property.random_schema import Tables, random_row, random_value

_KINDS = ["append", "mixed", "mixed", "update", "update", "take", "same", "clear"]


@dataclass(frozen=True)
class Habit:
    """Which tables change together, and which of them only grow; perhaps under greater numbers than ever before."""

    tables: tuple[str, ...]
    growing: frozenset[str]
    is_fresh: bool = False

    def commits(self, random: Random, tables: Tables, lake: DuckLake) -> list[Commit]:
        if self.is_fresh:
            above = max(greatest[-1] for greatest in lake.greatest.values()) + 1
            return [_fresh(random, table, tables[table], above) for table in self.tables]
        return [
            commit
            for table in self.tables
            for commit in _commits(random, table, tables[table], lake.rows(table), table in self.growing)
        ]


def random_habit(random: Random, sources: list[str]) -> Habit:
    size = random.choice([1, 1, 2, len(sources)])
    tables = tuple(random.sample(sources, min(size, len(sources))))
    if len(tables) > 1 and random.random() < 0.2:
        return Habit(tables, frozenset(tables), is_fresh=True)
    return Habit(tables, frozenset(each for each in tables if random.random() < 0.3))


def _fresh(random: Random, table: str, columns: list[tuple[str, str]], above: int) -> Commit:
    """Rows whose numbers nobody had before; those that come into several tables at once still meet."""
    rows = [random_row(random, columns) for _ in range(random.randint(2, 4))]
    return Commit(table, [tuple(map(partial(_raised, above), row)) for row in rows], [])


def _raised(above: int, value: Value) -> Value:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value + above if is_number else value


def _commits(
    random: Random, table: str, columns: list[tuple[str, str]], rows: list[Row], only_grows: bool
) -> list[Commit]:
    new = [random_row(random, columns) for _ in range(random.randint(1, 3))]
    some = random.sample(rows, min(len(rows), random.randint(1, 3)))
    kind = "append" if only_grows or not rows else random.choice(_KINDS)
    if kind == "append":
        return [Commit(table, [*new, *some[1:]], [])]
    if kind == "mixed":
        return [Commit(table, new, some)]
    if kind == "update":
        return [Commit(table, [_updated(random, row, columns) for row in some], some)]
    if kind == "take":
        return [Commit(table, [], some)]
    if kind == "same":
        return [Commit(table, [], some), Commit(table, some, [])]
    return [Commit(table, [], rows), Commit(table, [*new, *some], [])]


def _updated(random: Random, row: Row, columns: list[tuple[str, str]]) -> Row:
    position = random.randrange(len(columns))
    return (*row[:position], random_value(random, columns[position][1]), *row[position + 1 :])
