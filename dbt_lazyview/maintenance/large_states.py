"""
A change that is merged into a large state: how many rows it has is known once it was computed. Few of them are
broadcast; and where they have few values of a key, these say which stored rows may be theirs (decision 19).
"""

from collections.abc import Iterable, Mapping
from typing import Any

from dbt_lazyview.compiler.catalog import Column
from dbt_lazyview.compiler.plan import Among, StateLayout
from dbt_lazyview.maintenance.bounds import WHOLE_NUMBERS
from dbt_lazyview.maintenance.engine import Engine
from dbt_lazyview.maintenance.plan import LargeMerge, Plan
from dbt_lazyview.names import quoted

BROADCAST_ROWS = 100_000  # of a view's change that every task keeps in memory
MOST_VALUES = 10_000  # of a key, to be written into a statement


def keys_of_whole_numbers(layout: StateLayout, columns: Iterable[Column]) -> tuple[str, ...]:
    types = {column.name: column.type for column in columns}
    return tuple(key.name for key in layout.keys if types.get(key.name) in WHOLE_NUMBERS)


def statement_of(engine: Engine, plan: Plan) -> str:
    """The statement that commits, by the size of the change where that matters."""
    merge = plan.large_merge
    if merge is None:
        return plan.statement
    relation, keys = quoted(merge.relation), list(map(quoted, merge.keys))
    counts = engine.query(engine.render("count_values", relation=relation, columns=keys))[0]
    return plan.statement if counts["rows"] > BROADCAST_ROWS else merge.statement(_among(engine, merge, counts))


def _among(engine: Engine, merge: LargeMerge, counts: Mapping[str, Any]) -> Among | None:
    """The values of the key that has the most of them, if they are few: so they say most of the rows."""
    told = [(int(counts[f"values_{number}"]), key) for number, key in enumerate(merge.keys)]
    few = [each for each in told if each[0] <= MOST_VALUES]
    if not few:
        return None
    _, key = max(few)
    rows = engine.query(engine.render("values_of", relation=quoted(merge.relation), column=quoted(key)))
    return Among(key, tuple(sorted(int(row["value"]) for row in rows if row["value"] is not None)))
