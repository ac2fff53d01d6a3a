"""Relations pinned at the newest time at which several views and tables are mutually consistent (B 6)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.definition import LATER, LIVE
from dbt_lazyview.maintenance.engine import Engine
from dbt_lazyview.maintenance.settings import read_settings
from dbt_lazyview.maintenance.status_report import moment
from dbt_lazyview.maintenance.stored import stored_target
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import Node, Target, resolve
from dbt_lazyview.maintenance.until import unreachable
from dbt_lazyview.maintenance.view_delta.consistent import (
    Reading,
    ValidTime,
    inconsistent,
    newest_consistent,
    readings_of_table,
    readings_of_view,
)
from dbt_lazyview.maintenance.view_delta.rows import rows_at
from dbt_lazyview.maintenance.view_delta.switch import show


@dataclass(frozen=True)
class Consistent:
    """One moment, and for every view and table a relation that shows it, whatever is refreshed or written later."""

    valid: ValidTime
    relations: Mapping[str, str]

    @property
    def since(self) -> str | None:
        """The first moment, as ISO 8601 in UTC."""
        return moment(self.valid.since)

    @property
    def until(self) -> str | None:
        """The first moment at which it is no longer the answer; None: it still is."""
        return moment(self.valid.until)


def consistent(
    engine: Engine, views: Mapping[str, Name], others: Mapping[str, Name], brings: bool = False
) -> Consistent:
    """Find the newest time for lazy views and plain tables; `brings`: let the public views show it."""
    tables = Tables(engine, read_settings(engine).time_zone)
    targets = {each: stored_target(engine, name) for each, name in views.items()}
    readings: dict[str, Sequence[Reading]] = {
        **{each: list(readings_of_view(tables, target.state)) for each, target in targets.items()},
        **{each: list(readings_of_table(tables, name)) for each, name in others.items()},
    }
    found = newest_consistent(readings)
    if found is None:
        raise inconsistent([*views, *others])
    valid, chosen = found
    nodes = {each: resolve(tables, target, captures=False) for each, target in targets.items()}
    if brings:
        _bring(tables, {each: (nodes[each], chosen[each]) for each in targets})
    relations = {each: _relation(engine, nodes.get(each), reading) for each, reading in chosen.items()}
    return Consistent(valid, relations)


def _relation(engine: Engine, node: Node | None, reading: Reading) -> str:
    if node is None or reading.state is None:
        return engine.render("pinned_relation", relation=sql_name(reading.name), version=reading.version)
    query = node.view.public(rows_at(engine, node.view.layout, reading.state)).query
    return engine.render("relation_of_query", query=query)


def _bring(tables: Tables, chosen: Mapping[str, tuple[Node, Reading]]) -> None:
    """Let every view show its reading: nothing is computed, only what is folded in changes."""
    for node, _ in chosen.values():
        if node.target.definition.apply != LATER or node.target.definition.read == LIVE:
            raise _stays(node.target)
    show(tables, [(node, reading.state) for node, reading in chosen.values() if reading.state])


def _stays(target: Target) -> Exception:
    return unreachable(
        f"{sql_name(target.name)} cannot be brought to an earlier time: it has no view delta, or is read live.",
        f"Set apply: {LATER}, or read the pinned relation instead.",
    )
