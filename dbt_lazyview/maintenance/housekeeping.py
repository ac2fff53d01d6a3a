"""Housekeeping: every so many commits, the small files of a state are put together, and the old ones are deleted."""

from dbt_lazyview.maintenance.engine import EngineError
from dbt_lazyview.maintenance.state_history import hold_history
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import Target

# What is done, by which macro; and what is told of it.
COMPACT, VACUUM = ("optimize_table", "compacted"), ("vacuum_table", "vacuumed")


def keep_house(
    tables: Tables, target: Target, before: int, after: int, has_only_new_files: bool = False
) -> tuple[str, ...]:  # fmt: skip
    """
    Do what became due between two versions of a state, and tell it; it is no reason for a refresh to fail. Where
    everything was written anew just now, there is nothing to put together.
    """
    definition = target.definition
    due = [(COMPACT, 0 if has_only_new_files else definition.compact_every), (VACUUM, definition.vacuum_every)]
    return tuple(_done(tables, target, *chore) for chore, every in due if is_due(every, before, after))


def is_due(every: int, before: int, after: int) -> bool:
    """
    Whether a multiple of so many commits was reached: no count has to be kept anywhere.

    Example:
        >>> is_due(20, 18, 19), is_due(20, 19, 20), is_due(20, 19, 22), is_due(0, 19, 20)
        (False, True, True, False)
    """
    return every > 0 and before >= 0 and after // every > before // every


def _done(tables: Tables, target: Target, macro: str, told: str) -> str:
    """After the state was told to keep what others still read of its history."""
    engine = tables.engine
    try:
        hold_history(tables, target.state, target.definition)
        engine.execute(engine.render(macro, relation=sql_name(target.state)))
    except EngineError as problem:
        return f"not {told} ({str(problem).splitlines()[0][:200]})"
    return told
