"""
Delta's own log, asked inside the process: what DESCRIBE DETAIL tells, without the job that counts the table's files.
"""

from datetime import datetime, timezone
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dbt_lazyview.compiler.catalog import Name

SESSION_CATALOG = "spark_catalog"


def detail(session: SparkSession, name: Name) -> dict[str, Any] | None:
    """A row like that of DESCRIBE DETAIL; None where only the statement itself can tell."""
    if len(name) != 3 or name[0] != SESSION_CATALOG:
        return None
    try:
        return _detail(session, name)
    except (Py4JError, PySparkException):
        return None


def _detail(session: SparkSession, name: Name) -> dict[str, Any] | None:
    jvm = session._jvm
    option = jvm.scala.Option.apply
    identifier = jvm.org.apache.spark.sql.catalyst.TableIdentifier(name[2], option(name[1]), option(name[0]))
    if not session._jsparkSession.sessionState().catalog().tableExists(identifier):
        return None
    found = jvm.org.apache.spark.sql.delta.DeltaLog.forTableWithSnapshot(session._jsparkSession, identifier)
    log, snapshot = found._1(), found._2()
    sizes = snapshot.checksumOpt()
    if snapshot.version() < 0 or not sizes.isDefined():
        return None
    return {
        "format": "delta",
        "id": snapshot.metadata().id(),
        "lastModified": datetime.fromtimestamp(snapshot.timestamp() / 1000, tz=timezone.utc),
        "location": log.dataPath().toString(),
        "properties": dict(jvm.scala.jdk.javaapi.CollectionConverters.asJava(snapshot.metadata().configuration())),
        "sizeInBytes": sizes.get().tableSizeBytes(),
        "numFiles": sizes.get().numFiles(),
    }
