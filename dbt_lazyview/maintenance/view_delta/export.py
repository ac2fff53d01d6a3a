"""Exported change tables: insert, update_preimage, update_postimage and delete of a view's rows, with times (B 1.2)."""

import time
import uuid
from dataclasses import dataclass, replace

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.reasons import ModelError, Problem, Reason
from dbt_lazyview.maintenance.commit import commit
from dbt_lazyview.maintenance.engine import Engine, during
from dbt_lazyview.maintenance.errors import RefreshError
from dbt_lazyview.maintenance.history import rows_written
from dbt_lazyview.maintenance.record import Record
from dbt_lazyview.maintenance.registered import register
from dbt_lazyview.maintenance.settings import read_settings
from dbt_lazyview.maintenance.state import State, load_state
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import Node, Target, resolve
from dbt_lazyview.maintenance.view_delta.changes import changes_query, names_of, pairs_of, state_at
from dbt_lazyview.maintenance.view_delta.compress import no_delta
from dbt_lazyview.maintenance.view_delta.followers import load_follower
from dbt_lazyview.maintenance.view_delta.rows import rows_at
from dbt_lazyview.maintenance.view_delta.windows import Window, cut_time
from dbt_lazyview.names import PROPERTY_EXPORT

EXPORT = "export"
BEGUN, CHANGES, DIFFERENCE, NOTHING = "begun", "changes", "difference", "nothing new"


@dataclass(frozen=True)
class Exported:
    """What was written to an exported change table."""

    table: str
    kind: str
    rows: int = 0

    @property
    def line(self) -> str:
        return f"{self.table}: {self.kind}, {self.rows} rows"


def export_changes(engine: Engine, target: Target, export: Name) -> Exported:
    """Append what happened to a view since the last time, each window's changes with its time; in one commit."""
    tables = Tables(engine, read_settings(engine).time_zone)
    node, state = resolve(tables, target, captures=False), load_state(tables, target.state)
    if state.delta is None or state.delta.newest is None or state.record is None or state.distrust:
        raise no_delta(node)
    found = load_follower(tables, export)
    if found.detail is not None and PROPERTY_EXPORT not in found.detail.properties:
        raise ModelError((_foreign(export),))
    kind, statement = _statement(tables, node, state, found)
    if not statement:
        return Exported(".".join(export[-2:]), kind)
    with during("export changes"):
        register(engine, state.delta.name, state.delta.detail, export)
        written = commit(tables, found, statement, _record(state, found))
    return Exported(".".join(export[-2:]), kind, rows_written(written) or 0)


def _statement(tables: Tables, node: Node, state: State, found: State) -> tuple[str, str]:
    """How what is exported gets to where the view is."""
    assert state.record is not None
    if found.record is None:
        return BEGUN, _begun(tables, node, state, found)
    goes_on = found.record.epoch == state.epoch
    if goes_on and found.record.window >= state.record.window:
        return NOTHING, ""
    before = state_at(tables, state, found.record.window) if goes_on else None
    if before is None:
        return DIFFERENCE, _difference(tables, node, state, found)
    changes = changes_query(tables, node, before, state.record.window)
    names = names_of(node)
    return CHANGES, tables.engine.render("append_changes", export=sql_name(found.name), names=names, changes=changes)


def _begun(tables: Tables, node: Node, state: State, found: State) -> str:
    public = node.view.public(rows_at(tables.engine, node.view.layout, state)).query
    properties = {PROPERTY_EXPORT: sql_name(state.name)}
    arguments = {"names": names_of(node), "public": public, "window": window_of(state), "properties": properties}
    return tables.engine.render("create_export", export=sql_name(found.name), **arguments)


def _difference(tables: Tables, node: Node, state: State, found: State) -> str:
    """From what the exported table itself adds up to; which it does not, if somebody took rows away."""
    if found.distrust:
        raise RefreshError(
            Reason.STATE_CHANGED,
            f"{sql_name(found.name)} cannot go on: the view was computed anew, and rows of the exported table were "
            "changed by somebody else.",
            "Drop that table; the next export begins with all rows of the view.",
        )
    public = node.view.public(rows_at(tables.engine, node.view.layout, state)).query
    return tables.engine.render(
        "append_difference", export=sql_name(found.name), version=found.version, names=names_of(node), public=public,
        window=window_of(state), pairs=pairs_of(node),
    )  # fmt: skip


def window_of(state: State) -> Window:
    """The newest window that a state shows, as a number and a time."""
    assert state.record is not None
    return Window(state.record.window, cut_time(state.record), state.epoch, "")


def _record(state: State, found: State) -> Record:
    assert state.record is not None
    return replace(
        state.record, task=found.next_task, token=uuid.uuid4().hex, kind=EXPORT, onto=found.version, waiting=0,
        epoch=state.epoch, started=round(time.time() * 1000),
    )  # fmt: skip


def _foreign(name: Name) -> Problem:
    return Problem(
        Reason.RESERVED_NAME, f"{sql_name(name)} exists and is not an exported change table.",
        "Changes of a lazy view are appended to a table that was begun by an export.",
        "Choose another name for the table.",
    )  # fmt: skip
