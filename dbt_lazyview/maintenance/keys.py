"""Declared keys: a view of which two rows have the same key is not usable until a refresh mends that (Z 6.2)."""

from collections.abc import Sequence

from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.engine import Engine
from dbt_lazyview.maintenance.errors import RefreshError
from dbt_lazyview.maintenance.public import load_shown_state, published
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import Node, Target, resolve
from dbt_lazyview.names import COUNT, quoted


def violations(engine: Engine, node: Node, version: int) -> tuple[str, ...]:
    """Some keys that several rows have at a version of the state, in words."""
    pinned = engine.render("pinned_state", state=sql_name(node.target.state), version=version)
    keys = [quoted(column) for column in node.target.definition.unique_key]
    rows = engine.query(engine.render("duplicate_keys", query=node.view.public(pinned).query, keys=keys))
    return tuple(f"{_told(row)}: {row[COUNT]} rows" for row in rows)


def refuse_unusable(engine: Engine, node: Node, version: int) -> None:
    """Let nobody read a view that is marked."""
    if node.target.definition.unique_key and published(engine, node.target.name).is_unusable:
        raise violated(node, violations(engine, node, version))


def refuse_unusable_snapshot(tables: Tables, target: Target) -> None:
    """Let nobody read a marked view that stays as it is."""
    if target.definition.unique_key and published(tables.engine, target.name).is_unusable:
        version = load_shown_state(tables, target.state).version
        refuse_unusable(tables.engine, resolve(tables, target, captures=False), version)


def violated(node: Node, found: Sequence[str]) -> RefreshError:
    """The view shows several rows of one key."""
    view, key = sql_name(node.target.name), ", ".join(node.target.definition.unique_key)
    told = "".join(f"\n      {each}" for each in found)
    return RefreshError(
        Reason.KEY_VIOLATED,
        f"{view} cannot be used: its unique_key is {key}, and rows have the same key.{told}\n"
        "  Correct the rows of its sources, or its query; the next refresh after that makes it usable again.",
    )


def _told(row: dict[str, object]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in row.items() if name != COUNT)
