"""All functional tests of a process share one Spark (connecting.py says which): one folder, a schema per test class."""

from pathlib import Path

import pytest
from dbt.tests.fixtures.project import *  # noqa: F403  dbt's fixtures; pytest_plugins works in the top conftest only

from tests.functional.connecting import THRIFT, chosen_way, connected

# Files with one long test come first, so that no worker waits for the other in the end.
LONG_FIRST = ("test_starter_project", "packaging", "faults", "oracle", "dbt_basic", "compiler")


def pytest_collection_modifyitems(config, items):
    for item in items:
        item.add_marker(pytest.mark.spark)
    if chosen_way() == THRIFT:
        config.hook.pytest_deselected(items=[each for each in items if each.get_closest_marker("in_process")])
        items[:] = [each for each in items if not each.get_closest_marker("in_process")]
    items.sort(key=lambda item: _place(item.path))


def _place(path: Path) -> int:
    """By the name of the file, or else of its folder."""
    return next(
        (LONG_FIRST.index(each) for each in (path.stem, path.parent.name) if each in LONG_FIRST), len(LONG_FIRST)
    )


@pytest.fixture(scope="session")
def spark_folder(tmp_path_factory):
    """The folder of the one embedded Spark of this process, whichever conftest asks."""
    folder = tmp_path_factory.getbasetemp() / "lazyview"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def way(spark_folder):
    """How this run reaches it."""
    with connected(spark_folder) as way:
        yield way


@pytest.fixture(scope="session")
def spark(way):
    """A session without dbt."""
    return way.session()


@pytest.fixture(scope="class")
def server_side_parameters():
    """Override in a test class to give its profile settings of its own."""
    return {}


@pytest.fixture(scope="class")
def dbt_profile_target(way, server_side_parameters):
    return {"type": "lazyview", "threads": 2, **way.profile(server_side_parameters)}
