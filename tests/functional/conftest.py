"""All functional tests of a process share one embedded Spark: one JVM, one folder, a schema per test class."""

import pytest
from dbt.tests.fixtures.project import *  # noqa: F403  dbt's fixtures; pytest_plugins works in the top conftest only

# The tests run many small statements once: generating and compiling code for each would take most of their time. The
# room that the first compiler alone has for code is too small for Spark: much time would go into forgetting it. And the
# metastore need not survive a power cut.
QUICK_JVM = {
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=512m -XX:+UseSerialGC -Xmn1g"
    " -Dderby.system.durability=test",
    "spark.driver.memory": "3g",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "1",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.databricks.delta.properties.defaults.checkpointInterval": "100",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


# Files with one long test come first, so that no worker waits for the other in the end.
LONG_FIRST = ("packaging", "faults", "oracle", "dbt_basic", "compiler")


def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker(pytest.mark.spark)
    items.sort(key=lambda item: _place(item.path.parent.name))


def _place(folder: str) -> int:
    return LONG_FIRST.index(folder) if folder in LONG_FIRST else len(LONG_FIRST)


@pytest.fixture(scope="session")
def spark_folder(tmp_path_factory):
    """The folder of the one embedded Spark of this process, whichever conftest asks."""
    folder = tmp_path_factory.getbasetemp() / "lazyview"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="class")
def server_side_parameters():
    """Override in a test class to give its profile settings of its own."""
    return {}


@pytest.fixture(scope="class")
def dbt_profile_target(spark_folder, server_side_parameters):
    return {
        "type": "lazyview",
        "threads": 2,
        "folder": str(spark_folder),
        "server_side_parameters": {**QUICK_JVM, **server_side_parameters},
    }
