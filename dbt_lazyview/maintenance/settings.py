"""The session settings a result depends on, and those set for some statements."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from dbt_lazyview.maintenance.engine import Engine
from dbt_lazyview.maintenance.record import Settings


def read_settings(engine: Engine) -> Settings:
    """Time zone and ANSI mode of our connection: another one of them, and the same query gives other rows."""
    zone = engine.query(engine.render("session_time_zone"))[0]["time_zone"]
    ansi = engine.query(engine.render("show_setting", key="spark.sql.ansi.enabled"))[0]["value"]
    return Settings(zone, str(ansi).lower())


# Adaptive execution plans the rest of a query anew after each of its parts, change feeds included: more than it saves.
SETTINGS_FOR_FEW_ROWS = {"spark.sql.adaptive.enabled": "false"}


@contextmanager
def having_set(engine: Engine, settings: Mapping[str, str]) -> Iterator[None]:
    """Have settings on our connection, and not afterwards, whatever happens."""
    try:
        for key, value in settings.items():
            engine.execute(engine.render("set_setting", key=key, value=value))
        yield
    finally:
        for key in settings:
            engine.execute(engine.render("reset_setting", key=key))
