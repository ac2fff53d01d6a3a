"""
Broadcast hints: a change feed claims unlimited size, so Spark never broadcasts it by itself and shuffles the other side
of the join instead. Where the commits tell that few rows changed, say so.
"""

from collections.abc import Collection

from sqlglot import exp

from dbt_lazyview.compiler.block import identifier
from dbt_lazyview.compiler.plan import CaptureDelta, Step

FEW_ROWS = 1_000_000
VERY_FEW_ROWS = 5_000
BYTES_PER_ROW = 100  # of a table on disk, about


def are_few(rows: int | None) -> bool:
    """Whether so many changed rows fit into every task's memory; None: nobody knows how many there are."""
    return rows is not None and rows <= FEW_ROWS


def very_few(step: Step | None) -> int | None:
    """How many rows changed, where they are so few that what they meet at a join may be few as well."""
    rows = step.window.rows if isinstance(step, CaptureDelta) else None
    return rows if rows is not None and rows <= VERY_FEW_ROWS else None


def is_small(step: Step, queries: tuple[exp.Query, ...], small: Collection[str]) -> bool:
    """Whether a step gives few rows: a small delta, or what is read from small relations alone, one each."""
    if isinstance(step, CaptureDelta):
        return are_few(step.window.rows)
    return bool(queries) and all(
        [table.name in small for table in _tables(select)] == [True] for query in queries for select in _selects(query)
    )


def add_hints(query: exp.Query, small: Collection[str]) -> None:
    """Hint the small relations that are joined with others, or looked up by EXISTS."""
    for select in _selects(query):
        tables = _tables(select)
        names = [table.alias_or_name for table in tables if table.name in small]
        if names and (len(tables) > 1 or isinstance(select.parent, exp.Exists)):
            hint = exp.Anonymous(this="BROADCAST", expressions=[identifier(name) for name in names])
            select.set("hint", exp.Hint(expressions=[hint]))


def _selects(query: exp.Query) -> list[exp.Select]:
    return list(query.find_all(exp.Select))


def _tables(select: exp.Select) -> list[exp.Table]:
    first = select.args.get("from_")
    found = [*([first.this] if first is not None else []), *(join.this for join in select.args.get("joins") or [])]
    return [table for table in found if isinstance(table, exp.Table)]
