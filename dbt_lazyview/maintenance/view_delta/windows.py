"""Windows: what one refresh propagated, numbered by its task, told apart from others by its record (B 4.5)."""

import time
import uuid
from dataclasses import dataclass, replace

from dbt_lazyview.maintenance.record import Record, to_json
from dbt_lazyview.maintenance.state import State

# What else can happen to a view delta; its newest window stays what it is.
POINT, COMPRESS, PRUNE = "point", "compress", "prune"


@dataclass(frozen=True)
class Window:
    """A window as the macros write it."""

    ssn: int
    time: int  # epoch milliseconds
    epoch: str
    record: str


def window_record(record: Record, state: State) -> Record:
    """The record of a window: of the next commit of the view delta, onto what that holds already."""
    delta = state.delta
    assert delta is not None
    task, before = delta.next_task, delta.record
    pruned = before.pruned if before and before.epoch == state.epoch else 0
    return replace(
        record, task=task, onto=delta.version, epoch=state.epoch, window=task, waiting=state.waiting, pruned=pruned
    )


def point_record(record: Record, state: State) -> tuple[Record, Window]:
    """
    A window that leads from the one that a state is rolled to, to a moment before the next; and the record of its
    commit, which says of the view delta what the commits before it said.
    """
    assert state.record is not None
    point = replace(record, kind=POINT, epoch=record.token, window=state.record.window)
    window = Window(record.task, cut_time(record), point.epoch, to_json(point))
    return carried_on(state, POINT), window


def carried_on(state: State, kind: str) -> Record:
    """The record of a commit that leaves the newest window of a view delta as it is."""
    delta = state.delta
    assert delta is not None
    assert delta.record is not None
    started = round(time.time() * 1000)
    token = uuid.uuid4().hex
    return replace(delta.record, task=delta.next_task, token=token, kind=kind, onto=delta.version, started=started)


def window_of(record: Record) -> Window:
    """The window of a record."""
    return Window(record.window, cut_time(record), record.epoch, to_json(record))


def cut_time(record: Record) -> int:
    """
    When the newest commit was made that a record stands for, epoch milliseconds.

    Example:
        >>> from dbt_lazyview.maintenance.record import Position, Settings
        >>> cut = {"a": Position(3, 70, ""), "b": Position(9, 50, "")}
        >>> cut_time(Record(1, "", "incremental", 0, cut, {}, Settings("UTC", "false"), ""))
        70
    """
    return max((position.timestamp for position in record.cut.values()), default=0)
