"""Tables that somebody writes, and lazy views over them, refreshed by dbt's own adapter and engine."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dbt_lazyview.adapter.engine import open_engine
from dbt_lazyview.adapter.session import new_session
from dbt_lazyview.maintenance.definition import Definition
from dbt_lazyview.maintenance.outcome import Outcome
from dbt_lazyview.maintenance.plan import Request
from dbt_lazyview.maintenance.probes import Probes
from dbt_lazyview.maintenance.refresh import refresh
from dbt_lazyview.maintenance.tree import Target


@dataclass(frozen=True)
class Subject:
    """What is refreshed together: a view, or a chain of views, parents first."""

    title: str
    models: Mapping[str, str]  # SQL by name
    refresh_mode: str = "auto"
    configs: Mapping[str, Any] = field(default_factory=dict)  # others, of all its models

    @classmethod
    def of(cls, title: str, name: str, sql: str, refresh_mode: str = "auto") -> "Subject":
        return cls(title, {name: sql}, refresh_mode)

    def definitions(self) -> dict[str, Definition]:
        last = list(self.models)[-1]
        return {
            name: Definition(sql, refresh_mode=self.refresh_mode, is_parent=name != last, **self.configs)
            for name, sql in self.models.items()
        }


class Lake:
    """A warehouse as writers see it, and the way dbt refreshes views in it."""

    def __init__(self, adapter: Any) -> None:
        self.adapter = adapter
        self.schema = adapter.config.credentials.schema
        self.session = self.new_session()

    def new_session(self) -> Any:
        """A session as dbt's connections have it."""
        credentials = self.adapter.config.credentials
        return new_session(Path(credentials.folder), credentials.server_side_parameters)

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Statements of somebody who knows nothing of lazy views; rows of the last one."""
        for statement in statements:
            rows = [tuple(row) for row in self.session.sql(statement).collect()]
        return rows

    def refresh(self, *subjects: Subject, full: bool = False, **asked: Any) -> list[Outcome]:
        """Build or refresh, as one invocation of dbt does it: each view on a connection of its own, probes shared."""
        probes, request = Probes(), Request(full_refresh=full, **asked)
        definitions = [each for subject in subjects for each in subject.definitions().items()]
        return [self._refresh(name, definition, request, probes) for name, definition in definitions]

    def _refresh(self, name: str, definition: Definition, request: Request, probes: Probes) -> Outcome:
        with open_engine(self.adapter, name, probes) as engine:
            target = Target((engine.current_catalog, self.schema, name), definition)
            return refresh(engine, target, request, probes)

    def drop(self, *subjects: Subject) -> None:
        """The views, their states, and what else is kept for them."""
        for name in [name for subject in subjects for name in reversed(list(subject.models))]:
            self.run(f"drop view if exists {name}")
            for _, table, *_ in self.run(f"show tables like '{name}__*'"):
                self.run(f"drop table if exists {table}")
