"""The profile: `{type: lazyview, schema: x}` is enough for an embedded Spark."""

from dataclasses import dataclass, field
from typing import Any

from dbt.adapters.spark.connections import SparkConnectionMethod, SparkCredentials

TYPE = "lazyview"
ANSI = "spark.sql.ansi.enabled"
CHANGE_DATA_FEED = "spark.databricks.delta.properties.defaults.enableChangeDataFeed"


@dataclass
class LazyViewCredentials(SparkCredentials):
    """dbt-spark's credentials with an embedded session by default; what the user sets always wins."""

    host: str | None = None
    method: SparkConnectionMethod = SparkConnectionMethod.SESSION
    server_side_parameters: dict[str, Any] = field(default_factory=dict)  # numbers and booleans as YAML has them
    poll_interval: int = 1  # seconds between looks at a statement that runs on a server
    manager: str | None = None  # address of a `lazyview manage --metrics-port`, to wait for what it does
    folder: str = ".lazyview"  # metastore, warehouse and logs of the embedded session, relative to the project

    def __post_init__(self) -> None:
        if self.method == SparkConnectionMethod.SESSION and self.host is None:
            self.host = "localhost"
        wanted = {key: setting_text(value) for key, value in self.server_side_parameters.items()}
        super().__post_init__()  # dbt-spark overrides the user's ANSI setting here
        self.server_side_parameters = {ANSI: "false", CHANGE_DATA_FEED: "true", **wanted}
        if self.method == SparkConnectionMethod.THRIFT:
            self.server_side_parameters |= as_session_settings(self.server_side_parameters)

    @property
    def type(self) -> str:
        """By this dbt looks up the adapter; see outliving.py."""
        return str(getattr(self, "registered_as", TYPE))

    @property
    def unique_field(self) -> str:
        return self.host or self.folder

    def _connection_keys(self) -> tuple[str, ...]:
        if self.method == SparkConnectionMethod.SESSION:
            return ("method", "schema", "folder")
        return ("method", *super()._connection_keys())


def as_session_settings(settings: dict[str, str]) -> dict[str, str]:
    """
    Name settings so that Spark's thrift server sets them in the session it opens: plain names only reach Hive.

    Example:
        >>> as_session_settings({"spark.x": "1", "set:hiveconf:spark.x": "1"})
        {'set:hiveconf:spark.x': '1'}
    """
    return {f"set:hiveconf:{key}": value for key, value in settings.items() if not key.startswith("set:")}


def setting_text(value: object) -> str:
    """
    Write a YAML value as Spark reads it.

    Example:
        >>> setting_text(True), setting_text(4)
        ('true', '4')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)
