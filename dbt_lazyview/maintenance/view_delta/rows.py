"""The rows of a view: its stored rows, with what is not applied folded in, at versions that stay what they are."""

from dbt_lazyview.compiler.plan import StateLayout
from dbt_lazyview.maintenance.engine import Engine
from dbt_lazyview.maintenance.state import State
from dbt_lazyview.maintenance.tables import sql_name


def rows_at(engine: Engine, layout: StateLayout, state: State) -> str:
    """What a public view reads from, pinned: the version of the state, and of the view delta where there is some."""
    pinned = engine.render("pinned_state", state=sql_name(state.name), version=state.version)
    if state.unapplied is None:
        return pinned
    return engine.render("folded_relation", state=pinned, columns=layout.columns, unapplied=state.unapplied)
