"""What the engine tells about Delta tables: their details and their commits."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.engine import Engine, EngineError
from dbt_lazyview.maintenance.history import CHANGE_FEED, Commit
from dbt_lazyview.maintenance.maps import mapping
from dbt_lazyview.maintenance.moments import milliseconds
from dbt_lazyview.maintenance.probes import Probes
from dbt_lazyview.names import PROPERTY_COPY, STATE_SUFFIX, quoted

_QUOTED = re.compile(r"`((?:[^`]|``)*)`")
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
    files: int = 0
    partitions: str = "[]"  # the columns it is partitioned by, as JSON

    @property
    def is_copy(self) -> bool:
        """Whether it is our copy of a table without versions."""
        return PROPERTY_COPY in self.properties

    @property
    def has_change_feed(self) -> bool:
        return self.properties.get(CHANGE_FEED, "").lower() == "true"


@dataclass(frozen=True)
class Tables:
    """Looks tables up; what it has seen of sources is shared, and only used where it is final or not old."""

    engine: Engine
    zone: str
    probes: Probes = field(default_factory=Probes)
    states: dict[Name, tuple[Commit, ...]] = field(default_factory=dict)  # commits of states, newest first

    def source(self, name: Name) -> Detail | None:
        """Details of a table as seen not long ago; those of a state as they are now."""
        if is_state_name(name):
            return self.detail(name)
        return self.probes.look(name, lambda: self.detail(name))

    def detail(self, name: Name) -> Detail | None:
        """Details of a table, None if there is no such table."""
        shortcuts = self.engine.shortcuts
        if shortcuts and (row := shortcuts.detail(name)) is not None:
            return self._detail(row)
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
            mapping(row["properties"]), int(row["sizeInBytes"] or 0), int(row["numFiles"] or 0),
            _json_list(row["partitionColumns"]),
        )  # fmt: skip

    def newest(self, name: Name, limit: int = FIRST_LOOK) -> tuple[Commit, ...]:
        """The newest commits of a table, newest first; kept for `commits_between`."""
        found = tuple(Commit.from_row(row, self.zone) for row in self._history(name, limit))
        self._seen(name)[name] = found
        return found

    def _history(self, name: Name, limit: int) -> list[dict[str, Any]]:
        shortcuts = self.engine.shortcuts
        if shortcuts and (rows := shortcuts.history(name, limit)) is not None:
            return rows
        return self.engine.query(self.engine.render("describe_history", relation=sql_name(name), limit=limit))

    def head(self, name: Name, detail: Detail) -> Commit:
        """The newest commit of a table: the one seen before if it is the one its details tell of."""
        seen = self._seen(name).get(name, ())
        return seen[0] if seen and seen[0].timestamp == detail.modified else self.newest(name)[0]

    def commits(self, name: Name, down_to: int) -> tuple[Commit, ...]:
        """The commits of a table, newest first, at least down to a version where the history still has it."""
        found = self.newest(name)
        return found if _reaches(found, down_to) else self.newest(name, found[0].version - down_to + FIRST_LOOK)

    def commits_between(self, name: Name, one: int, other: int) -> tuple[Commit, ...]:
        """The commits between two versions, and perhaps others; from the last look if that saw them all."""
        seen = self._seen(name).get(name, ())
        if seen and seen[0].version >= max(one, other) and _reaches(seen, min(one, other)):
            return seen
        return self.commits(name, min(one, other))

    def _seen(self, name: Name) -> dict[Name, tuple[Commit, ...]]:
        return self.states if is_state_name(name) else self.probes.commits


def _reaches(commits: tuple[Commit, ...], version: int) -> bool:
    """Whether commits go down to a version, or to the end of the history."""
    return commits[-1].version <= version or len(commits) < FIRST_LOOK


def _json_list(value: Any) -> str:
    """An ARRAY column as JSON; Thrift returns it as such."""
    return json.dumps(json.loads(value) if isinstance(value, str) else list(value or ()))


def is_state_name(name: Name) -> bool:
    return name[-1].endswith(STATE_SUFFIX)


def sql_name(name: Name) -> str:
    """
    The quoted name.

    Example:
        >>> sql_name(("x", "odd name"))
        '`x`.`odd name`'
    """
    return ".".join(quoted(part) for part in name)


def name_of(sql: str) -> Name:
    """
    The parts of a name that `sql_name` wrote.

    Example:
        >>> name_of("`x`.`odd.``name`")
        ('x', 'odd.`name')
    """
    return tuple(part.replace("``", "`") for part in _QUOTED.findall(sql))
