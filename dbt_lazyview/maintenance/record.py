"""The record of a refresh: what a state stands for, carried by the state's own commit."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from dbt_lazyview.names import RECORD_FORMAT


@dataclass(frozen=True)
class Position:
    """One version of a table: enough to find it again, or to see that it is another table now."""

    version: int
    timestamp: int  # of the commit, epoch milliseconds
    id: str
    feed: bool = True  # the change data feed was on
    schema: str = ""  # number and digest of its columns
    partitions: str | None = None  # the columns it is partitioned by, as JSON; None: not known


@dataclass(frozen=True)
class Settings:
    """Session settings a result depends on."""

    time_zone: str
    ansi: str


@dataclass(frozen=True)
class Pace:
    """How long it takes to follow changes of a kind; 0: not known yet."""

    least: int = 0  # milliseconds, where few rows changed
    row: float = 0.0  # milliseconds that a row adds to that, where many did
    some: int = 0  # milliseconds, where neither few nor many did
    many: int = 0  # so many rows were followed when nothing else was known, and all of the time was divided by them


@dataclass(frozen=True)
class Experience:
    """What refreshes of a view took so far, as far as it helps to foresee the next one; 0: not known yet."""

    full: int = 0  # milliseconds of the last full computation
    full_bytes: int = 0  # of its sources
    inserts: Pace = Pace()  # where rows only came
    others: Pace = Pace()
    rewrites: Pace = Pace()  # where tables were rewritten, by rows of their feeds
    touched: int = 0  # times in a row that changes did touch the view, of which that was not certain


NO_EXPERIENCE = Experience()


@dataclass(frozen=True)
class Estimate:
    """How long a refresh was expected to take, either way; milliseconds."""

    incremental: int
    full: int


@dataclass(frozen=True)
class Record:
    """What a state stands for, and how it came about. Tables are keyed by their quoted name."""

    task: int
    token: str
    kind: str
    onto: int  # version of the state this refresh started from, -1: none
    cut: Mapping[str, Position]  # every base table
    reads: Mapping[str, Position]  # every source, parents' states included
    settings: Settings
    fingerprint: str
    reason: str = ""
    strategy: str = ""
    changes: int | None = None
    insert_only: bool = False  # rows came, and none went
    rewritten: int | None = None  # rows in the feeds, where some table was rewritten
    trigger: str = ""  # what set it off, see policies.py
    started: int = 0  # epoch milliseconds; the commit's own time is its end
    source_bytes: int = 0
    experience: Experience = NO_EXPERIENCE  # from the refreshes before this one
    extents: Mapping[str, Mapping[str, tuple[str, str]]] = field(default_factory=dict)  # of columns of sources
    estimate: Estimate | None = None  # where so much had changed that it was a question
    epoch: str = ""  # the token of the record that the windows of a view delta go on from; "": its own
    window: int = 0  # of the view delta: the newest in it, or in a state the newest that was applied
    waiting: int = 0  # rows of the view delta before this window that are not applied
    pruned: int = 0  # the newest window that was deleted from the view delta
    format: int = field(default=RECORD_FORMAT)


class UnreadableRecord(Exception):
    """A record of ours in a format this release does not know; `task` where it can be told."""

    def __init__(self, task: int | None) -> None:
        super().__init__("the record was written by a newer release")
        self.task = task


def to_json(record: Record) -> str:
    """The record as one line that SET carries as it is: no `;` (ends a statement), no `${` (a variable)."""
    text = json.dumps({"lazyview": asdict(record)}, separators=(",", ":"), ensure_ascii=True)
    return text.replace(";", "\\u003b").replace("$", "\\u0024")


def from_json(text: str | None) -> Record | None:
    """The record in a commit's metadata, None if it is not ours; fields this release does not know are left out."""
    content = _content(text)
    if content is None:
        return None
    if not isinstance(content.get("format"), int) or content["format"] > RECORD_FORMAT:
        raise UnreadableRecord(content.get("task"))
    known = {name: content[name] for name in Record.__dataclass_fields__ if name in content}
    for name in ("cut", "reads"):
        known[name] = {table: _known(Position, position) for table, position in content[name].items()}
    known["settings"] = _known(Settings, content["settings"])
    known["experience"] = _experience(content.get("experience") or {})
    known["estimate"] = _known(Estimate, content["estimate"]) if content.get("estimate") else None
    return Record(**known)


def _experience(content: Mapping[str, Any]) -> Experience:
    paces = {name: _known(Pace, content.get(name) or {}) for name in ("inserts", "others", "rewrites")}
    known: Experience = _known(Experience, content)
    return replace(known, **paces)


def _content(text: str | None) -> dict[str, Any] | None:
    try:
        content = json.loads(text or "null")
    except ValueError:
        return None
    return content.get("lazyview") if isinstance(content, dict) else None


def _known(kind: Any, content: Mapping[str, Any]) -> Any:
    return kind(**{name: content[name] for name in kind.__dataclass_fields__ if name in content})
