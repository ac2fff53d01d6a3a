"""Statements that fail: the error names view, step and remedy, the view stays, and the next refresh goes on."""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.engine import EngineError
from dbt_lazyview.maintenance.errors import RefreshError
from tests.functional.maintenance.lake import Lake, RawEngine


class Stuck:
    """A view with a change pending, and what it shows until that is folded in."""

    def __init__(self, lake: Lake, sql: str) -> None:
        self.lake, self.sql = lake, sql
        lake.refresh("v", sql)
        lake.run("insert into sales values (4, 'north', 1), (5, 'west', 2)")
        self.rows, self.history = self.shown(), len(lake.history("v__state"))

    def shown(self) -> list:
        return self.lake.run("select * from v order by region")

    def fails(self, engine: RawEngine | None = None) -> str:
        """What a refresh says that fails and leaves everything as it was."""
        with pytest.raises(RefreshError) as failed:
            self.lake.refresh("v", self.sql, engine)
        assert failed.value.reason is Reason.REFRESH_FAILED
        assert f"`{self.lake.schema}`.`v` was not refreshed: " in str(failed.value)
        assert "Nothing has to be repaired" in str(failed.value)
        assert self.shown() == self.rows
        assert len(self.lake.history("v__state")) == self.history
        return str(failed.value)

    def goes_on(self) -> None:
        assert self.lake.refresh("v", self.sql).kind == "incremental"
        assert self.lake.differences("v", self.sql) == []


@pytest.fixture
def stuck(lake, sales):
    return Stuck(lake, sales)


def test_killed_tasks(stuck):
    """Every job of the writing statement is cancelled, as an operator would do it."""
    engine, over = stuck.lake.engine(is_embedded=False), threading.Event()

    def cancel() -> None:
        while not over.wait(0.02):
            engine.session.sparkContext.cancelAllJobs()

    def stop() -> None:
        over.set()
        operator.join()

    operator = threading.Thread(target=cancel)
    engine.before["insert overwrite"] = operator.start
    engine.before["reset"] = stop  # follows the statement, whatever becomes of it
    told = stuck.fails(engine)
    assert "The step that failed: write the state." in told
    assert "run it again, and look into Spark's log" in told
    stuck.goes_on()


def test_a_folder_that_cannot_be_written(stuck, spark_folder):
    folder = spark_folder / "warehouse" / f"{stuck.lake.schema}.db" / "v__state"
    with unwritable(folder):
        told = stuck.fails()
    assert "The step that failed: write the state." in told
    assert "write to the folder of the state table" in told
    stuck.goes_on()


@contextmanager
def unwritable(folder: Path) -> Iterator[None]:
    """No new file in a folder, not even for root, where the file system has a way to say so."""
    folder.chmod(0o555)
    was_immutable = _is_writable(folder) and subprocess.run(["chattr", "+i", str(folder)], check=False).returncode == 0
    try:
        if _is_writable(folder):
            pytest.skip("root may write everywhere on this file system")
        yield
    finally:
        if was_immutable:
            subprocess.run(["chattr", "-i", str(folder)], check=True)
        folder.chmod(0o755)


def _is_writable(folder: Path) -> bool:
    try:
        (folder / "probe").touch()
    except OSError:
        return False
    (folder / "probe").unlink()
    return True


@pytest.mark.parametrize(
    ("before", "words", "step", "remedy"),
    [
        ("insert overwrite", "Job aborted. Caused by: java.io.IOException: No space left on device", "write the state",
         "Make room"),
        ("insert overwrite", "java.lang.OutOfMemoryError: Java heap space", "write the state", "max_changes"),
        ("describe history", "TTransportException: TSocket read 0 bytes", "look at the view and its sources",
         "once it is back"),
    ],
    ids=["disk full", "out of memory", "server gone"],
)  # fmt: skip
def test_what_spark_says_and_what_helps(stuck, before, words, step, remedy):
    def fail() -> None:
        raise EngineError(words)

    engine = stuck.lake.engine(is_embedded=False)
    engine.before[before] = fail
    told = stuck.fails(engine)
    assert words in told
    assert f"The step that failed: {step}." in told
    assert remedy in told
    stuck.goes_on()


def test_a_connection_that_breaks_tells_what_broke_it(stuck):
    """Not that settings could not be reset afterwards; and the next connection finds none of them."""
    engine = stuck.lake.engine(is_embedded=False)

    def lose() -> None:
        engine.before["reset"] = lambda: _raise("Broken pipe, and nothing to reset")
        _raise("Connection reset by peer")

    engine.before["insert overwrite"] = lose
    assert "was not refreshed: Connection reset by peer" in stuck.fails(engine)
    stuck.goes_on()


def _raise(words: str) -> None:
    raise EngineError(words)
