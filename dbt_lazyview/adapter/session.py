"""The embedded Spark: one JVM per process, everything it writes in one folder, a session per dbt connection."""

import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from dbt.adapters.events.logging import AdapterLogger
from dbt_common.events.functions import fire_event
from dbt_common.events.types import Note
from dbt_common.exceptions import DbtRuntimeError
from delta import configure_spark_with_delta_pip
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from dbt_lazyview.adapter import class_archive
from dbt_lazyview.adapter.credentials import CHANGE_DATA_FEED
from dbt_lazyview.adapter.folder_lock import FolderInUse, lock_folder
from dbt_lazyview.adapter.jars import remember_jars, remembered_jars
from dbt_lazyview.adapter.java import JavaNotFound, find_java_home

logger = AdapterLogger("LazyView")

LOG_FILE = "spark.log"
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
POOLS = Path(__file__).with_name("scheduler_pools.xml")
BROKEN_DOWNLOAD = b"download failed"
DOWNLOADS = 3  # tries
LAST_WORDS = 20_000  # characters of the log
START_REMEDIES = (
    (
        "UNRESOLVED DEPENDENCIES",
        "The jars of Delta Lake could not be fetched: let this machine reach Maven Central, or name a mirror of it "
        "under server_side_parameters, as spark.jars.repositories. See docs/deploy.md#jars",
    ),
    ("Could not reserve enough space", "This machine has less memory than spark.driver.memory asks for: set it lower."),
    ("Invalid maximum heap size", "spark.driver.memory is not a size: write for example 2g."),
)
START_REMEDY = "Mend what its log says at the end, and run it again."
Started = TypeVar("Started")
_CHECKPOINTING = "org.apache.spark.sql.execution.streaming.checkpointing"
_METASTORE_ELSEWHERE = ("hive.metastore.uris", "javax.jdo.option.")
_COLLECTOR = re.compile(r"-XX:[+-]Use\w*GC\b")
_SECRET = re.compile(r"secret|password|passwd|token|credential|access.?key", re.IGNORECASE)


@dataclass(frozen=True)
class _Running:
    """The Spark of this process: where it runs and which of the user's settings it started with."""

    session: SparkSession
    folder: Path
    settings: Mapping[str, str]


_running: _Running | None = None
_starting = threading.Lock()


def new_session(folder: Path, settings: Mapping[str, str]) -> SparkSession:
    """A session with temporary views and settings of its own; the first one starts Spark."""
    spark = _embedded_spark(folder, settings)
    session = spark.session.newSession()
    for key, value in settings.items():
        if spark.settings.get(key) != value:
            _set(session, key, value)
    return session


def session_beside(settings: Mapping[str, str]) -> SparkSession:
    """A session of its own in the Spark that this process already runs, with the settings that a session may have."""
    session = SparkSession.builder.getOrCreate().newSession()
    for key, value in settings.items():
        with suppress(PySparkException):  # taken at the start of Spark only, and by dbt-spark
            session.conf.set(key, value)
    return session


def default_settings(folder: Path) -> dict[str, str]:
    """What the embedded Spark is started with, before the user's own settings."""
    partitions = str(min(max(os.cpu_count() or 2, 2), 8))
    return {
        "spark.app.name": "dbt-lazyview",
        "spark.master": "local[*]",
        "spark.driver.host": "localhost",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "2g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.catalogImplementation": "hive",
        # else CREATE OR REPLACE logs an error: the metastore compares the new columns with a placeholder
        "spark.hadoop.hive.metastore.disallow.incompatible.col.type.changes": "false",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.sources.default": "delta",
        "spark.sql.shuffle.partitions": partitions,
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": partitions,  # else VACUUM has 10000 tasks
        "spark.databricks.delta.snapshotPartitions": "2",
        # a refresh, with what Delta asks its own log, needs more classes than the 100 that Spark remembers by default
        "spark.sql.codegen.cache.maxEntries": "5000",
        # one process has the folder to itself, so files can be put in place without starting a program for each
        "spark.delta.logStore.file.impl": "io.delta.storage.LocalLogStore",
        "spark.sql.streaming.checkpointFileManagerClass": f"{_CHECKPOINTING}.FileSystemBasedCheckpointFileManager",
        CHANGE_DATA_FEED: "true",
        # what a manager does has low priority; everybody else shares one pool, first come, first served, as ever
        "spark.scheduler.mode": "FAIR",
        "spark.scheduler.allocation.file": POOLS.as_uri(),
    }


