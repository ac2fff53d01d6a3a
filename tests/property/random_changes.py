"""Random data with NULLs and duplicates, and batches that mix inserts, updates and deletes."""

from decimal import Decimal
from random import Random
from typing import Any

from tests.property.duck_lake import DuckLake, Row
from tests.property.random_queries import TABLES, WORDS


def random_row(random: Random, table: str) -> Row:
    return tuple(_value(random, kind) for _, kind in TABLES[table])


def _value(random: Random, kind: str) -> Any:
    if random.random() < 0.15:
        return None
    if kind == "int":
        return random.randint(0, 4)
    if kind == "string":
        return random.choice(WORDS)
    if kind == "double":
        return random.choice([0.1, 0.2, 0.7, 1.3])
    return Decimal(random.randint(-4, 8)) / 2


def filled_lake(random: Random) -> DuckLake:
    lake = DuckLake(TABLES)
    for table in TABLES:
        lake.commit(table, [random_row(random, table) for _ in range(random.randint(0, 8))])
    return lake


def change(random: Random, lake: DuckLake) -> None:
    """One to three commits on random tables: appends, mixed batches, no-ops, everything deleted, back again."""
    for _ in range(random.randint(1, 3)):
        table = random.choice(list(TABLES))
        rows = lake.rows(table)
        kind = random.choice(["append", "append", "mixed", "mixed", "update", "clear", "same"])
        new = [random_row(random, table) for _ in range(random.randint(1, 3))]
        some = random.sample(rows, min(len(rows), random.randint(0, 3)))
        if kind == "append":
            lake.commit(table, new)
        elif kind == "mixed":
            lake.commit(table, new, some)
        elif kind == "update":
            lake.commit(table, [(*row[:-1], _value(random, TABLES[table][-1][1])) for row in some], some)
        elif kind == "same":
            lake.commit(table, some, some)
        else:
            lake.commit(table, [], rows)
            lake.commit(table, [*new, *some])
