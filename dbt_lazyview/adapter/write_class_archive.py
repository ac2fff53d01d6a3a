"""
Writes an archive of Spark's classes, in a minute or so: `python -m dbt_lazyview.adapter.write_class_archive`, and the
coordinates of jars, as of spark.jars.packages, where there are more than Delta's.
"""

import os
import sys
import tempfile
from pathlib import Path

from pyspark import SparkContext
from pyspark.sql import SparkSession

from dbt_lazyview.adapter.class_archive import archive_of, forget_unused, recorded_to
from dbt_lazyview.adapter.folder_lock import FolderInUse, lock_folder
from dbt_lazyview.adapter.jars import remembered_jars
from dbt_lazyview.adapter.java import find_java_home
from dbt_lazyview.adapter.session import JAVA_OPTIONS, new_session, packages_of

LOW_PRIORITY = 19
SECONDS_TO_WRITE = 600
# What a small project does, so that the classes for it are loaded.
STATEMENTS = (
    "create table lines using delta as select id, id % 10 as kind, cast(id as decimal(10, 2)) as price from range(100)",
    "create table totals using delta as select kind, count(*) as lines, sum(price) as price from lines group by kind",
    "create view kinds as select kind, lines, price from totals where lines > 0",
    "insert into lines select id, 3, 1.5 from range(10)",
    "delete from lines where id = 4",
    "insert overwrite totals (kind, lines, price) select kind, sum(lines), sum(price) from "
    "(select * from totals version as of 0 union all select kind, count(*), sum(price) "
    "from table_changes('lines', 1, 1) group by kind) as both group by kind",
    "merge into totals using (select lines.kind, count(*) as lines from lines join kinds on lines.kind <=> kinds.kind "
    "group by lines.kind) as new on totals.kind <=> new.kind when matched then update set lines = new.lines",
)


def write(packages: str) -> None:
    """Start Spark, let it work a little, and let its JVM write what it loaded; whoever finds others at it leaves it."""
    jars = remembered_jars(packages)
    if not jars:
        raise SystemExit("Spark was not started on this machine yet: run it once, so that its jars are there.")
    archive = archive_of(find_java_home(), jars)
    assert archive is not None
    archive.parent.mkdir(parents=True, exist_ok=True)
    try:
        lock = lock_folder(archive.parent)
    except FolderInUse:
        return
    forget_unused(archive.parent)
    if not archive.exists():
        _record(archive, packages)
    os.close(lock)


def _record(archive: Path, packages: str) -> None:
    """An empty archive tells that this Java does not write any, so that it is not asked each time."""
    unfinished = archive.with_suffix(".unfinished")
    unfinished.unlink(missing_ok=True)
    settings = {"spark.jars.packages": packages, JAVA_OPTIONS: recorded_to(unfinished)}
    with tempfile.TemporaryDirectory() as folder:
        session = new_session(Path(folder).resolve(), settings)
        for statement in STATEMENTS:
            session.sql(statement).collect()
        _end(session)
    unfinished.touch()
    unfinished.replace(archive)


def _end(session: SparkSession) -> None:
    """End the JVM and wait for it."""
    gateway = SparkContext._gateway
    assert gateway is not None
    process = gateway.proc
    session.stop()
    gateway.shutdown()
    process.stdin.close()
    process.wait(SECONDS_TO_WRITE)


if __name__ == "__main__":
    os.nice(LOW_PRIORITY)
    write(sys.argv[1] if len(sys.argv) > 1 else packages_of({}))
