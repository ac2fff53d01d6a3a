"""A first look at the keys of the changes: of large tables only files with such keys need to be read."""

from collections.abc import Mapping

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.passes.literal_bounds import bounded, literal
from dbt_lazyview.compiler.plan import Bound, DeltaColumn, Extent, Range, RefreshPlan
from dbt_lazyview.maintenance.engine import Engine, EngineError
from dbt_lazyview.maintenance.statistics import Ends, Statistics, extents_of, outermost
from dbt_lazyview.maintenance.tables import Detail

# Below, nothing is saved even where writers left statistics that tell the keys for nothing: a statement with other
# numbers in it is compiled anew.
BOUNDED_BYTES = 16 * 2**20
BOUNDED_STATE = 8 * 2**20  # the same of a state: rows beyond the bounds are not held against the change
# Below, reading all of a table takes no longer than a query for the keys.
LARGE_BYTES = 256 * 2**20
LARGE_FILES = 32
KEPT_BITS = 7  # of numbers that are rounded
WHOLE_NUMBERS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}  # bits of each


def within_bounds(
    plan: RefreshPlan, engine: Engine, statistics: Statistics, details: Mapping[Name, Detail], state: Detail
) -> RefreshPlan:
    """The plan with the least and the greatest key of the changes as literals, wherever it reads a large table."""
    sizes = {each: details.get(each.source.name) if each.source else state for each in plan.ranges}
    worth = [each for each, detail in sizes.items() if is_bounded(detail, is_state=each.source is None)]
    told = {each: ends for each in worth if (ends := _told(each, statistics))}
    asked = _asked([each for each, detail in sizes.items() if each not in told and is_large(detail)], engine)
    return bounded(plan, {each: _bound(each, *ends) for each, ends in {**told, **asked}.items()})


def extents_of_keys(plan: RefreshPlan, statistics: Statistics) -> tuple[Extent, ...]:
    """Between which values the keys of stored rows lie that the change is about; those that are known for nothing."""
    return extents_of((each.column, _told(each, statistics)) for each in plan.ranges if each.source is None)


def is_bounded(detail: Detail | None, is_state: bool = False) -> bool:
    """Whether bounds that cost nothing are worth writing down; of what the query reads at a moment nothing is known."""
    return detail is not None and detail.size >= (BOUNDED_STATE if is_state else BOUNDED_BYTES)


def is_large(detail: Detail | None) -> bool:
    """Whether a table is worth a query for the keys before it is read; one of few files has none to skip."""
    return detail is not None and detail.size >= LARGE_BYTES and detail.files >= LARGE_FILES


def _told(found: Range, statistics: Statistics) -> Ends | None:
    """The ends that are known without a query, by what is told of the files that rows came and went with."""
    ends = [_ends_of(each, statistics) for each in found.deltas if found.type != "string"]
    return outermost(ends) if ends else None


def _ends_of(changed: DeltaColumn, statistics: Statistics) -> Ends | None:
    return statistics.ends_of_changes(changed.delta.source.name, changed.delta.window, changed.column)


def _asked(ranges: list[Range], engine: Engine) -> dict[Range, Ends]:
    """The ends that the changes themselves show."""
    if not ranges:
        return {}
    try:
        rows = engine.query(engine.render("key_bounds", ranges=ranges))
    except EngineError:
        return {}  # the refresh itself will tell
    ends = {ranges[int(row["number"])]: (row["low"], row["high"]) for row in rows}
    return {each: (low, high) for each, (low, high) in ends.items() if low is not None and high is not None}


def _bound(found: Range, low: str, high: str) -> Bound:
    low, high = widened(low, high, found.type)
    return Bound(found.column, literal(low, found.type), literal(high, found.type))


def widened(low: str, high: str, type_name: str) -> Ends:
    """
    Ends of whole numbers, rounded outwards by less than a sixty-fourth of their size. Numbers are part of the classes
    that Spark generates for a statement: where those of the next refresh are the same, nothing is compiled anew.

    Example:
        >>> widened("100000123", "106000007", "bigint"), widened("-5", "70", "int"), widened("2024-01-05", "", "date")
        (('99614720', '106954751'), ('-5', '70'), ('2024-01-05', ''))
    """
    if type_name not in WHOLE_NUMBERS:
        return low, high
    first, last, most = int(low), int(high), 2 ** (WHOLE_NUMBERS[type_name] - 1)
    step = 2 ** max(max(abs(first), abs(last)).bit_length() - KEPT_BITS, 0)
    return str(max(first // step * step, -most)), str(min((last // step + 1) * step - 1, most - 1))
