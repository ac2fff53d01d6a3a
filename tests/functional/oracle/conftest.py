"""The protocol tests' lake serves here too."""

from tests.functional.maintenance.conftest import lake  # noqa: F401
