"""The starter project for thirty days."""

from tests.functional.lazy.test_starter_project import TestStarterProject as ThreeDays


class TestThirtyDays(ThreeDays):
    days = 30


del ThreeDays  # which `make test` runs
