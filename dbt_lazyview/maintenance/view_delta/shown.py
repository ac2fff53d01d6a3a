"""What a public view shows of a view delta: told by its properties, so that others find the same rows."""

from dataclasses import replace

from dbt_lazyview.maintenance.record import Record, from_json
from dbt_lazyview.maintenance.state import State, load_own_state
from dbt_lazyview.maintenance.tables import Tables, sql_name


def shown_text(state: State) -> str:
    """
    The version and the window of the view delta, and a point after that window.

    Example:
        >>> delta = State(("x", "v__delta"))
        >>> shown_text(State(("x", "v__state"), delta=delta, point="p"))
        '-1:0:p'
    """
    window = state.record.window if state.record else 0
    return f"{state.delta.version if state.delta else -1}:{window}:{state.point}"


def load_shown_window(tables: Tables, state: State, version: int | None, text: str) -> State:
    """The state that a public view is pinned to, with its record."""
    at, window, point = text.split(":")
    delta = state.delta or State((*state.name[:-1], ""))
    own = state.own if version == state.version else load_own_state(tables, state.name, version)
    newest = replace(delta.newest, version=int(at)) if delta.newest else None
    shown = replace(own, base=own, delta=replace(delta, newest=newest), point=point)
    if own.record is not None and own.record.window == int(window) and not point:
        return replace(shown, record=own.record)
    is_newest = delta.record is not None and delta.record.window == int(window) and not point
    recorded = delta.recorded if is_newest else None
    return replace(shown, record=record_of(tables, shown, int(window)), recorded=recorded)


def record_of(tables: Tables, state: State, window: int) -> Record | None:
    """The record of a window, or of the point after it, from the row that ends it."""
    assert state.delta is not None
    found = records_in(tables, state.delta, state.point or state.epoch)
    return next((each for each in found if state.point or each.window == window), None)


def records_in(tables: Tables, delta: State, epoch: str | None) -> list[Record]:
    """The records of the windows of an epoch, oldest first; of all windows, if none is given."""
    query = tables.engine.render("records_of_windows", delta=sql_name(delta.name), version=delta.version, epoch=epoch)
    rows = tables.engine.query(query)
    return [record for row in rows if (record := from_json(row["lv_record"]))]
