"""
Copies that follow a log: what the log of a source tells since the last time is folded into a Delta copy of the source,
in one commit that carries the position in the log. To lazy views the copy is a source like any other.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from typing import Any

from dbt_lazyview.compiler.catalog import Column, Name, Table
from dbt_lazyview.maintenance.engine import Engine, EngineError
from dbt_lazyview.maintenance.errors import RefreshError, log_unusable
from dbt_lazyview.maintenance.failures import is_race
from dbt_lazyview.maintenance.history import CHANGE_FEED, Commit, is_harmless_to_state
from dbt_lazyview.maintenance.logs import DEBEZIUM, Log, check_key, check_sequence
from dbt_lazyview.maintenance.settings import having_set
from dbt_lazyview.maintenance.tables import Detail, Tables, sql_name
from dbt_lazyview.names import (
    LOG_APP,
    LOG_REFUSED,
    PROPERTY_COPY,
    PROPERTY_LOG,
    SETTING_TRANSACTION_APP,
    SETTING_TRANSACTION_VERSION,
    SETTING_USER_METADATA,
    quoted,
)

ATTEMPTS = 5
METADATA = "lazyview_log"  # as which a commit of the copy carries the position


@dataclass(frozen=True)
class Head:
    """How far a log goes: the greatest sequence number, and how many entries there are."""

    position: tuple[str, ...] | None  # None: it is empty
    entries: int
    up_to_known: int = 0  # entries up to the position that was known before


@dataclass(frozen=True)
class Followed:
    """What a copy stands for: a position in the log; `entries` up to it as they were counted then."""

    position: tuple[str, ...] | None
    entries: int
    task: int

    def to_json(self) -> str:
        text = json.dumps({METADATA: asdict(self)}, separators=(",", ":"))
        return text.replace(";", "\\u003b").replace("$", "\\u0024")


@dataclass(frozen=True)
class LogCopy:
    """A copy, its source, and the log between them: all that the macros need."""

    tables: Tables
    source: Table
    copy: Name
    log: Log
    columns: tuple[Column, ...]
    types: tuple[str, ...] = ()  # of the sequence

    @property
    def engine(self) -> Engine:
        return self.tables.engine

    @property
    def table(self) -> str:
        """The copy."""
        return sql_name(self.copy)

    @property
    def relation(self) -> str:
        """The log; without a schema, it is in that of its source."""
        parts = tuple(self.log.log.split("."))
        return sql_name((*self.source.name[: -len(parts)], *parts)) if self.log.has_base else self.source.sql

    @property
    def names(self) -> list[str]:
        return [quoted(column.name) for column in self.columns]

    @property
    def keys(self) -> list[str]:
        return [quoted(column) for column in self.log.key]

    @property
    def has_images(self) -> bool:
        """Whether entries hold rows before and after."""
        return self.log.format == DEBEZIUM

    def literals(self, position: Sequence[str] | None) -> list[tuple[str, str]] | None:
        """A position for SQL: text and type of each number."""
        return None if position is None else list(zip(position, self.types, strict=True))

    def sql(self, macro: str, **arguments: Any) -> str:
        return self.engine.render(macro, copy=self, **arguments)


def follow_log(tables: Tables, source: Table, copy: Name, log: Log, columns: tuple[Column, ...]) -> None:
    """Let the copy have the rows that the log tells of; whoever loses a race against another refresher looks again."""
    check_key(log, source.sql, [column.name for column in columns])
    mirrored = LogCopy(tables, source, copy, log, columns)
    described = tables.engine.catalog().describe(f"SELECT {', '.join(log.ordered_by)} FROM {mirrored.relation}")
    mirrored = replace(mirrored, types=tuple(column.type for column in described))
    check_sequence(log, mirrored.types)
    for attempt in range(ATTEMPTS):
        try:
            _follow(mirrored)
            return
        except EngineError as error:
            if LOG_REFUSED in str(error):
                raise _unusable(mirrored, _told(error)) from error
            if not is_race(error) or attempt + 1 == ATTEMPTS:
                raise


def _follow(mirrored: LogCopy) -> None:
    detail = mirrored.tables.detail(mirrored.copy)
    commits = _commits(mirrored) if detail else ()
    known = _followed(mirrored, detail, commits) if detail else None
    head = _head(mirrored, known)
    if known is None or _begins_anew(mirrored, known, head):
        _load(mirrored, known, head, _next_task(commits))
    elif head.position is not None and head.position != known.position:
        macro = "merge_log" if mirrored.log.key else "overwrite_by_log"
        after, upto = mirrored.literals(known.position), mirrored.literals(head.position)
        statement = mirrored.sql(macro, after=after, upto=upto)
        _commit(mirrored, statement, Followed(head.position, head.entries, known.task + 1))


def _commits(mirrored: LogCopy) -> tuple[Commit, ...]:
    """The commits of the copy down to the last one that tells a position, newest first."""
    newest = mirrored.tables.newest(mirrored.copy)
    return newest if any(map(_position_in, newest)) else mirrored.tables.commits(mirrored.copy, down_to=0)


def _load(mirrored: LogCopy, known: Followed | None, head: Head, task: int) -> None:
    """
    All rows at one position of the log: with a key, the last image of each key that the log knows, and the table beside
    it for the others; without, the table alone, which nobody may write meanwhile; or the whole log.
    """
    if not mirrored.log.has_base and known and head.up_to_known < known.entries:
        raise _unusable(mirrored, "entries are gone from it, and there is no table beside it to begin with")
    log = mirrored.log
    properties = {CHANGE_FEED: "true", PROPERTY_COPY: sql_name(mirrored.source.name), PROPERTY_LOG: log.digest}
    upto = mirrored.literals(head.position)
    statement = mirrored.sql("create_copy_by_log", upto=upto, properties=properties)
    if log.key or not log.has_base:
        return _commit(mirrored, statement, Followed(head.position, head.entries, task))
    mirrored.engine.execute(statement)  # without a position: it counts only once nothing happened meanwhile
    if _head(mirrored, None) != replace(head, up_to_known=0):
        raise _unusable(mirrored, "it was written to while the table beside it was read, and the source has no key")
    advance = mirrored.engine.render("advance_record", state=mirrored.table)
    return _commit(mirrored, advance, Followed(head.position, head.entries, task))


def _commit(mirrored: LogCopy, statement: str, followed: Followed) -> None:
    settings = {
        SETTING_USER_METADATA: followed.to_json(),
        SETTING_TRANSACTION_APP: LOG_APP,
        SETTING_TRANSACTION_VERSION: str(followed.task),
    }
    with having_set(mirrored.engine, settings):
        mirrored.engine.execute(statement)
    mirrored.tables.probes.forget_table(mirrored.copy)


def _followed(mirrored: LogCopy, detail: Detail, commits: Sequence[Commit]) -> Followed | None:
    """What the copy stands for; None where it has to be made anew: another log, other columns, rows of others."""
    described = mirrored.engine.catalog().describe(f"SELECT * FROM {mirrored.table}")
    if detail.properties.get(PROPERTY_LOG) != mirrored.log.digest or described != mirrored.columns:
        return None
    newest = next((each for each in commits if _position_in(each) or not is_harmless_to_state(each)), None)
    return _position_in(newest) if newest else None


def _next_task(commits: Sequence[Commit]) -> int:
    """Delta skips a transaction number that is not greater than the last one, whatever became of the table since."""
    last = next(filter(None, map(_position_in, commits)), None)
    return last.task + 1 if last else time.time_ns() // 1_000_000


def _position_in(commit: Commit) -> Followed | None:
    try:
        content = json.loads(commit.metadata or "null")
    except ValueError:
        return None
    told = content.get(METADATA) if isinstance(content, dict) else None
    if told is None:
        return None
    position = None if told["position"] is None else tuple(told["position"])
    return Followed(position, told["entries"], told["task"])


def _head(mirrored: LogCopy, known: Followed | None) -> Head:
    mirrored.engine.execute(mirrored.engine.render("refresh_table", relation=mirrored.relation))
    known_position = mirrored.literals(known.position) if known else None
    (row,) = mirrored.engine.query(mirrored.sql("log_head", known=known_position))
    if row["unordered"]:
        raise _unusable(mirrored, f"{row['unordered']} of its entries have no sequence number")
    entries = int(row["entries"])
    if not entries:
        return Head(None, 0)
    position = tuple(str(row[f"position_{number}"]) for number in range(len(mirrored.types)))
    return Head(position, entries, int(row["up_to_known"]) if known_position else 0)


def _begins_anew(mirrored: LogCopy, known: Followed, head: Head) -> bool:
    """Whether the log was begun anew, or entries came that are older than what was already folded in."""
    if head.position is None or known.position is None:
        return False
    is_before = _numbers(head.position, mirrored.types) < _numbers(known.position, mirrored.types)
    return is_before or head.up_to_known > known.entries


def _numbers(position: Sequence[str], types: Sequence[str]) -> tuple[Any, ...]:
    """
    A position that can be compared.

    Example:
        >>> _numbers(("9", "b"), ("bigint", "string")) < _numbers(("10", "a"), ("bigint", "string"))
        True
    """
    plain = ("string", "date")
    return tuple(text if type in plain else Decimal(text) for text, type in zip(position, types, strict=True))


def _told(error: EngineError) -> str:
    """What the statement itself said."""
    return str(error).partition(f"{LOG_REFUSED}: ")[2].partition("\n")[0].partition(" SQLSTATE")[0].rstrip(". '\"")


def _unusable(mirrored: LogCopy, why: str) -> RefreshError:
    return log_unusable(mirrored.relation, mirrored.source.sql, mirrored.copy, why)
