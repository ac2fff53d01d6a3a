"""The protocol tests' Spark serves here too."""

from tests.functional.maintenance.conftest import lake, sales  # noqa: F401
