"""Whether pending changes touch a view at all: if not, its cut goes on and its rows stay (Z 3.5)."""

from collections.abc import Mapping, Sequence

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.plan import RelevantDelta, Window
from dbt_lazyview.compiler.view import View
from dbt_lazyview.maintenance.engine import EngineError
from dbt_lazyview.maintenance.tables import Tables
from dbt_lazyview.maintenance.tree import Node
from dbt_lazyview.maintenance.windows import columns_in

FEW_ROWS = 100_000  # looking at more than this is no small thing compared to the refresh
FIRST_LOOKS = (0, 1, 4)
LONGEST_TRUST = 16  # refreshes without a look


def may_touch_nothing(node: Node, windows: Mapping[Name, Window]) -> tuple[RelevantDelta, ...]:
    """The changes, where they are few and may well be beside the point; else none."""
    deltas = node.view.relevant_changes(windows)
    may_miss = all(_may_miss(each, columns_in(node.schemas[each.delta.source.name])) for each in deltas)
    return tuple(deltas) if may_miss else ()


def is_worth_a_look(touched: int) -> bool:
    """
    Whether to look, after so many times in a row that changes did touch the view: a look is a query of its own, and
    where it was in vain it will most likely be again.

    Example:
        >>> [touched for touched in range(50) if is_worth_a_look(touched)]
        [0, 1, 4, 16, 32, 48]
    """
    return touched in FIRST_LOOKS or touched % LONGEST_TRUST == 0


def touch_nothing(tables: Tables, deltas: Sequence[RelevantDelta]) -> bool:
    """Look at the changes."""
    try:
        return not tables.engine.query(tables.engine.render("relevant_changes", deltas=deltas))
    except EngineError:
        return False  # the refresh itself will tell


def show_nothing(tables: Tables, reader: View, windows: Mapping[Name, Window]) -> bool:
    """Whether a query, compiled down to base tables, shows none of the changes of some of them."""
    if reader.problems:
        return False
    deltas = reader.shown_changes(windows)
    if not deltas or not all(each.predicate and _is_small(each.delta.window) for each in deltas):
        return False
    return not tables.engine.query(tables.engine.render("relevant_changes", deltas=deltas))


def _may_miss(delta: RelevantDelta, columns: int) -> bool:
    """Whether changes of a source may be irrelevant: rows that a filter drops, or updates of columns not used."""
    window, source = delta.delta.window, delta.delta.source
    misses_columns = not window.insert_only and len(source.columns) < columns
    return _is_small(window) and (bool(delta.predicate) or misses_columns)


def _is_small(window: Window) -> bool:
    return window.rows is not None and window.rows <= FEW_ROWS
