"""dbt in this process: small projects over one embedded Spark, so that all of them find it warm."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import yaml

Answer = TypeVar("Answer")
QUIET = ("--log-level", "none", "--no-use-colors", "--no-send-anonymous-usage-stats")


class Project:
    """A dbt project of `type: lazyview`, written into a folder."""

    def __init__(
        self, folder: Path, spark: Path, models: Mapping[str, str] | None = None, schema: str = "default"
    ) -> None:
        self.folder = folder
        name = folder.name.replace("-", "_")
        target = {"type": "lazyview", "schema": schema, "folder": str(spark.resolve()), "threads": 2}
        _write(folder / "dbt_project.yml", yaml.safe_dump({"name": name, "version": "1.0", "profile": "benchmark"}))
        _write(folder / "profiles.yml", yaml.safe_dump({"benchmark": {"target": "it", "outputs": {"it": target}}}))
        for model, sql in (models or {}).items():
            _write(folder / "models" / f"{model}.sql", sql)

    def inside(self, work: Callable[[Any], Answer]) -> Answer:
        """Let work be done by the adapter, inside one invocation of dbt: as `lazyview` and `dbt run` do it."""
        from dbt_lazyview.adapter.answers import OPERATION, Question, asking

        question = Question(work)
        with asking(question):
            result = self._invoke("run-operation", OPERATION)
        if question.problem is not None:
            raise question.problem
        if not question.is_answered:
            raise result.exception or RuntimeError(f"dbt could not load the project in {self.folder}")
        answer: Answer = question.answer
        return answer

    def run(self, *arguments: str) -> dict[str, Any]:
        """`dbt run`; what it says of each model, by the model's name."""
        with quiet_stdout():
            result = self._invoke("run", *arguments)
        if not result.success:
            failed = [f"{each.node.name}: {each.message}" for each in result.result or () if each.status != "success"]
            raise RuntimeError(f"dbt run failed in {self.folder}: {'; '.join(failed) or result.exception}")
        return {each.node.name: each for each in result.result}

    def _invoke(self, *command: str) -> Any:
        from dbt.cli.main import dbtRunner

        places = ("--project-dir", str(self.folder), "--profiles-dir", str(self.folder))
        return dbtRunner().invoke([*command, *places, *QUIET])


@contextmanager
def quiet_stdout() -> Iterator[None]:
    """What others print while this lasts goes nowhere."""
    before = sys.stdout
    with open(os.devnull, "w") as nowhere:
        sys.stdout = nowhere
        try:
            yield
        finally:
            sys.stdout = before


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
