"""The session settings a result depends on, and those set for some statements."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from dbt_lazyview.maintenance.engine import Engine, EngineError
from dbt_lazyview.maintenance.record import Settings

TIME_ZONE = "spark.sql.session.timeZone"
ANSI_MODE = "spark.sql.ansi.enabled"


def read_settings(engine: Engine) -> Settings:
    """Time zone and ANSI mode of our connection: another one of them, and the same query gives other rows."""
    return Settings(read_setting(engine, TIME_ZONE), read_setting(engine, ANSI_MODE).lower())


def read_setting(engine: Engine, key: str) -> str:
    if engine.shortcuts:
        return engine.shortcuts.setting(key)
    return str(engine.query(engine.render("show_setting", key=key))[0]["value"])


# Adaptive execution plans the rest of a query anew after each of its parts, change feeds included: more than it saves.
# To see whether a Bloom filter would pay, Spark asks for the size of every table before files are skipped: a job each.
SETTINGS_FOR_FEW_ROWS = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.optimizer.runtime.bloomFilter.enabled": "false",
}

# What a statement reads has a version that was looked at just before, by the same process: Delta need not list the logs
# of all its tables once more. What it writes to, it looks at in any case.
JUST_SEEN = {"spark.databricks.delta.stalenessLimit": "1h"}

# Where the time zone is not UTC, Delta reconstructs a table from its log after each commit, to see whether its files
# are those that its checksum lists: for the sake of partitions by time. A state without partitions has no use for that.
AS_IN_UTC = {"spark.databricks.delta.allFilesInCrc.verificationMode.forceOnNonUTC.enabled": "false"}

# An overwrite is one of all partitions, whatever the session says.
WHOLE_TABLE = {"spark.sql.sources.partitionOverwriteMode": "static"}


@contextmanager
def having_set(engine: Engine, settings: Mapping[str, str]) -> Iterator[None]:
    """Have settings on our connection, and not afterwards, whatever happens."""
    if engine.shortcuts:
        with engine.shortcuts.having_set(settings):
            yield
        return
    try:
        for key, value in settings.items():
            engine.execute(engine.render("set_setting", key=key, value=value))
        yield
    except BaseException:
        for key in settings:
            with suppress(EngineError):  # the connection broke: what it was set to is gone with it
                engine.execute(engine.render("reset_setting", key=key))
        raise
    for key in settings:
        engine.execute(engine.render("reset_setting", key=key))
