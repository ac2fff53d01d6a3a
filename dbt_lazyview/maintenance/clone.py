"""A lazy view cloned from another environment: its state without a copy of its files, its record, its public view."""

import time
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.carry_out import failures_told, look_at_key, show_view
from dbt_lazyview.maintenance.commit import commit
from dbt_lazyview.maintenance.decide import CLONE
from dbt_lazyview.maintenance.definition import Definition, to_properties
from dbt_lazyview.maintenance.engine import EngineError
from dbt_lazyview.maintenance.errors import NotBuilt, unreadable
from dbt_lazyview.maintenance.history import Commit
from dbt_lazyview.maintenance.outcome import Outcome
from dbt_lazyview.maintenance.policies import RUN
from dbt_lazyview.maintenance.public import load_shown_state, publication
from dbt_lazyview.maintenance.record import Position, Record
from dbt_lazyview.maintenance.registered import register
from dbt_lazyview.maintenance.state import NO_VERSION, State, load_state
from dbt_lazyview.maintenance.tables import Tables, name_of, sql_name
from dbt_lazyview.maintenance.tree import Target, public_name, resolve, state_name
from dbt_lazyview.names import AUXILIARY_INFIX


def clone(tables: Tables, origin: Name, name: Name) -> Outcome:
    """
    Let a view stand where another one stands, and go on from there by itself: it has the rows, the record and the
    definition of the other one as of the version that its readers see.
    """
    started = time.time()
    shown = load_shown_state(tables, state_name(origin)).own  # what waits in a view delta stays there
    if shown.detail is None:
        raise NotBuilt(origin)
    target = Target(name, _definition(shown, origin))
    with failures_told(target, "clone the state"):
        _clone_state(tables, shown, origin, name)
        _publish(tables, target)
    return Outcome(sql_name(name), CLONE, rows_changed=None, changes=None, statements=2, seconds=time.time() - started)


def _definition(state: State, origin: Name) -> Definition:
    """What the clone remembers: it is stored where tables are stored by default, for the place is taken."""
    if state.distrust or state.definition is None:
        assert state.distrust is not None
        raise unreadable(origin, state.distrust)
    return replace(state.definition, location_root=None)


def _clone_state(tables: Tables, shown: State, origin: Name, name: Name) -> Commit:
    """Clone a state after the auxiliary states that it reads; the record names those by their new names."""
    assert shown.record is not None
    reads = {table: position for table, position in shown.record.reads.items() if not _is_auxiliary(table, origin)}
    for table, position in shown.record.reads.items():
        if _is_auxiliary(table, origin):
            own, at = _clone_auxiliary(tables, name_of(table), position, origin, name)
            reads[sql_name(own)] = at
    existing = load_state(tables, _renamed(shown.name, origin, name))
    return _write(tables, shown, existing, reads, _definition(shown, origin))


def _write(
    tables: Tables, shown: State, existing: State, reads: Mapping[str, Position], definition: Definition
) -> Commit:
    assert shown.record is not None
    record = _record(shown.record, existing, reads)
    statement = tables.engine.render(
        "clone_state", state=sql_name(existing.name), origin=sql_name(shown.name), version=shown.version,
        properties=to_properties(definition, record.fingerprint),
    )  # fmt: skip
    if existing.detail is not None:  # Delta clones into nothing but a new table
        tables.engine.execute(tables.engine.render("drop_table", relation=sql_name(existing.name)))
    written = commit(tables, State(existing.name), statement, record)
    with suppress(EngineError):  # whoever may read may not be allowed to write
        register(tables.engine, shown.name, shown.detail, existing.name)
    return written


def _record(recorded: Record, existing: State, reads: Mapping[str, Position]) -> Record:
    """What the other state stands for; a new table has a new history, so it travels in the commit that clones."""
    return replace(
        recorded, kind=CLONE, task=max(existing.next_task, recorded.task + 1), token=uuid.uuid4().hex,
        onto=NO_VERSION, reads=reads, reason="", strategy="", changes=None, trigger=RUN,
        started=round(time.time() * 1000), estimate=None, epoch="", window=0, waiting=0, pruned=0,
    )  # fmt: skip


def _clone_auxiliary(tables: Tables, state: Name, at: Position, origin: Name, name: Name) -> tuple[Name, Position]:
    """Clone an auxiliary state as its owner read it."""
    found = load_state(tables, state, at=at.version)
    if found.record is None or found.distrust:
        raise unreadable(origin, found.distrust) if found.distrust else NotBuilt(origin)
    written = _clone_state(tables, found, origin, name)
    own = _renamed(state, origin, name)
    detail = tables.detail(own)
    assert detail is not None
    return own, replace(at, version=written.version, timestamp=written.timestamp, id=detail.id)


def _publish(tables: Tables, target: Target) -> None:
    node = resolve(tables, target, captures=False)
    state = load_state(tables, target.state)
    show_view(tables, publication(tables.engine, node, state))
    look_at_key(tables.engine, node, state)


def _is_auxiliary(table: str, origin: Name) -> bool:
    name = public_name(name_of(table))
    return name[:-1] == origin[:-1] and name[-1].startswith(origin[-1] + AUXILIARY_INFIX)


def _renamed(state: Name, origin: Name, name: Name) -> Name:
    """The name that a state of the one view has among those of the other."""
    return (*name[:-1], name[-1] + state[-1].removeprefix(origin[-1]))
