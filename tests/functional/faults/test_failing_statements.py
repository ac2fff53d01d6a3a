"""Statements that fail: the error names view, step and remedy, the view stays, and the next refresh goes on."""

import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest
from pyspark.sql import SparkSession

from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.engine import EngineError
from dbt_lazyview.maintenance.errors import RefreshError
from tests.functional.bags import Bag, bag
from tests.functional.maintenance.conftest import SALES
from tests.functional.maintenance.lake import Lake, RawEngine


class Stuck:
    """A view with a change pending, and what it shows until that is folded in."""

    def __init__(self, lake: Lake, sql: str, change: str) -> None:
        self.lake, self.sql = lake, sql
        lake.refresh("v", sql)
        lake.run(change)
        self.rows, self.history = self.shown(), len(lake.history("v__state"))

    def shown(self) -> Bag:
        return bag(self.lake.session, "select * from v")

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


@pytest.fixture(scope="module")
def one_lake(spark):
    lake = Lake(spark, "failing")
    lake.run("create table sales (id int, region string, amount int) using delta")
    return lake


@pytest.fixture
def stuck(one_lake):
    return Stuck(one_lake, SALES, "insert into sales values (4, 'north', 1), (5, 'west', 2), (null, null, 3)")


@pytest.mark.in_process("cancels the jobs of this process")
@pytest.mark.long
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


@pytest.mark.in_process("takes the room for files from this process")
def test_no_room_for_the_state(lake, sales):
    hashes = "sha2(cast(id as string), 512) as one, sha2(cast(-id as string), 512) as other"
    stuck = Stuck(lake, f"select id, {hashes} from sales", "insert into sales select id, 'x', 1 from range(12000)")
    with no_room(lake.session):
        told = stuck.fails()
    assert "File too large" in told
    assert "The step that failed: write the state." in told
    assert "Make room" in told
    stuck.goes_on()


@contextmanager
def no_room(session: SparkSession) -> Iterator[None]:
    """The system refuses Spark to write more than 2 MB to a file, as it would on a full disk: also for root."""
    spark = session.sparkContext._jvm.java.lang.ProcessHandle.current().pid()
    before = resource.prlimit(spark, resource.RLIMIT_FSIZE)
    resource.prlimit(spark, resource.RLIMIT_FSIZE, (2 * 1024**2, before[1]))
    try:
        yield
    finally:
        resource.prlimit(spark, resource.RLIMIT_FSIZE, before)


def test_no_memory_for_the_changes(lake, sales):
    lake.run("create table regions (name string, country string) using delta", "insert into regions values ('x', 'y')")
    join = "select s.id, r.country from sales s join regions r on s.region = r.name"
    stuck = Stuck(lake, join, "insert into sales select id, 'x', 1 from range(100)")
    engine = lake.engine()
    engine.session.conf.set("spark.sql.maxBroadcastTableSize", "64b")
    told = stuck.fails(engine)
    assert "Cannot broadcast the table" in told
    assert "The step that failed: write the state." in told
    assert "Give Spark more memory" in told
    assert "max_changes" in told
    stuck.goes_on()


FAILURES = [
    ("insert overwrite", "java.io.IOException: No space left on device", "write the state", "Make room"),
    ("insert overwrite", "java.io.FileNotFoundException: part-0 (Permission denied)", "write the state",
     "write to the folder of the state table"),
    ("insert overwrite", "java.lang.OutOfMemoryError: Java heap space", "write the state", "max_changes"),
    ("describe history", "TTransportException: TSocket read 0 bytes", "look at the view and its sources",
     "once it is back"),
]  # fmt: skip


def test_what_spark_says_and_what_helps(stuck):
    for before, words, step, remedy in FAILURES:
        engine = stuck.lake.engine(is_embedded=False)
        engine.before[before] = partial(_raise, words)
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
