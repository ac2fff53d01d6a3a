"""What maintenance asks of the engine: SQL, rendered by macros; some of it may take a shorter way."""

from typing import Any, Protocol

from dbt_lazyview.compiler.catalog import Catalog, Name


class Engine(Protocol):
    """One connection of our own, and the macros that speak its SQL."""

    def query(self, sql: str) -> list[dict[str, Any]]:
        """The rows of a statement; raises `EngineError`."""

    def execute(self, sql: str) -> None:
        """Run a statement for its effect; raises `EngineError`."""

    def render(self, macro: str, **arguments: Any) -> str:
        """The text of a macro."""

    def quick_detail(self, name: Name) -> dict[str, Any] | None:
        """What DESCRIBE DETAIL would tell, without running it; None where this connection has no such way."""

    def keep(self, name: str, query: str) -> bool:
        """
        Let the rows of a query be there under a name, computed once, and forget how they were computed.

        False where this connection has no such way; raises `EngineError`.
        """

    def catalog(self) -> Catalog:
        """A catalog that remembers nothing from before."""


class EngineError(Exception):
    """A statement failed: the engine's own words."""

    @property
    def is_missing_relation(self) -> bool:
        return any(
            word in str(self) for word in ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "DELTA_TABLE_NOT_FOUND")
        )
