"""dbt's own tests of an adapter: incremental. dbt-spark appends unless a model says merge."""

import pytest
from dbt.artifacts.schemas.results import RunStatus
from dbt.tests.adapter.incremental.test_incremental_merge_exclude_columns import BaseMergeExcludeColumns
from dbt.tests.adapter.incremental.test_incremental_microbatch import BaseMicrobatch, _microbatch_model_sql
from dbt.tests.adapter.incremental.test_incremental_on_schema_change import BaseIncrementalOnSchemaChange
from dbt.tests.adapter.incremental.test_incremental_predicates import BaseIncrementalPredicates
from dbt.tests.adapter.incremental.test_incremental_unique_id import BaseIncrementalUniqueKey
from dbt.tests.util import run_dbt

MERGE = {"+incremental_strategy": "merge"}


class TestMergeExcludeColumns(BaseMergeExcludeColumns):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"models": MERGE}


class TestMicrobatch(BaseMicrobatch):
    """Batches replace partitions: dbt-spark overwrites those of a batch."""

    @pytest.fixture(scope="class")
    def microbatch_model_sql(self):
        return _microbatch_model_sql.replace("unique_key='id'", "partition_by=['date_day']").replace(
            "select *", "select *, cast(event_time as date) as date_day"
        )


class TestIncrementalOnSchemaChange(BaseIncrementalOnSchemaChange):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"models": {**MERGE, "+unique_key": "id"}}

    def run_incremental_append_new_columns_remove_one(self, project):
        """Not run: a MERGE of dbt-spark names all columns of the table, the one that was removed too."""

    def test_run_incremental_sync_all_columns(self, project):
        """dbt-spark drops no columns, and says so."""
        for model in ("incremental_sync_all_columns", "incremental_sync_remove_only"):
            run_dbt(["run", "--select", f"model_a {model} {model}_target"])
            results = run_dbt(["run", "--select", f"model_a {model} {model}_target"], expect_pass=False)
            assert "does not support dropping columns" in results[1].message


class TestIncrementalPredicates(BaseIncrementalPredicates):
    """The test counts on delete+insert, which Spark has not: a merge that finds no match inserts."""

    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"models": {**MERGE, "+incremental_predicates": ["DBT_INTERNAL_DEST.id != 2"]}}


class TestIncrementalUniqueKey(BaseIncrementalUniqueKey):
    """The test looks for the name of a missing column; Delta's error has lost its text, and says what it is about."""

    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"models": MERGE}

    def test__bad_unique_key(self, project):
        self.check_bad_key("not_found_unique_key")

    def test__bad_unique_key_list(self, project):
        self.check_bad_key("not_found_unique_key_list")

    def check_bad_key(self, model):
        status, message = self.fail_to_build_inc_missing_unique_key_column(model)
        assert status == RunStatus.Error
        assert "DELTA_MERGE_UNRESOLVED_EXPRESSION" in message
