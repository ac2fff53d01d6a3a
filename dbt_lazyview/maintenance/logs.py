"""Logs: how a source tells its own changes, as its `meta` says (an audit or CDC table, Z's delta table, Debezium)."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from dbt_lazyview.compiler.reasons import ModelError, Problem, Reason
from dbt_lazyview.names import quoted

LOG = "log"
SPLIT, DEBEZIUM = "split", "debezium"
FORMATS = (SPLIT, DEBEZIUM)
ORDERED = ("tinyint", "smallint", "int", "bigint", "decimal", "string", "date")  # types of sequence numbers
# Values of the operation, where the source names none.
OPERATIONS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    SPLIT: {"inserts": ("insert", "I"), "updates": ("update", "U"), "deletes": ("delete", "D")},
    DEBEZIUM: {"inserts": ("c", "r"), "updates": ("u",), "deletes": ("d",)},
}
OPERATION = {SPLIT: "operation", DEBEZIUM: "op"}


@dataclass(frozen=True)
class Log:
    """
    Where the changes of a source are told, and how. A log in the format `split` has a row for every row that came or
    went, with the columns of the source; one of Debezium has the row before and after.
    """

    sequence: tuple[str, ...]  # columns by which the log is ordered; `a.b` is a field of a struct
    log: str = ""  # its name; empty: the source is the log itself
    format: str = SPLIT
    operation: str = OPERATION[SPLIT]
    key: tuple[str, ...] = ()  # of the source; its last image in the log is what it is
    inserts: tuple[str, ...] = OPERATIONS[SPLIT]["inserts"]
    updates: tuple[str, ...] = OPERATIONS[SPLIT]["updates"]
    deletes: tuple[str, ...] = OPERATIONS[SPLIT]["deletes"]

    @property
    def has_base(self) -> bool:
        """Whether there is a table beside the log."""
        return bool(self.log)

    @property
    def digest(self) -> str:
        """Changes with anything in it."""
        return hashlib.sha256(json.dumps(asdict(self)).encode()).hexdigest()[:16]

    @property
    def own_columns(self) -> set[str]:
        """Columns of a `split` log that are none of the source."""
        return {self.operation.lower(), *(each.lower() for each in self.sequence)}

    @property
    def operation_column(self) -> str:
        """Quoted."""
        return path(self.operation)

    @property
    def ordered_by(self) -> tuple[str, ...]:
        """The columns of the sequence, quoted."""
        return tuple(path(each) for each in self.sequence)


def path(column: str) -> str:
    """
    A column, or a field of a struct, quoted.

    Example:
        >>> path("source.lsn")
        '`source`.`lsn`'
    """
    return ".".join(quoted(part) for part in column.split("."))


def log_of(meta: Mapping[str, Any], source: str) -> Log | None:
    """
    The log that the `meta` of a source tells of; all that is wrong with it at once.

    Example:
        >>> log_of({"lazyview": {"capture": "log", "format": "debezium", "sequence": "source.lsn"}}, "orders").operation
        'op'
    """
    told = meta.get("lazyview") or {}
    if not isinstance(told, Mapping) or told.get("capture") != LOG:
        return None
    content = {key: value for key, value in told.items() if key != "capture"}
    if problems := tuple(_problems(content, source)):
        raise ModelError(problems)
    kind = content.get("format", SPLIT)
    known = {"operation": OPERATION[kind], **OPERATIONS[kind], **content}
    return from_json(known)


def from_json(content: Mapping[str, Any]) -> Log:
    """A log as it was written down; fields this release does not know are left out."""
    lists = {each.name for each in fields(Log) if each.type in ("tuple[str, ...]", tuple[str, ...])}
    known = {each.name: content[each.name] for each in fields(Log) if each.name in content}
    typed: dict[str, Any] = {name: _names(value) if name in lists else str(value) for name, value in known.items()}
    return Log(**typed)


def _names(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(str(each) for each in value)


def _problems(content: Mapping[str, Any], source: str) -> Iterable[Problem]:
    known = [each.name for each in fields(Log)]
    if unknown := sorted(set(content) - set(known)):
        yield _invalid(source, f"{', '.join(unknown)} is not known", f"It knows {', '.join(known)}.")
    if not content.get("sequence"):
        yield _invalid(source, "it needs a sequence", "Name the columns that order the log, such as [txsn, stmtsn].")
    if content.get("format", SPLIT) not in FORMATS:
        yield _invalid(source, f"format: {content['format']} is not known", f"It is {' or '.join(FORMATS)}.")


def _invalid(source: str, what: str, remedy: str) -> Problem:
    why = "The log tells what happened to the source, in order; each entry is applied once."
    return Problem(Reason.INVALID_CONFIG, f"capture: log of the source {source}: {what}.", why, remedy)


def check_key(log: Log, source: str, columns: Iterable[str]) -> None:
    """Refuse a key of columns that the source does not have."""
    known = {each.lower() for each in columns}
    if unknown := [each for each in log.key if each.lower() not in known]:
        problem = _invalid(source, f"{', '.join(unknown)} is not a column of it", "Name the columns of its key.")
        raise ModelError((problem,))


def check_sequence(log: Log, types: Sequence[str]) -> None:
    """Refuse sequence numbers whose order or text depends on the session."""
    for column, type in zip(log.sequence, types, strict=True):
        if type.partition("(")[0] not in ORDERED:
            problem = _invalid(log.log or "itself", f"{column} is of type {type}", f"Use one of {', '.join(ORDERED)}.")
            raise ModelError((problem,))
