"""What maintenance asks of the engine: SQL, rendered by macros; some of it may take a shorter way."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

from dbt_lazyview.compiler.catalog import Catalog, Name, Table
from dbt_lazyview.compiler.plan import Extent
from dbt_lazyview.maintenance.affected import Affected


class Shortcuts(Protocol):
    """Ways that some connections have to do without a statement what a statement would do."""

    def table(self, name: Name) -> Table | None:
        """What DESCRIBE TABLE would tell of a Delta table; None where only the statement can."""

    def detail(self, name: Name) -> dict[str, Any] | None:
        """What DESCRIBE DETAIL would tell; None where only the statement can."""

    def history(self, name: Name, limit: int) -> list[dict[str, Any]] | None:
        """What DESCRIBE HISTORY would tell; None where only the statement can."""

    def find_transactions(self, name: Name, statement: str) -> None:
        """See to it that a statement that commits to a table finds quickly which transactions the table has seen."""

    def statistics(self, name: Name, after: int, upto: int) -> Sequence[Mapping[str, Any]] | None:
        """What writers told of each file that the commits (after, upto] added; None where it cannot be read."""

    def ends_of_changes(self, name: Name, after: int, upto: int, column: str) -> tuple[str, str] | None:
        """The ends of a column in all rows that came or went with the commits (after, upto]; None if not known."""

    def extents(self, name: Name, version: int, columns: Sequence[str]) -> Mapping[str, tuple[str, str]]:
        """The ends of columns in all files of a table, which is at that version now; those that are known."""

    def row_count(self, name: Name, version: int) -> int | None:
        """How many rows a table has at a version; None where only a query can tell."""

    def affected(self, name: Name, version: int, keys: tuple[Extent, ...]) -> Affected | None:
        """The files of a table with rows whose keys lie within extents; None where that is not known for nothing."""

    def properties(self, name: Name) -> Mapping[str, str] | None:
        """What SHOW TBLPROPERTIES would tell of a view; None where only the statement can."""

    def setting(self, key: str) -> str:
        """The value of a setting."""

    def setup(self) -> str:
        """What stands for all settings of the connection: with the same ones, the same query has the same types."""

    def having_set(self, settings: Mapping[str, str]) -> AbstractContextManager[None]:
        """Have settings on the connection, and not afterwards."""

    def keep(self, name: str, query: str) -> None:
        """Let the rows of a query be there under a name, computed once, and forget how they were computed."""


class Engine(Protocol):
    """One connection of our own, and the macros that speak its SQL; every method raises `EngineError`."""

    @property
    def shortcuts(self) -> Shortcuts | None:
        """Where this connection has some."""

    def query(self, sql: str) -> list[dict[str, Any]]:
        """The rows of a statement."""

    def execute(self, sql: str) -> None:
        """Run a statement for its effect."""

    def fold(self, affected: Affected, query: str) -> bool:
        """
        Commit the rows of a query instead of those of the affected files, and to the change feed those that tell in
        `_change_type` how rows changed. Only through shortcuts; False where the table is at another version by now.
        """

    def render(self, macro: str, **arguments: Any) -> str:
        """The text of a macro."""

    def catalog(self) -> Catalog:
        """A catalog that remembers nothing from before."""


# What drivers say when nobody is there any more.
LOST = (
    "TTransport", "TSocket", "Connection refused", "Connection reset", "Broken pipe", "Could not connect",
    "trying to connect to the Java server", "Py4JNetworkError", "Answer from Java side is empty",
    "Error while sending or receiving", "Invalid SessionHandle", "SparkContext was shut down", "stopped SparkContext",
)  # fmt: skip


class EngineError(Exception):
    """A statement failed: the engine's own words."""

    step = ""  # of the refresh it happened in

    @property
    def is_missing_relation(self) -> bool:
        return any(
            word in str(self) for word in ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "DELTA_TABLE_NOT_FOUND")
        )

    @property
    def is_lost_connection(self) -> bool:
        return any(word in str(self) for word in LOST)


class Doing(threading.local):
    """The steps that a thread is in, the innermost last, each with the view that it is about."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, Name]] = []


DOING = Doing()


@contextmanager
def during(step: str, of: Name | None = None) -> Iterator[None]:
    """Let errors and progress tell in which step they are; the innermost one counts."""
    steps = DOING.steps
    steps.append((step, of or (steps[-1][1] if steps else ())))
    try:
        yield
    except EngineError as error:
        error.step = error.step or step
        raise
    finally:
        steps.pop()
