"""The session settings a result depends on."""

from dbt_lazyview.maintenance.engine import Engine
from dbt_lazyview.maintenance.record import Settings


def read_settings(engine: Engine) -> Settings:
    """Time zone and ANSI mode of our connection: another one of them, and the same query gives other rows."""
    zone = engine.query(engine.render("session_time_zone"))[0]["time_zone"]
    ansi = engine.query(engine.render("show_setting", key="spark.sql.ansi.enabled"))[0]["value"]
    return Settings(zone, str(ansi).lower())