def _embedded_spark(folder: Path, settings: Mapping[str, str]) -> _Running:
    global _running
    with _starting:
        if _running is None or _running.session.sparkContext._jsc is None:
            _running = _adopt(folder) or _Running(_start(folder, settings), folder, dict(settings))
        if _running.folder != folder:
            raise DbtRuntimeError(
                f"This process runs its embedded Spark on {_running.folder}; {folder} needs another process."
            )
        return _running


def _adopt(folder: Path) -> _Running | None:
    """The Spark that somebody else, such as a notebook, already started in this process."""
    return _Running(SparkSession.builder.getOrCreate(), folder, {}) if SparkContext._active_spark_context else None


def refuse_connect(settings: Mapping[str, str]) -> None:
    """Say that an embedded Spark is not what Spark Connect is; its address may hold a token, and is not told."""
    where = [each for each, place in (("spark.remote", settings), ("SPARK_REMOTE", os.environ)) if place.get(each)]
    if where:
        raise DbtRuntimeError(
            f"{where[0]} is set: lazy views are not refreshed over Spark Connect. "
            "What is promised of a refresh was tested on embedded sessions and over Thrift only. "
            "Use method: thrift for a Spark server, or spark.master for a cluster, and unset it. "
            "See docs/deploy.md#spark-connect"
        )


def _start(folder: Path, settings: Mapping[str, str]) -> SparkSession:
    refuse_connect(settings)
    try:
        java_home = find_java_home()
        folder.mkdir(parents=True, exist_ok=True)
        lock = lock_folder(folder)
    except (JavaNotFound, FolderInUse) as problem:
        raise DbtRuntimeError(str(problem)) from None
    except OSError as problem:
        raise DbtRuntimeError(f"The folder {folder} for the embedded Spark cannot be used: {problem}") from None
    logger.debug(f"Starting Spark on {folder} with Java from {java_home}")
    log = folder / LOG_FILE
    try:
        return after_broken_downloads(log, lambda: _launch(folder, settings, java_home, lock))
    except Exception as problem:
        os.close(lock)
        raise did_not_start(problem, log) from problem


def did_not_start(problem: Exception, log: Path) -> DbtRuntimeError:
    """What went wrong, what usually helps, and where to read on."""
    told = log.read_text(errors="replace")[-LAST_WORDS:] if log.exists() else ""
    remedy = next((each for word, each in START_REMEDIES if word in told), START_REMEDY)
    return DbtRuntimeError(f"Spark did not start: {_first_line(problem)}\n  {remedy}\n  Details: {log}")


def after_broken_downloads(log: Path, launch: Callable[[], Started]) -> Started:
    """Launch; again where the log tells that jars were found but not all of them came through: those that did stay."""
    for _ in range(DOWNLOADS - 1):
        begin = log.stat().st_size if log.exists() else 0
        try:
            return launch()
        except Exception:
            if BROKEN_DOWNLOAD not in log.read_bytes()[begin:]:
                raise
            logger.debug("Some jars did not come through: once more")
    return launch()


def _launch(folder: Path, settings: Mapping[str, str], java_home: Path, lock: int) -> SparkSession:
    packages = packages_of(settings)
    jars = remembered_jars(packages)
    fetched = "" if jars else "; the jars of Delta Lake are fetched first, once on a machine"
    fire_event(Note(msg=f"Starting Spark{fetched}"))
    class_path = _class_path(packages, settings)
    chosen = {
        **default_settings(folder),
        **own_metastore(settings),
        **settings,
        **_jar_settings(packages, jars, settings, bool(class_path)),
        **_java_options(folder, settings, _archive_option(java_home, packages, class_path, settings)),
    }
    conf = SparkConf(loadDefaults=False).setAll(list(chosen.items()))
    environment = {"JAVA_HOME": str(java_home), **_at_the_end(class_path)}
    with open(folder / LOG_FILE, "ab") as log, _environment(**environment):
        keep_lock = {"pass_fds": [lock]} if os.name == "posix" else {}
        gateway = launch_gateway(conf, popen_kwargs={"stdout": log, "stderr": log, **keep_lock})
    _silence_error_loggers()
    context = SparkContext(conf=conf, gateway=gateway)
    session = SparkSession(context)
    if not jars:
        remember_jars(packages, context.getConf().get("spark.jars", "").split(","))
        _archive_option(java_home, packages, _class_path(packages, settings), settings)  # has the archive written
    session.sql("show databases").collect()  # opens the metastore now: two threads at once would race to create it
    return session


