"""dbt's connections: `session` is ours, the other methods are dbt-spark's."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dbt.adapters.contracts.connection import Connection, ConnectionState
from dbt.adapters.exceptions import FailedToConnectError
from dbt.adapters.spark.connections import (
    PyhiveConnectionWrapper,
    SparkConnectionManager,
    SparkConnectionMethod,
    SparkConnectionWrapper,
)
from dbt.flags import get_flags
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession

from dbt_lazyview.adapter.errors import readable
from dbt_lazyview.adapter.literals import bind
from dbt_lazyview.adapter.session import new_session, session_beside


class LazyViewConnectionManager(SparkConnectionManager):
    """Opens an own Spark session for each dbt connection, so that nothing leaks from one thread to another."""

    TYPE = "lazyview"

    def __init__(self, profile: Any, mp_context: Any) -> None:
        super().__init__(profile, mp_context)
        folder = _project_folder(profile) / Path(profile.credentials.folder).expanduser()
        profile.credentials.folder = str(folder.resolve())

    @contextmanager
    def exception_handler(self, sql: str) -> Generator[None, None, None]:
        known: DbtRuntimeError | None = None
        try:
            with super().exception_handler(sql):
                try:
                    yield
                except DbtRuntimeError as problem:
                    known = problem  # dbt-spark would wrap it once more
        except DbtRuntimeError as problem:
            raise DbtDatabaseError(readable(problem.msg)) from problem
        if known:
            known.msg = readable(known.msg)
            raise known

    @classmethod
    def open(cls, connection: Connection) -> Connection:
        if connection.state == ConnectionState.OPEN:
            return connection
        if connection.credentials.method != SparkConnectionMethod.SESSION:
            return _with_exact_values(super().open(connection))
        connection.handle = SessionHandle(_open_session(connection.credentials))
        connection.state = ConnectionState.OPEN
        return connection


class SessionHandle(SparkConnectionWrapper):
    """A session and the result of its last statement, as dbt expects them from a driver."""

    def __init__(self, session: SparkSession) -> None:
        self.session = session
        self._result: DataFrame | None = None
        self._rows: list[Row] | None = None

    def cursor(self) -> "SessionHandle":
        return SessionHandle(self.session)

    def execute(self, sql: str, bindings: Sequence[Any] | None = None) -> None:
        statement = sql.strip().removesuffix(";")
        self._rows = None
        with _readable_errors():
            self._result = self.session.sql(bind(statement, bindings) if bindings is not None else statement)

    def fetchall(self) -> list[Row]:
        return self.fetchmany(None)

    def fetchmany(self, size: int | None) -> list[Row]:
        if self._rows is None:
            with _readable_errors():
                self._rows = self._result.collect() if self._result is not None else []
        taken, self._rows = self._rows[:size], [] if size is None else self._rows[size:]
        return taken

    def fetchone(self) -> Row | None:
        return next(iter(self.fetchmany(1)), None)

    @property
    def description(self) -> list[tuple[str, Any, None, None, None, None, bool]]:
        fields = self._result.schema.fields if self._result is not None else []
        return [(field.name, field.dataType.simpleString(), None, None, None, None, field.nullable) for field in fields]

    def cancel(self) -> None:
        self.session.interruptAll()

    def close(self) -> None:
        self._result = self._rows = None

    def rollback(self, *args: Any, **kwargs: Any) -> None:
        """Spark has no transactions."""


class ThriftHandle(PyhiveConnectionWrapper):
    """dbt-spark's handle, with the values of a seed as they are written: it makes floats of whatever is a number."""

    def execute(self, sql: str, bindings: Sequence[Any] | None = None) -> None:
        super().execute(bind(sql, bindings) if bindings is not None else sql)


def _with_exact_values(connection: Connection) -> Connection:
    handle = connection.handle
    if type(handle) is PyhiveConnectionWrapper:
        connection.handle = ThriftHandle(
            handle.handle, handle.poll_interval, handle.query_timeout, handle.query_retries
        )
    return connection


def own_connection(manager: type[SparkConnectionManager], name: str, credentials: Any) -> Connection:
    """A connection that nobody else has; those of dbt-spark's own `method: session` would share one Spark session."""
    connection = Connection(type=manager.TYPE, name=name, credentials=credentials)
    manager.open(connection)
    if credentials.method == SparkConnectionMethod.SESSION and not isinstance(connection.handle, SessionHandle):
        connection.handle.cursor().execute("select 1")  # starts Spark, as dbt-spark does it, where it does not run yet
        connection.handle = SessionHandle(session_beside(credentials.server_side_parameters))
    return connection


def _project_folder(profile: Any) -> Path:
    """The folder of the project; `dbt debug` hands over a profile without one."""
    return Path(getattr(profile, "project_root", None) or getattr(get_flags(), "PROJECT_DIR", None) or ".")


def _open_session(credentials: Any) -> SparkSession:
    try:
        return new_session(Path(credentials.folder), credentials.server_side_parameters)
    except DbtRuntimeError as problem:
        raise FailedToConnectError(problem.msg) from problem


@contextmanager
def _readable_errors() -> Generator[None, None, None]:
    try:
        yield
    except (PySparkException, Py4JError) as problem:
        raise DbtDatabaseError(readable(str(problem))) from problem
