"""The oracle: what a view shows, and what its query gives over the same versions of its sources."""

from dataclasses import dataclass

from dbt_lazyview.compiler.catalog import FLOATS
from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.engine import Engine
from dbt_lazyview.maintenance.errors import refresh_first
from dbt_lazyview.maintenance.public import load_shown_state
from dbt_lazyview.maintenance.settings import read_settings
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import Target, resolve
from dbt_lazyview.maintenance.view_delta.rows import rows_at
from dbt_lazyview.names import quoted


@dataclass(frozen=True)
class Compared:
    """A column of both."""

    plain: str
    is_float: bool  # its last digits depend on the order in which rows were added up

    @property
    def name(self) -> str:
        """Quoted."""
        return quoted(self.plain)


@dataclass(frozen=True)
class Comparison:
    """Two queries that must give the same rows, equally often; floating-point columns up to their last digits."""

    view: str
    query: str
    columns: tuple[Compared, ...]
    keys: tuple[str, ...] = ()  # quoted columns by which rows can be sampled, the same ones on both sides


def comparison(engine: Engine, target: Target) -> Comparison:
    """Both pinned to what the record of the state says, so that neither writers nor refreshes come in between."""
    tables = Tables(engine, read_settings(engine).time_zone)
    view, state = resolve(tables, target, captures=False).view, load_shown_state(tables, target.state)
    if state.record is None or state.distrust or state.record.fingerprint != view.fingerprint:
        reason = state.distrust or Reason.DEFINITION_CHANGED
        raise refresh_first(target.name, reason)
    at_version = rows_at(engine, view.layout, state)
    known = {**state.record.cut, **state.record.reads}
    versions = {name: known[sql_name(name)].version for name in view.reads_by_query if sql_name(name) in known}
    steps, query = view.query_at(versions)
    columns = tuple(Compared(each.name, each.type in FLOATS) for each in view.columns)
    keys = tuple(quoted(each.name) for each in view.keys if is_hashed(each.type))
    text = engine.render("steps_as_query", steps=steps, query=query)
    return Comparison(view.public(at_version).query, text, columns, keys)


def is_hashed(type: str) -> bool:
    """
    Whether equal values of a type have one hash; the last digits of a floating-point number may differ, and Spark
    hashes no maps.

    Example:
        >>> is_hashed("decimal(10,2)"), is_hashed("array<double>"), is_hashed("map<int,int>")
        (True, False, False)
    """
    return not any(word in type.lower() for word in ("float", "double", "map<", "variant"))
