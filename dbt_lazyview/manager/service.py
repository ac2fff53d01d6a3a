"""A manager at work: loads the project, steps until it is told to stop, and loads the project anew when it changed."""

import contextvars
import json
import os
import threading
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, TextIO

from dbt_lazyview.cli.project import Impossible, ask, project_folder
from dbt_lazyview.cli.screen import Screen
from dbt_lazyview.manager.demands import WAIT, Demands
from dbt_lazyview.manager.endpoint import TEXT, Answer, Query, as_json, serving, write_file
from dbt_lazyview.manager.load import Load, of_host, of_server
from dbt_lazyview.manager.manager import Manager
from dbt_lazyview.manager.metrics import Metrics
from dbt_lazyview.manager.schedule import Rules

PROJECT_FILES = (".sql", ".yml", ".yaml", ".csv")
NOT_OURS = ("target", "logs", "dbt_packages", ".lazyview", ".git", ".venv")
RELOAD_AGAIN = 10.0  # seconds after which a project that does not load is tried again
WELL_AFTER = 120.0  # seconds without a look after which a manager is not well


@dataclass(frozen=True)
class Settings:
    """How a manager was asked for."""

    project: Namespace  # where it is, as in every command
    models: list[str] | None = None
    rules: Rules = field(default_factory=Rules)
    port: int | None = None  # of its metrics; None: none
    file: Path | None = None  # for the same
    status_url: str | None = None  # of the UI of a Spark server
    busy_above: float = 0.5
    host_load: float | None = None
    once: bool = False  # stop when nothing is pending
    reloads: bool = True  # a project that changed


class Service:
    """One manager, and what it tells."""

    def __init__(self, settings: Settings, out: TextIO) -> None:
        self.settings, self.out = settings, out
        self.stopping, self.metrics, self.has_failed = threading.Event(), Metrics(), False
        self.manager: Manager | None = None
        self.demands = Demands()
        self._since = time.time()
        self._loaded: tuple[Any, contextvars.Context] | None = None

    def load(self) -> None:
        """Load the project now: dbt cannot do that in a thread beside another invocation."""
        self._loaded = loaded(self.settings.project)

    def stop(self) -> None:
        """End after what runs now."""
        self.stopping.set()

    def run(self, before_step: Callable[[], None] = lambda: None) -> bool:
        """Work until told to stop; whether all went well."""
        self.tell({"decision": "start", "rules": vars(self.settings.rules)})
        with ExitStack() as stack:
            if self.settings.port is not None:
                port = stack.enter_context(serving(self.settings.port, self.answers))
                self.tell({"decision": "serve", "port": port})
            while not self.stopping.is_set():
                self._run_project(before_step)
        self.tell({"decision": "stop"})
        return not self.has_failed

    def tell(self, facts: dict[str, Any]) -> None:
        """One decision, one line of JSON."""
        self.has_failed = self.has_failed or facts["decision"] == "failed"
        at = datetime.fromtimestamp(time.time(), timezone.utc).isoformat(timespec="milliseconds")
        print(json.dumps({"at": at, **facts}, default=str), file=self.out, flush=True)

    @property
    def answers(self) -> dict[str, Callable[[Query], Answer]]:
        return {
            "/metrics": lambda _: (200, TEXT, self.metrics.text()),
            "/healthz": lambda _: as_json({"is_well": self.is_well}, 200 if self.is_well else 503),
            "/running": lambda _: as_json({"view": self.manager.running if self.manager else None}),
            WAIT: lambda query: as_json({"is_running": self.demands.wait(query.get("view", ""), self.running_key)}),
        }

    def running_key(self) -> str | None:
        """What is refreshed now, as `wait` knows it."""
        manager = self.manager
        running = manager.running if manager else None
        return manager.world.key_of(running) if manager and running else None

    @property
    def is_well(self) -> bool:
        """Whether it works on something, or looked not long ago."""
        is_working = self.manager is not None and self.manager.running is not None
        last = max(self.metrics.last_look, self._since)
        return is_working or time.time() - last < WELL_AFTER + 2 * self.settings.rules.every

    def _run_project(self, before_step: Callable[[], None]) -> None:
        """Step until told to stop, or the project changed."""
        from dbt_lazyview.adapter.outliving import retire

        project = fingerprint(project_folder(self.settings.project))
        try:
            adapter, context = self._loaded or loaded(self.settings.project)
            self._loaded = None
        except Impossible as problem:
            if self.manager is None:
                raise
            self.tell({"decision": "wait", "why": "the project does not load", "problem": str(problem)})
            self.stopping.wait(RELOAD_AGAIN)
            return
        try:
            context.run(self._steps, adapter, project, before_step)
        finally:
            retire(adapter)

    def _steps(self, adapter: Any, project: object, before_step: Callable[[], None]) -> None:
        from dbt_lazyview.manager.spark_world import SparkWorld

        world = SparkWorld(adapter, self.settings.models, self._loads(), self.demands)
        self.manager = Manager(world, self.settings.rules, time.time, self.tell, self.metrics)
        while not self.stopping.is_set():
            before_step()
            seconds = self.manager.step()
            if self.settings.file:
                write_file(self.settings.file, self.metrics.text())
            if self.settings.once and seconds and self.metrics.is_reachable and not self.manager.has_work:
                self.stop()
            if self.stopping.wait(seconds) or self._has_changed(project):
                break
        world.close()

    def _has_changed(self, project: object) -> bool:
        return self.settings.reloads and fingerprint(project_folder(self.settings.project)) != project

    def _loads(self) -> list[Load]:
        settings = self.settings
        server = [of_server(settings.status_url, settings.busy_above)] if settings.status_url else []
        host = [of_host(settings.host_load)] if settings.host_load is not None else []
        return [*server, *host]


def loaded(project: Namespace) -> tuple[Any, contextvars.Context]:
    """The adapter of a project, which outlives the invocation of dbt that made it, and the context it works in."""
    from dbt_lazyview.adapter.outliving import outlive

    def captured(adapter: Any) -> tuple[Any, contextvars.Context]:
        outlive(adapter)
        return adapter, contextvars.copy_context()

    return ask(project, Screen(is_quiet=True), captured)


def fingerprint(folder: Path) -> tuple[int, float]:
    """How many files a project has, and when the newest was written."""
    times = [path.stat().st_mtime for path in _files(folder)]
    return len(times), max(times, default=0.0)


def _files(folder: Path) -> Iterator[Path]:
    """What dbt reads of a project; one that goes while we look is none."""
    for root, folders, names in os.walk(folder):
        folders[:] = [each for each in folders if each not in NOT_OURS]
        paths = (Path(root, name) for name in names)
        yield from (each for each in paths if each.suffix in PROJECT_FILES and each.exists())


@contextmanager
def managing(project_dir: str, profiles_dir: str, out: TextIO, **settings: Any) -> Iterator[Service]:
    """
    A manager in a thread of this process, beside dbt invocations of the same process: for the embedded Spark, which
    serves one process at a time. The project is loaded here and now, and not again when it changes: dbt runs one
    invocation at a time in a process, and this thread runs none.
    """
    names = {"profile": None, "target": None, "vars": None, "verbose": False}
    project = Namespace(project_dir=project_dir, profiles_dir=profiles_dir, **names)
    service = Service(Settings(project, **settings, reloads=False), out)
    service.load()
    thread = threading.Thread(target=service.run, name="lazyview manager", daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.stop()
        thread.join()
