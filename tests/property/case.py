"""A case: tables, rows, a query and batches of changes, and whether the view equals its query after each of them."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from dbt_lazyview.compiler.derivation import Options
from tests.property.duck_lake import DuckLake, DuckView, Row, differences

PASSES = tuple(each.name for each in fields(Options))


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
            Batch(
                [Commit(c["table"], _rows(c["inserts"]), _rows(c["deletes"])) for c in each["commits"]],
                each["strategy"],
            )
            for each in data["batches"]
        )
        tables = {name: [(column, kind) for column, kind in columns] for name, columns in data["tables"].items()}
        rows = {name: _rows(each) for name, each in data["rows"].items()}
        return Case(tables, rows, data["sql"], tuple(data["passes"]), batches)


class Run:
    """A case being run: a lake, the view over it, what the view shows and what its query gives."""

    def __init__(self, case: Case) -> None:
        self.lake = DuckLake(case.tables)
        for table, rows in case.rows.items():
            self.lake.commit(table, rows)
        self.view = DuckView(self.lake, "v", case.sql, Options(**{each: each in case.passes for each in PASSES}))
        self.shown, self.wanted = self.view.rows(), self.view.recomputed()

    def change(self, commits: Sequence[Commit]) -> None:
        for each in commits:
            self.lake.commit(each.table, each.inserts, each.deletes)
        self.wanted = self.view.recomputed()

    def refresh(self, strategy: str) -> None:
        self.view.refresh(strategy)
        self.shown = self.view.rows()

    @property
    def is_right(self) -> bool:
        return self.shown == self.wanted

    def wrong(self) -> str:
        """What is wrong with the rows shown; empty if nothing."""
        return "\n".join(f"{side}: {row}" for side, row in differences(self.shown, self.wanted))


def failure(case: Case) -> str:
    """Run a case to its first failure and say what it is; empty if there is none."""
    try:
        run = Run(case)
    except Exception as error:
        return f"{type(error).__name__} while building: {error}"
    try:
        return _first_failure(run, case)
    finally:
        run.lake.close()


def _first_failure(run: Run, case: Case) -> str:
    if run.view.view.problems:
        return f"refused: {run.view.view.problems[0].what}"
    wrong = run.wrong()
    if wrong:
        return f"as built\n{wrong}"
    for number, batch in enumerate(case.batches):
        run.change(batch.commits)
        try:
            run.refresh(batch.strategy)
        except Exception as error:
            return f"{type(error).__name__} in batch {number}: {error}"
        wrong = run.wrong()
        if wrong:
            return f"after batch {number}\n{wrong}"
    return ""


def _commit(data: dict[str, Any]) -> Commit:
    return Commit(data["table"], _rows(data["inserts"]), _rows(data["deletes"]))


def _rows(rows: list[list[Any]]) -> list[Row]:
    return [tuple(row) for row in rows]


def _readable(data: dict[str, Any]) -> str:
    """JSON with each row in a line."""
    return re.sub(r"\[\n *([^\[\]{}]*?)\n *\]", lambda row: f"[{' '.join(row[1].split())}]", json.dumps(data, indent=1))
