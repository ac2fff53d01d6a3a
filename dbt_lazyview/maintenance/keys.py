"""Declared keys: a view of which two rows have the same key is not usable until a refresh mends that (Z 6.2)."""

from collections.abc import Sequence

from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.engine import Engine
from dbt_lazyview.maintenance.errors import RefreshError
from dbt_lazyview.maintenance.public import load_shown_state, published
from dbt_lazyview.maintenance.state import State
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import Node, Target, resolve
from dbt_lazyview.maintenance.view_delta.rows import rows_at
from dbt_lazyview.names import COUNT, quoted


def violations(engine: Engine, node: Node, state: State) -> tuple[str, ...]:
    """Some keys that several rows of the view have, in words."""
    pinned = rows_at(engine, node.view.layout, state)
    keys = [quoted(column) for column in node.target.definition.unique_key]
    rows = engine.query(engine.render("duplicate_keys", query=node.view.public(pinned).query, keys=keys))
    return tuple(f"{_told(row)}: {row[COUNT]} rows" for row in rows)


def refuse_unusable(engine: Engine, node: Node, state: State) -> None:
    """Let nobody read a view that is marked."""
    if node.target.definition.unique_key and published(engine, node.target.name).is_unusable:
        raise violated(node, violations(engine, node, state))


def refuse_unusable_snapshot(tables: Tables, target: Target) -> None:
    """Let nobody read a marked view that stays as it is."""
    if target.definition.unique_key and published(tables.engine, target.name).is_unusable:
        state = load_shown_state(tables, target.state)
        refuse_unusable(tables.engine, resolve(tables, target, captures=False), state)


def violated(node: Node, found: Sequence[str]) -> RefreshError:
    """The view shows several rows of one key."""
    view, key = sql_name(node.target.name), ", ".join(node.target.definition.unique_key)
    told = "".join(f"\n      {each}" for each in found)
    return RefreshError(
        Reason.KEY_VIOLATED,
        f"{view} cannot be used: its unique_key is {key}, and rows have the same key.{told}",
        "Correct the rows of its sources, or its query; the next refresh after that makes it usable again.",
    )


def _told(row: dict[str, object]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in row.items() if name != COUNT)
