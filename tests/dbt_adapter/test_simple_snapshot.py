"""dbt's own tests of an adapter: simple_snapshot. Names have no database; Delta adds columns without a default."""

import pytest
from dbt.tests.adapter.simple_snapshot import fixtures
from dbt.tests.adapter.simple_snapshot.test_snapshot import BaseSimpleSnapshot, BaseSnapshotCheck
from dbt.tests.adapter.simple_snapshot.test_various_configs import (
    BaseSnapshotColumnNames,
    BaseSnapshotColumnNamesFromDbtProject,
    BaseSnapshotInvalidColumnNames,
)


def without_database(sql):
    return sql.replace("{{target.database}}.", "")


class TestSimpleSnapshot(BaseSimpleSnapshot):
    def add_fact_column(self, column=None, definition=None):
        super().add_fact_column(column, definition.removesuffix(" default null"))


class TestSnapshotCheck(BaseSnapshotCheck):
    pass


class TestSnapshotColumnNames(BaseSnapshotColumnNames):
    @pytest.fixture(scope="class")
    def snapshots(self):
        return {"snapshot.sql": without_database(fixtures.snapshot_actual_sql)}


class TestSnapshotColumnNamesFromDbtProject(BaseSnapshotColumnNamesFromDbtProject):
    @pytest.fixture(scope="class")
    def snapshots(self):
        return {"snapshot.sql": without_database(fixtures.snapshot_actual_sql)}


class TestSnapshotInvalidColumnNames(BaseSnapshotInvalidColumnNames):
    @pytest.fixture(scope="class")
    def snapshots(self):
        return {"snapshot.sql": without_database(fixtures.snapshot_actual_sql)}
