"""Commit and confirm: one statement carries its record in its own Delta commit, and is looked for afterwards."""

from collections.abc import Iterator
from contextlib import contextmanager

from dbt_lazyview.maintenance.affected import Affected
from dbt_lazyview.maintenance.decide import WRITES_ALL
from dbt_lazyview.maintenance.engine import Engine, EngineError, during
from dbt_lazyview.maintenance.failures import is_race
from dbt_lazyview.maintenance.history import Commit, is_harmless_to_state
from dbt_lazyview.maintenance.record import Record, to_json
from dbt_lazyview.maintenance.settings import having_set
from dbt_lazyview.maintenance.state import State
from dbt_lazyview.maintenance.tables import Tables
from dbt_lazyview.names import (
    SETTING_TRANSACTION_APP,
    SETTING_TRANSACTION_VERSION,
    SETTING_USER_METADATA,
    TRANSACTION_APP,
)


class LostRace(Exception):
    """Somebody else was faster: load again and plan anew."""


def commit(
    tables: Tables, state: State, statement: str, record: Record, affected: Affected | None = None
) -> Commit:  # fmt: skip
    """Run the statement that writes the state, or the query whose rows are written, and find what was committed."""
    if tables.engine.shortcuts and affected is None:
        tables.engine.shortcuts.find_transactions(state.name, statement)
    with races_noticed(), during("write the state"), carrying(tables.engine, record):
        if affected is None:
            tables.engine.execute(statement)
        elif not tables.engine.fold(affected, statement):
            raise LostRace
    with during("find what was committed"):
        return confirm(tables, state, record)


@contextmanager
def races_noticed() -> Iterator[None]:
    """Errors that only mean that somebody else was faster."""
    try:
        yield
    except EngineError as error:
        if is_race(error):
            raise LostRace from error
        raise


@contextmanager
def carrying(engine: Engine, record: Record) -> Iterator[None]:
    """Let commits of this connection carry the record; left behind, it would make Delta skip later writes silently."""
    settings = {
        SETTING_USER_METADATA: to_json(record),
        SETTING_TRANSACTION_APP: TRANSACTION_APP,
        SETTING_TRANSACTION_VERSION: str(record.task),
    }
    with having_set(engine, settings):
        yield


def confirm(tables: Tables, state: State, record: Record) -> Commit:
    """Our commit, found by its token; without it, or with somebody's rows under it, the race is lost."""
    commits = tables.commits(state.name, down_to=max(state.version, 0))
    ours = next((each for each in commits if record.token in (each.metadata or "")), None)
    if ours is None:
        raise LostRace
    below = [each for each in commits if state.version < each.version < ours.version]
    if record.kind not in WRITES_ALL and not all(is_harmless_to_state(each) for each in below):
        raise LostRace
    return ours
