"""The journal: a row for every refresh that wrote something, in a table that any SQL client can read."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.engine import Engine, EngineError
from dbt_lazyview.maintenance.outcome import Outcome
from dbt_lazyview.maintenance.tables import name_of, sql_name

JOURNAL, STATUS = "lazyview_refreshes", "lazyview_status"


@dataclass(frozen=True)
class Entry:
    """One refresh; times are epoch milliseconds."""

    outcome: Outcome

    @property
    def values(self) -> tuple[Any, ...]:
        """In the order of the journal's columns."""
        done, record = self.outcome, self.outcome.record
        assert record is not None
        cut_time = max((position.timestamp for position in record.cut.values()), default=None)
        refreshed_at = record.started + round(done.seconds * 1000)
        return (
            ".".join(name_of(done.view)[1:]), done.policy, done.refresh_mode, done.kind, done.reason or None,
            record.trigger, done.strategy or None, done.changes, done.rows_changed, Moment(refreshed_at),
            round(done.seconds, 3), None if cut_time is None else Moment(cut_time), done.state_bytes,
        )  # fmt: skip


@dataclass(frozen=True)
class Moment:
    """A moment as SQL writes it, whatever the session's time zone."""

    milliseconds: int

    def __str__(self) -> str:
        return f"timestamp_millis({self.milliseconds})"


def entries_of(outcome: Outcome) -> Iterator[Entry]:
    """The refreshes that wrote something: of the parents and of its group, then of the view."""
    for other in (*outcome.parents, *outcome.companions):
        yield from entries_of(other)
    if outcome.record is not None:
        yield Entry(outcome)


def write_journals(engine: Engine, entries: Iterable[Entry]) -> None:
    """Append entries to the journals of their schemas."""
    by_schema: dict[Name, list[Entry]] = {}
    for entry in entries:
        by_schema.setdefault(name_of(entry.outcome.view)[:-1], []).append(entry)
    for schema, own in by_schema.items():
        _write(engine, sql_name((*schema, JOURNAL)), sql_name((*schema, STATUS)), own)


def _write(engine: Engine, journal: str, status: str, entries: list[Entry]) -> None:
    """Append entries; where there is no journal yet, begin one."""
    statement = engine.render("write_journal", journal=journal, entries=entries)
    try:
        engine.execute(statement)
    except EngineError as error:
        if not error.is_missing_relation:
            raise
        engine.execute(engine.render("create_journal", journal=journal))
        engine.execute(engine.render("create_status_view", status=status, journal=journal))
        engine.execute(statement)
