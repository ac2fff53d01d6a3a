"""dbt's own tests of an adapter: simple_snapshot. Names have no database; Delta adds columns without a default."""

import pytest
from dbt.tests.adapter.simple_snapshot import (
    fixtures,
    new_record_dbt_valid_to_current,
    new_record_timestamp_mode,
    test_ephemeral_snapshot_hard_deletes,
    test_various_configs,
)
from dbt.tests.adapter.simple_snapshot.new_record_check_mode import BaseSnapshotNewRecordCheckMode
from dbt.tests.adapter.simple_snapshot.new_record_dbt_valid_to_current import BaseSnapshotNewRecordDbtValidToCurrent
from dbt.tests.adapter.simple_snapshot.new_record_timestamp_mode import BaseSnapshotNewRecordTimestampMode
from dbt.tests.adapter.simple_snapshot.test_ephemeral_snapshot_hard_deletes import (
    BaseSnapshotEphemeralHardDeletes,
    BaseSnapshotNewColumnSpecificCheckCols,
    BaseSnapshotNewColumnTimestampStrategy,
    BaseSnapshotNewColumnWithDeletes,
)
from dbt.tests.adapter.simple_snapshot.test_snapshot import BaseSimpleSnapshot, BaseSnapshotCheck
from dbt.tests.adapter.simple_snapshot.test_various_configs import (
    BaseSnapshotColumnNames,
    BaseSnapshotColumnNamesFromDbtProject,
    BaseSnapshotDbtValidToCurrent,
    BaseSnapshotInvalidColumnNames,
    BaseSnapshotMultiUniqueKey,
)


def without_database(sql):
    return sql.replace("{{target.database}}.", "").replace("{database}.", "")


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


class TestSnapshotDbtValidToCurrent(BaseSnapshotDbtValidToCurrent):
    """The test looks at rows by their number, in the order in which PostgreSQL keeps them."""

    @pytest.fixture(scope="class")
    def snapshots(self):
        return {"snapshot.sql": without_database(fixtures.snapshot_actual_sql)}

    @pytest.fixture(autouse=True)
    def in_order(self, monkeypatch):
        run_sql = test_various_configs.run_sql_with_adapter
        monkeypatch.setattr(
            test_various_configs,
            "run_sql_with_adapter",
            lambda adapter, sql, fetch: run_sql(adapter, f"{sql} order by id, test_valid_to", fetch),
        )


class TestSnapshotMultiUniqueKey(BaseSnapshotMultiUniqueKey):
    @pytest.fixture(scope="class")
    def models(self):
        models = BaseSnapshotMultiUniqueKey.models.__wrapped__(self)
        return {**models, "seed.sql": without_database(fixtures.model_seed_sql)}


class SourceWithoutDatabase:
    @pytest.fixture(scope="class")
    def source_create_sql(self):
        return without_database(test_ephemeral_snapshot_hard_deletes._source_create_sql)

    @pytest.fixture(scope="class")
    def source_insert_sql(self):
        return without_database(test_ephemeral_snapshot_hard_deletes._source_insert_sql)

    @pytest.fixture(scope="class")
    def source_alter_sql(self):
        sql = without_database(test_ephemeral_snapshot_hard_deletes._source_alter_sql)
        return sql.replace(" default 'dummy_value'", "")

    @pytest.fixture(scope="class")
    def source_delete_sql(self):
        return without_database(test_ephemeral_snapshot_hard_deletes._source_delete_sql)


class TestSnapshotEphemeralHardDeletes(SourceWithoutDatabase, BaseSnapshotEphemeralHardDeletes):
    pass


class TestSnapshotNewColumnTimestampStrategy(SourceWithoutDatabase, BaseSnapshotNewColumnTimestampStrategy):
    pass


class TestSnapshotNewColumnSpecificCheckCols(SourceWithoutDatabase, BaseSnapshotNewColumnSpecificCheckCols):
    pass


class TestSnapshotNewColumnWithDeletes(SourceWithoutDatabase, BaseSnapshotNewColumnWithDeletes):
    pass


class TestSnapshotNewRecordTimestampMode(BaseSnapshotNewRecordTimestampMode):
    @pytest.fixture(scope="class")
    def snapshots(self):
        return {"snapshot.sql": without_database(new_record_timestamp_mode._snapshot_actual_sql)}


class TestSnapshotNewRecordCheckMode(BaseSnapshotNewRecordCheckMode):
    @pytest.fixture(scope="class")
    def snapshots(self):
        return {"snapshot.sql": without_database(new_record_timestamp_mode._snapshot_actual_sql)}


class TestSnapshotNewRecordDbtValidToCurrent(BaseSnapshotNewRecordDbtValidToCurrent):
    @pytest.fixture(scope="class")
    def snapshots(self):
        return {"snapshot.sql": without_database(new_record_dbt_valid_to_current._snapshot_actual_sql)}
