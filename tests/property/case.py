"""A case: tables, rows, a query and batches of changes, and whether the view equals its query after each of them."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from dbt_lazyview.compiler.derivation import Options
from dbt_lazyview.compiler.reasons import ModelError
from tests.property.duck_lake import DuckLake, Row
from tests.property.duck_views import DuckView, differences

OPTIONS = tuple(each.name for each in fields(Options))
PASSES = (*OPTIONS, "auxiliary_states")


@dataclass(frozen=True)
class Commit:
    table: str
    inserts: list[Row]
    deletes: list[Row]


@dataclass(frozen=True)
class Batch:
    """Commits that one refresh sees together."""

    commits: list[Commit]
    strategy: str


@dataclass(frozen=True)
class Case:
    """Everything a run depends on; written to a file, it can be run again."""

    tables: dict[str, list[tuple[str, str]]]
    rows: dict[str, list[Row]]
    sql: str
    passes: tuple[str, ...] = ()  # those that are on
    batches: tuple[Batch, ...] = ()

    def with_batch(self, batch: Batch) -> "Case":
        return replace(self, batches=(*self.batches, batch))

    def save(self, path: Path, found: str) -> None:
        """As JSON; `found` says where the case comes from."""
        path.parent.mkdir(exist_ok=True)
        path.write_text(_readable({"found": found, **asdict(self)}) + "\n")

    @staticmethod
    def load(path: Path) -> "Case":
        data = json.loads(path.read_text())
        batches = tuple(
            Batch([_commit(commit) for commit in each["commits"]], each["strategy"]) for each in data["batches"]
        )
        tables = {name: [(column, kind) for column, kind in columns] for name, columns in data["tables"].items()}
        rows = {name: _rows(each) for name, each in data["rows"].items()}
        return Case(tables, rows, data["sql"], tuple(data["passes"]), batches)


@dataclass(frozen=True)
class Failure:
    """What went wrong: failures of one kind have the same cause, as far as shrinking can tell."""

    kind: str  # "wrong rows", "refused", "not accepted" by the engine, or the class of an error
    text: str


class Run:
    """A case being run: a lake, the view over it, what the view shows and what its query gives."""

    def __init__(self, case: Case) -> None:
        self.lake = DuckLake(case.tables)
        try:
            for table, rows in case.rows.items():
                self.lake.commit(table, rows)
            options = Options(**{each: each in case.passes for each in OPTIONS})
            self.view = DuckView(self.lake, "v", case.sql, options, keeps="auxiliary_states" in case.passes)
            self.shown, self.wanted = self.view.rows(), self.view.recomputed()
        except Exception:
            self.lake.close()
            raise

    @property
    def is_right(self) -> bool:
        return self.shown == self.wanted

    def built(self) -> Failure | None:
        """What is wrong before any change."""
        problems = self.view.view.problems
        return Failure("refused", problems[0].what) if problems else self._compared("as built")

    def change(self, commits: Sequence[Commit]) -> None:
        for each in commits:
            self.lake.commit(each.table, each.inserts, each.deletes)
        self.wanted = self.view.recomputed()

    def refreshed(self, strategy: str, batch: int) -> Failure | None:
        """Refresh; gives what is wrong then."""
        try:
            self.view.refresh(strategy)
            self.shown = self.view.rows()
        except Exception as error:
            return Failure(type(error).__name__, f"batch {batch}: {error}")
        return self._compared(f"after batch {batch}")

    def _compared(self, when: str) -> Failure | None:
        found = [("broken in state", row) for row in self.view.broken_rows()]
        if self.is_right and not found:
            return None
        found += differences(self.shown, self.wanted)
        return Failure("wrong rows", "\n".join([when, *(f"{side}: {row}" for side, row in found)]))


def started(case: Case) -> Run | Failure:
    try:
        return Run(case)
    except ModelError as error:
        return Failure("not accepted", str(error))
    except Exception as error:
        return Failure(type(error).__name__, f"while building: {error}")


def failure(case: Case) -> Failure | None:
    """Run a case to its first failure."""
    run = started(case)
    if isinstance(run, Failure):
        return run
    try:
        return run.built() or _first_failure(run, case.batches)
    finally:
        run.lake.close()


def _first_failure(run: Run, batches: Sequence[Batch]) -> Failure | None:
    for number, batch in enumerate(batches):
        run.change(batch.commits)
        found = run.refreshed(batch.strategy, number)
        if found:
            return found
    return None


def _commit(data: dict[str, Any]) -> Commit:
    return Commit(data["table"], _rows(data["inserts"]), _rows(data["deletes"]))


def _rows(rows: list[list[Any]]) -> list[Row]:
    return [tuple(row) for row in rows]


def _readable(data: dict[str, Any]) -> str:
    """JSON with each row in a line."""
    return re.sub(r"\[\n *([^\[\]{}]*?)\n *\]", lambda row: f"[{' '.join(row[1].split())}]", json.dumps(data, indent=1))