def packages_of(settings: Mapping[str, str]) -> str:
    """Delta's coordinate, added to the user's own packages."""
    builder = SparkSession.Builder()
    own = settings.get("spark.jars.packages", "")
    if "io.delta:delta-spark" in own:
        return own
    delta = configure_spark_with_delta_pip(builder)._options["spark.jars.packages"]
    return ",".join(filter(None, [delta, own]))


def _class_path(packages: str, settings: Mapping[str, str]) -> list[str]:
    """The jars that are loaded with Spark's own: where tasks run in the driver; others have to be sent theirs."""
    is_local = re.fullmatch(r"local(\[[^\]]*\])?", settings.get("spark.master", "local")) is not None
    return remembered_jars(packages) if is_local else []


def _at_the_end(class_path: list[str]) -> dict[str, str]:
    """The variable by which Spark adds jars after its own: of what both have, Spark's is loaded, as with spark.jars."""
    name = "SPARK_DIST_CLASSPATH"
    own = os.environ.get(name, "")
    return {name: os.pathsep.join(filter(None, [own, *class_path]))} if class_path else {}


def _jar_settings(packages: str, jars: list[str], settings: Mapping[str, str], on_class_path: bool) -> dict[str, str]:
    if not jars:
        return {"spark.jars.packages": packages}
    own = [jar for jar in settings.get("spark.jars", "").split(",") if jar]
    sent = own if on_class_path else dict.fromkeys([*own, *jars])
    return {"spark.jars.packages": "", "spark.jars": ",".join(sent)}


def _java_options(folder: Path, settings: Mapping[str, str], archive: str) -> dict[str, str]:
    """The place of the metastore, then the user's own options: the JVM lets the last one win."""
    own = settings.get(JAVA_OPTIONS, "")
    options = [f'"-Dderby.system.home={folder}"', garbage_collector(own), archive, own]
    return {JAVA_OPTIONS: " ".join(filter(None, options))}


def _archive_option(java_home: Path, packages: str, class_path: list[str], settings: Mapping[str, str]) -> str:
    """The option by which Spark starts with classes that are ready; none where jars are not on the class path."""
    own = settings.get(JAVA_OPTIONS, "")
    archive = class_archive.archive_of(java_home, class_path, own) if class_path else None
    return class_archive.use(archive, packages) if archive else ""


def own_metastore(settings: Mapping[str, str]) -> dict[str, str]:
    """
    The metastore of the folder remembers its tables: nobody else writes it, and every statement asks for each of its
    tables. One that others write, too, has to look. Nor does it prepare for SQL of its own about partitions, which
    takes a tenth of the start: Delta keeps them itself, and of tables that are no Delta tables Spark gets all of them
    where it cannot ask for some.

    Example:
        >>> own_metastore({"spark.hadoop.hive.metastore.uris": "thrift://metastore:9083"})
        {}
    """
    if any(key.removeprefix("spark.hadoop.").startswith(_METASTORE_ELSEWHERE) for key in settings):
        return {}
    return {
        "spark.hadoop.datanucleus.cache.level2.type": "soft",
        "spark.hadoop.datanucleus.cache.level2.mode": "ENABLE_SELECTIVE",
        "spark.hadoop.hive.metastore.try.direct.sql": "false",
        "spark.sql.hive.metastorePartitionPruningFallbackOnException": "true",
    }


def garbage_collector(own: str) -> str:
    """
    The collector that takes least of a small machine, unless the user's own options choose one: two are refused.

    Example:
        >>> garbage_collector("-Xmn1g"), garbage_collector("-Xmn1g -XX:+UseZGC")
        ('-XX:+UseParallelGC', '')
    """
    return "" if _COLLECTOR.search(own) else "-XX:+UseParallelGC"


def _silence_error_loggers() -> None:
    """PySpark prints every error with its Java stack to the screen before it raises it; dbt reports what is raised."""
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).disabled = True


@contextmanager
def _environment(**variables: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _set(session: SparkSession, key: str, value: str) -> None:
    try:
        session.conf.set(key, value)
    except PySparkException:
        logger.warning(
            f"{key} = {without_secret(key, value)} was not applied: Spark takes it at its start only, and already runs."
        )


def without_secret(key: str, value: str) -> str:
    """
    A setting's value as it may be logged.

    Example:
        >>> without_secret("spark.master", "local"), without_secret("fs.s3a.secret.key", "abc")
        ('local', '***')
    """
    return "***" if _SECRET.search(key) else value


def _first_line(problem: Exception) -> str:
    return str(problem).strip().splitlines()[0] if str(problem).strip() else type(problem).__name__
