"""What the engine tells about Delta tables: their details and their commits."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.engine import Engine, EngineError
from dbt_lazyview.maintenance.history import CHANGE_FEED, Commit, mapping
from dbt_lazyview.maintenance.moments import milliseconds
from dbt_lazyview.names import quoted

FIRST_LOOK = 8  # commits read before it is known how many are needed


@dataclass(frozen=True)
class Detail:
    """One row of DESCRIBE DETAIL."""

    format: str
    id: str
    modified: int  # equals the time of the latest commit
    location: str
    properties: Mapping[str, str]
    size: int

    @property
    def has_change_feed(self) -> bool:
        return self.properties.get(CHANGE_FEED, "").lower() == "true"


@dataclass(frozen=True)
class Tables:
    """Looks tables up, always afresh."""

    engine: Engine
    zone: str

    def detail(self, name: Name) -> Detail | None:
        """Details of a table, None if there is no such table."""
        try:
            rows = self.engine.query(self.engine.render("describe_detail", relation=sql_name(name)))
        except EngineError as error:
            if error.is_missing_relation:
                return None
            raise
        return self._detail(rows[0])

    def _detail(self, row: Mapping[str, Any]) -> Detail:
        modified = milliseconds(row["lastModified"], self.zone) if row["lastModified"] else 0
        return Detail(
            row["format"], row["id"] or "", modified, row["location"] or "",
            mapping(row["properties"]), int(row["sizeInBytes"] or 0),
        )  # fmt: skip

    def newest(self, name: Name, limit: int = 1) -> tuple[Commit, ...]:
        """The newest commits of a table, newest first."""
        rows = self.engine.query(self.engine.render("describe_history", relation=sql_name(name), limit=limit))
        return tuple(Commit.from_row(row, self.zone) for row in rows)

    def commits(self, name: Name, down_to: int) -> tuple[Commit, ...]:
        """The commits of a table, newest first, at least down to a version where the history still has it."""
        found = self.newest(name, FIRST_LOOK)
        if found[-1].version > down_to and len(found) == FIRST_LOOK:
            found = self.newest(name, found[0].version - down_to + FIRST_LOOK)
        return found


def sql_name(name: Name) -> str:
    """
    The quoted name.

    Example:
        >>> sql_name(("x", "odd name"))
        '`x`.`odd name`'
    """
    return ".".join(quoted(part) for part in name)
