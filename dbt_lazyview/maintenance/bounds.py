"""A first look at the keys of the changes: of large tables only files with such keys need to be read."""

from collections.abc import Mapping

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.passes.literal_bounds import bounded, literal
from dbt_lazyview.compiler.plan import Bound, Range, RefreshPlan
from dbt_lazyview.maintenance.engine import Engine, EngineError
from dbt_lazyview.maintenance.tables import Detail

# Below, reading all of a table takes no longer than looking at the changes first.
LARGE_BYTES = 256 * 2**20
LARGE_FILES = 32


def within_bounds(plan: RefreshPlan, engine: Engine, details: Mapping[Name, Detail], state: Detail) -> RefreshPlan:
    """The plan with the least and the greatest key of the changes as literals, wherever it reads a large table."""
    ranges = [each for each in plan.ranges if is_large(details.get(each.source.name) if each.source else state)]
    if not ranges:
        return plan
    try:
        rows = engine.query(engine.render("key_bounds", ranges=ranges))
    except EngineError:
        return plan  # the refresh itself will tell
    found = {ranges[int(row["number"])]: (row["low"], row["high"]) for row in rows}
    return bounded(plan, {each: _bound(each, *ends) for each, ends in found.items() if None not in ends})


def is_large(detail: Detail | None) -> bool:
    """
    Whether a table is worth a look at the changes before it is read. One of few files has none to skip; of one that the
    query reads at a moment of its own nothing is known.
    """
    return detail is not None and detail.size >= LARGE_BYTES and detail.files >= LARGE_FILES


def _bound(found: Range, low: str, high: str) -> Bound:
    return Bound(found.column, literal(low, found.type), literal(high, found.type))
