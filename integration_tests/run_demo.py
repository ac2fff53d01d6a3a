"""The demo: build the shop, change source rows, refresh from the changes, show that every view equals its query."""

import contextlib
import itertools
import json
import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

PROJECT = Path(__file__).resolve().parent
LAKE = PROJECT / ".lazyview"
LOG = PROJECT / "logs" / "demo.log"
COLORS = re.compile(r"\x1b\[[0-9;]*m")
USEFUL_LINES = 25
NEXT = "../.venv/bin/dbt run-operation apply_changes --args '{batch: busy_day}' && ../.venv/bin/dbt run"
ALWAYS = ("--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT), "--threads", "2")


def main() -> int:
    started = time.monotonic()
    os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1")  # pays in runs of a few minutes
    screen = Screen()
    empty_lake(screen)
    dbt = Dbt(screen)

    screen.title("1. Build: four raw tables, three staging views, four lazy views, one table")
    dbt.run("Starting Spark and loading the raw tables", "seed")
    dbt.run("dbt build: models and tests; every lazy view is computed once", "build", "--exclude", "resource_type:seed")
    screen.table(outcomes(), OUTCOME)

    screen.title("2. A busy day in the shop: rows inserted, updated, deleted (macros/changes/busy_day.sql)")
    dbt.run("Changing the raw tables", "run-operation", "apply_changes", "--args", "{batch: busy_day}")
    dbt.run("dbt run: every lazy view catches up from the changes alone", "run")
    screen.table(outcomes(), OUTCOME)
    screen.line("     overwrite: a small state is written anew with its changes, so all its rows count as touched")
    screen.line("     rewrite: others read what changed in it, so its feed shows the rows that differ and no more\n")

    screen.title("3. Does every view equal its query? Compared row by row, both ways (EXCEPT ALL)")
    told = dbt.run("Computing every query from all rows", "run-operation", "compare")
    screen.table([compared(line) for line in told if " rows, " in line], ["view", "rows", "missing", "extra"])

    screen.title("4. Nothing changed since")
    lazy_views = ("--select", "config.materialized:lazy_view")
    dbt.run("dbt run: looks at the versions of the tables and reads no rows", "run", *lazy_views)
    screen.table(outcomes(), OUTCOME)

    screen.line(f"Done in {time.monotonic() - started:.0f} s. Everything that was logged: {shown(LOG)}")
    screen.line(f"Try next: edit {shown(PROJECT)}/macros/changes/busy_day.sql, then there: {NEXT}")
    return 0


def empty_lake(screen: "Screen") -> None:
    """Start from nothing, unless another process works on the lake."""
    from dbt_lazyview.adapter.folder_lock import FolderInUse, lock_folder

    if LAKE.exists():
        try:
            os.close(lock_folder(LAKE))
        except FolderInUse as problem:
            screen.line(str(problem))
            sys.exit(1)
    for folder in (LAKE, PROJECT / "target", PROJECT / "logs"):
        shutil.rmtree(folder, ignore_errors=True)
    LOG.parent.mkdir(parents=True, exist_ok=True)


class Dbt:
    """dbt in this process, so that Spark starts once; what it prints goes to the log."""

    def __init__(self, screen: "Screen") -> None:
        self._screen = screen
        self._runner: Any = None
        self._told: list[str] = []

    def run(self, step: str, *command: str) -> list[str]:
        """One dbt command; gives what its macros said."""
        self._told.clear()
        with self._screen.step(step) as step_done, self._screen.quiet():
            succeeded = self._invoke([*command, *ALWAYS])
            step_done(succeeded)
        if not succeeded:
            fail(self._screen, " ".join(["dbt", *command]))
        return list(self._told)

    def _invoke(self, command: Sequence[str]) -> bool:
        from dbt.cli.main import dbtRunner

        self._runner = self._runner or dbtRunner(callbacks=[self._hear])
        return bool(self._runner.invoke(list(command)).success)

    def _hear(self, event: Any) -> None:
        if event.info.name == "JinjaLogInfo":
            self._told.append(event.data.msg)


class Screen:
    """The terminal: steps with a spinner (plain lines elsewhere), tables, and silence for everybody else."""

    def __init__(self) -> None:
        self._out = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8", errors="replace")
        self._is_terminal = self._out.isatty()

    def line(self, text: str = "") -> None:
        print(text, file=self._out)

    def title(self, text: str) -> None:
        is_bold = self._is_terminal and not os.environ.get("NO_COLOR")
        self.line(f"\033[1m{text}\033[0m" if is_bold else text)

    def table(self, rows: Sequence[Sequence[str]], head: Sequence[str]) -> None:
        widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
        for row in (head, *rows):
            cells = [self._padded(*each) for each in zip(row, widths, rows[0] if rows else head, strict=True)]
            self.line("     " + "  ".join(cells).rstrip())
        self.line()

    @staticmethod
    def _padded(cell: str, width: int, sample: str) -> str:
        """Words to the left, numbers and their heads to the right."""
        return cell.ljust(width) if sample[:1].isalpha() else cell.rjust(width)

    @contextlib.contextmanager
    def step(self, text: str) -> Iterator[Any]:
        """A line for what is going on, then how long it took."""
        started, over, result = time.monotonic(), threading.Event(), {"succeeded": False}
        spinner = threading.Thread(target=self._spin, args=(text, started, over), daemon=True)
        spinner.start()
        try:
            yield lambda succeeded: result.update(succeeded=succeeded)
        finally:
            over.set()
            spinner.join()
            mark = "ok" if result["succeeded"] else "failed"
            start = "\r\033[K" if self._is_terminal else ""
            self.line(f"{start}   {text} ... {mark}, {time.monotonic() - started:.0f} s")

    def _spin(self, text: str, started: float, over: threading.Event) -> None:
        if not self._is_terminal:
            return
        for sign in itertools.cycle("|/-\\"):
            print(f"\r\033[K {sign} {text} ... {time.monotonic() - started:.0f} s", end="", flush=True, file=self._out)
            if over.wait(0.2):
                return

    @contextlib.contextmanager
    def quiet(self) -> Iterator[None]:
        """Everything else that this process and its children print goes to the log."""
        sys.stdout.flush()
        sys.stderr.flush()
        saved = os.dup(1), os.dup(2)
        with open(LOG, "ab", buffering=0) as log:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
        try:
            yield
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for number, descriptor in enumerate(saved, start=1):
                os.dup2(descriptor, number)
                os.close(descriptor)


OUTCOME = ["view", "decision", "changes in", "rows touched", "seconds"]


def outcomes() -> list[list[str]]:
    """What dbt's run_results.json says about the lazy views."""
    results = json.loads((PROJECT / "target" / "run_results.json").read_text())["results"]
    return [_outcome(result) for result in results if result["adapter_response"].get("kind")]


def _outcome(result: dict[str, Any]) -> list[str]:
    response = result["adapter_response"]
    decision = response["kind"] + (
        f" ({response['reason'] or response['strategy']})" if response["kind"] != "noop" else ""
    )
    counts = [_count(response.get(key)) for key in ("changes", "rows_changed")]
    return [result["unique_id"].split(".")[-1], decision, *counts, f"{result['execution_time']:.1f}"]


def _count(value: int | None) -> str:
    return "-" if value is None else str(value)


def compared(line: str) -> list[str]:
    """
    The cells of one line of the macro `compare`.

    Example:
        >>> compared("country_sales: 20 rows, 0 missing, 0 extra")
        ['country_sales', '20', '0', '0']
    """
    view, counts = line.split(": ")
    return [view, *re.findall(r"\d+", counts)]


def fail(screen: Screen, command: str) -> NoReturn:
    """The last useful lines of the log, and where the rest is."""
    lines = [COLORS.sub("", line).rstrip() for line in LOG.read_text(errors="replace").splitlines()]
    useful = [line for line in lines if line and not line.startswith(('{"ts":', "\tat "))]
    screen.line(f"\n{command} failed. The last lines of its log:")
    for line in useful[-USEFUL_LINES:]:
        screen.line(f"   {line}")
    logs = [shown(path) for path in (LOG, LAKE / "spark.log") if path.exists()]
    screen.line(f"\nThe whole log: {', '.join(logs)}")
    sys.stdout.flush()
    sys.exit(1)


def shown(path: Path) -> str:
    with contextlib.suppress(ValueError):
        return str(path.relative_to(Path.cwd()))
    return str(path)


if __name__ == "__main__":
    sys.exit(main())
