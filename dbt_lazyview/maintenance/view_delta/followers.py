"""Followers: tables that go on from a window of a view delta by themselves, copies and exports (B 1.2)."""

from dataclasses import dataclass

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.public import load_shown_state
from dbt_lazyview.maintenance.record import Record
from dbt_lazyview.maintenance.registered import followers_of
from dbt_lazyview.maintenance.state import State, judge
from dbt_lazyview.maintenance.tables import FIRST_LOOK, Tables, sql_name
from dbt_lazyview.maintenance.tree import public_name
from dbt_lazyview.maintenance.view_delta.changes import state_at
from dbt_lazyview.names import PROPERTY_EXPORT


@dataclass(frozen=True)
class Need:
    """A window that somebody goes on from: all later ones are needed, and its end is."""

    who: str
    epoch: str
    window: int
    end: int = 0  # another one that has to stay an end, where the follower itself is


def load_follower(tables: Tables, name: Name) -> State:
    """A table that follows a view delta, with its record; there may be none."""
    detail = tables.detail(name)
    if detail is None:
        return State(name)
    commits = tables.newest(name, FIRST_LOOK)
    found = judge(State(name, detail, newest=commits[0]), commits)
    return found if found.record or commits[-1].version == 0 else judge(found, tables.commits(name, down_to=0))


def needs_of(tables: Tables, state: State) -> list[Need]:
    """Who goes on from which window: the state itself, what the view shows, and every follower that still exists."""
    own, shown = state.own.record, load_shown_state(tables, state.name)
    found = [Need(sql_name(state.name), state.epoch, own.window)] if own else []
    if shown.record and shown.own.record and shown.unapplied:
        window = shown.own.record.window
        found.append(Need(sql_name(public_name(state.name)), shown.epoch, window, shown.record.window))
    properties = state.delta.detail.properties if state.delta and state.delta.detail else {}
    for name in followers_of(properties.items()):
        follower = load_follower(tables, name)
        if follower.record is not None:
            record = follower.record
            found.append(Need(sql_name(name), record.epoch, _from(tables, state, follower, record), record.window))
    return found


def _from(tables: Tables, state: State, follower: State, record: Record) -> int:
    """
    The window that a follower goes on from; an export has no rows of its own to begin with, and needs the windows from
    the version of the state that comes before.
    """
    is_export = follower.detail is not None and PROPERTY_EXPORT in follower.detail.properties
    before = state_at(tables, state, record.window) if is_export and record.epoch == state.epoch else None
    return before.own.record.window if before and before.own.record else record.window
