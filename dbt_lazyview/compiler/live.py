"""
Live reads: what is stored, and beside it, computed from the tables as they are now, every key that a change may have
touched since then.

The changes only name keys. Spark finds out how far a change feed goes when it plans each place that reads it, after it
has chosen the versions of the tables: a feed may tell of changes that come too late, and two readers of one feed may
disagree. To compute a key again that has not changed does no harm; to add up changes that the tables do not show yet
would. Hence nothing is condensed either: a change that is undone later has still been there.
"""

from dataclasses import replace

from sqlglot import exp

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.derivation import ALL_OFF, Derivation, is_plain, matches_none
from dbt_lazyview.compiler.folding import grouped_rows
from dbt_lazyview.compiler.operators.aggregate import restricted
from dbt_lazyview.compiler.plan import StateRead
from dbt_lazyview.compiler.state import State

AS_OF_NOW = replace(ALL_OFF, skip_unchanged=True)


def can_merge(state: State) -> bool:
    """
    Whether changes name all keys they touch, whatever the feeds tell too much: where rows are only filtered, joined and
    put together below the stored groups, and there are keys.
    """
    return bool(state.keys) and state.touching is None and is_plain(state.aggregate.input)


def live_rows(state: State, derivation: Derivation, read: StateRead) -> str:
    """The rows that the state would have if it were refreshed now; gives the relation's name."""
    source = state.aggregate.input
    touched = tuple(block.project(state.aggregate.keys) for block in derivation.delta(source))
    total = derivation.read_sum(touched, state.keys, "touched")
    affected = derivation.derive(total.query(weight=False).distinct(copy=False), "affected")
    rows = restricted(state.aggregate, derivation.new(source), affected)
    fresh = grouped_rows(state, derivation.single(rows, source.columns, "input_now"))
    names = [each.name for each in state.layout.columns]
    stored = sql.read(derivation.state(read, state.layout), "stored", [(each, each) for each in names])
    kept = matches_none(stored, [(sql.column(name), name) for name in state.keys], affected)
    return derivation.derive(exp.union(kept.query(weight=False), fresh, distinct=False), "live_rows")
