"""The table of a view delta: beside the state, created when the first window is propagated."""

from dataclasses import dataclass

from dbt_lazyview.compiler.catalog import Column, Name, Table
from dbt_lazyview.maintenance.commit import LostRace, races_noticed
from dbt_lazyview.maintenance.engine import Engine
from dbt_lazyview.maintenance.registered import registered
from dbt_lazyview.maintenance.state import State, load_own_state
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.windows import schema_digest
from dbt_lazyview.names import PROPERTY_COLUMNS, PROPERTY_DELTA, quoted


@dataclass(frozen=True)
class DeltaColumn:
    """A column of a view delta that the state has too."""

    name: str
    type: str

    @property
    def quoted(self) -> str:
        return quoted(self.name)


def prepare_delta(tables: Tables, state: State, delta: State) -> int:
    """Create the view delta, or replace one that was made for other columns; gives the number of statements run."""
    goes_on = delta.record is not None and delta.record.epoch == state.epoch
    if delta.detail is not None and goes_on:
        return 0
    columns = stored_columns(tables.engine, state.name)
    digest = schema_digest(columns)
    if delta.detail is not None and delta.detail.properties.get(PROPERTY_COLUMNS) == digest:
        return 0
    followers = registered(delta.detail.properties if delta.detail else {})
    properties = {**followers, PROPERTY_DELTA: sql_name(state.name), PROPERTY_COLUMNS: digest}
    wanted = [DeltaColumn(each.name, each.type) for each in columns]
    is_replaced = delta.detail is not None
    statement = tables.engine.render(
        "create_view_delta", delta=sql_name(delta.name), columns=wanted, properties=properties, replaces=is_replaced
    )
    with races_noticed():
        tables.engine.execute(statement)
    if is_replaced:
        raise LostRace  # look again: it has another version now
    return 1


def stored_columns(engine: Engine, state: Name) -> tuple[Column, ...]:
    """The columns of a state."""
    found = engine.catalog().relation(state, None)
    return found.columns if isinstance(found, Table) else ()


def check_epoch(tables: Tables, state: State) -> None:
    """
    After a window was appended: if the state was computed anew meanwhile, nobody reads the window, and the view has to
    be looked at again.
    """
    if load_own_state(tables, state.name).epoch != state.epoch:
        raise LostRace
