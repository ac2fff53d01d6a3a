"""A lazy view as its state remembers it."""

from dataclasses import replace

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.definition import is_state, read_definition
from dbt_lazyview.maintenance.engine import Engine
from dbt_lazyview.maintenance.errors import NotBuilt, RefreshError
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import Target, state_name

ANY_ZONE = "UTC"  # no times are read here


def built_target(engine: Engine, name: Name) -> Target | None:
    """The lazy view of a public name, None if it is not built."""
    try:
        return stored_target(engine, name)
    except NotBuilt:
        return None


def in_group(target: Target, group: str | None) -> Target:
    """The view in the group that the project puts it into now."""
    return replace(target, definition=replace(target.definition, view_group=group))


def stored_target(engine: Engine, name: Name) -> Target:
    """The lazy view of a public name, by the definition in its state's properties."""
    detail = Tables(engine, ANY_ZONE).detail(state_name(name))
    if detail is None or not is_state(detail.properties):
        raise NotBuilt(name)
    definition = read_definition(detail.properties)
    if definition is None:
        what = f"{sql_name(name)} was written by a newer release of dbt-lazyview."
        raise RefreshError(Reason.RECORD_FORMAT, what, "Upgrade dbt-lazyview, or rebuild it with dbt run.")
    return Target(name, definition)
