"""Who goes on from what is in a table: it says so in its properties, so that nothing is deleted that they need."""

import hashlib
from collections.abc import Iterable, Mapping

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.engine import Engine
from dbt_lazyview.maintenance.tables import Detail, name_of, sql_name
from dbt_lazyview.names import PROPERTY_NEEDED_BY


def register(engine: Engine, table: Name, detail: Detail | None, follower: Name) -> int:
    """Let a view delta, or a state, say who goes on from what is in it; gives the number of statements run."""
    key = PROPERTY_NEEDED_BY + hashlib.sha256(sql_name(follower).encode()).hexdigest()[:12]
    if detail is not None and key in detail.properties:
        return 0
    engine.execute(engine.render("set_properties", relation=sql_name(table), properties={key: sql_name(follower)}))
    return 1


def registered(properties: Mapping[str, str]) -> dict[str, str]:
    """What a table says of those who need it, as properties."""
    return {key: value for key, value in properties.items() if key.startswith(PROPERTY_NEEDED_BY)}


def followers_of(properties: Iterable[tuple[str, str]]) -> list[Name]:
    """
    The tables that a view delta, or a state, is needed by.

    Example:
        >>> followers_of([("lazyview.needed_by.1f", "`x`.`v`"), ("other", "1")])
        [('x', 'v')]
    """
    return [name_of(value) for key, value in properties if key.startswith(PROPERTY_NEEDED_BY)]
