"""An engine whose process is killed: before a statement, or at some moment, perhaps together with Spark itself."""

import json
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from dbt_lazyview.adapter.shortcuts import EmbeddedShortcuts
from dbt_lazyview.compiler.catalog import Name
from tests.functional.maintenance.lake import Answer, RawEngine

# How statements begin that write a state or a view delta.
COMMITS = ("insert overwrite", "insert into", "merge into", "fold", "create or replace table")


@dataclass(frozen=True)
class Death:
    """How a refresh ends: before a statement, or after some seconds; or else well."""

    before: int | None = None  # number of a statement, the first is 0
    commits: int = 0  # statements are counted from after so many commits of states
    seconds: float | None = None
    takes_spark: bool = False
    part: str = ""  # statements are counted from the beginning of this part


def tell(**facts: Any) -> None:
    """One line for whoever watches; written at once, since there may be no later."""
    os.write(1, (json.dumps(facts) + "\n").encode())


class MortalEngine(RawEngine):
    """Counts its statements, and is killed at the given point."""

    def __init__(self, session: SparkSession, is_embedded: bool, death: Death, spark_group: int) -> None:
        super().__init__(session, is_embedded)
        self.shortcuts = MortalShortcuts(session, self.count) if is_embedded else None
        self.death, self.spark_group = death, spark_group
        self.statements: list[str] = []  # how each began
        self.parts: dict[str, int] = {}  # how many statements came before each
        if death.seconds is not None:
            threading.Timer(death.seconds, self.die).start()

    def begin(self, part: str) -> None:
        self.parts.setdefault(part, len(self.statements))

    def _run(self, sql: str, work: Callable[[], Answer]) -> Answer:
        self.count(sql)
        return super()._run(sql, work)

    def die(self) -> None:
        done = self.statements if self.death.seconds is None else self.statements[:-1]
        last, has_committed = (self.statements or ["nothing"])[-1], bool(commits_in(done))
        part = list(self.parts)[-1] if self.parts else ""
        tell(died_after=last, boundary=len(self.statements), has_committed=has_committed, part=part)
        if self.death.takes_spark:
            os.killpg(self.spark_group, signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)

    def count(self, sql: str) -> None:
        """One more statement, unless it is the one not to be reached."""
        commits = [-1, *commits_in(self.statements)]
        if self.death.part:
            commits = [self.parts[self.death.part] - 1] if self.death.part in self.parts else []
        if len(commits) > self.death.commits:
            counted = len(self.statements) - commits[self.death.commits] - 1
            if counted == self.death.before:
                self.die()
        self.statements.append(" ".join(sql.split())[:40])


class MortalShortcuts(EmbeddedShortcuts):
    """What takes a shorter way counts like the statement it stands for."""

    def __init__(self, session: SparkSession, count: Callable[[str], None]) -> None:
        super().__init__(session)
        self.count = count

    def detail(self, name: Name) -> dict[str, Any] | None:
        self.count(f"detail of {name[-1]}")
        return super().detail(name)

    def history(self, name: Name, limit: int) -> list[dict[str, Any]] | None:
        self.count(f"history of {name[-1]}")
        return super().history(name, limit)

    @contextmanager
    def having_set(self, settings: Mapping[str, str]) -> Iterator[None]:
        with super().having_set(settings):
            self.count(f"set {', '.join(settings)}")
            yield
            self.count(f"reset {', '.join(settings)}")

    def keep(self, name: str, query: str) -> None:
        self.count(f"keep {name}")
        super().keep(name, query)


def commits_in(statements: list[str]) -> list[int]:
    """Which of some statements write a state."""
    return [number for number, begin in enumerate(statements) if begin.lower().startswith(COMMITS)]
