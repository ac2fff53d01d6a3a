"""dbt's own tests of an adapter: dbt_clone."""

import pytest
from dbt.tests.adapter.dbt_clone import fixtures
from dbt.tests.adapter.dbt_clone.test_dbt_clone import (
    BaseCloneNotPossible,
    BaseClonePossible,
    BaseCloneSameSourceAndTarget,
    BaseCloneSameTargetAndState,
)
from dbt.tests.util import run_dbt_and_capture


class DropsSchemas:
    @pytest.fixture(autouse=True)
    def clean_up(self, project, other_schema):
        yield
        for schema in (other_schema, f"{project.test_schema}_seeds"):
            project.run_sql(f"drop schema if exists {schema} cascade")


class TestClonePossible(DropsSchemas, BaseClonePossible):
    pass


class TestCloneNotPossible(DropsSchemas, BaseCloneNotPossible):
    pass


class TestCloneSameTargetAndState(DropsSchemas, BaseCloneSameTargetAndState):
    """dbt warns, as the test wants; a snapshot that was not built is not cloned from itself, so that nothing fails."""

    def test_clone_same_target_and_state(self, project):
        self.run_and_save_state(project.project_root)
        _, output = run_dbt_and_capture(["clone", "--defer", "--state", "target"])
        assert "The state and target directories are the same: 'target'" in output


class TestCloneSameSourceAndTarget(DropsSchemas, BaseCloneSameSourceAndTarget):
    """The model over a source that the class means, which lacks the words that make it a fixture."""

    @pytest.fixture(scope="class")
    def models(self):
        return {
            "source_based_model.sql": fixtures.source_based_model_sql,
            "source_schema.yml": fixtures.source_schema_yml,
        }

    @pytest.fixture(scope="class")
    def snapshots(self):
        return {"snapshot_model.sql": fixtures.source_based_model_snapshot_sql.replace("target_database=database,", "")}


class TestCloneLazyViewSameSourceAndTarget(TestCloneSameSourceAndTarget):
    @pytest.fixture(scope="class")
    def models(self):
        return {
            "source_based_model.sql": fixtures.source_based_model_sql.replace("'table'", "'lazy_view'"),
            "source_schema.yml": fixtures.source_schema_yml,
        }
