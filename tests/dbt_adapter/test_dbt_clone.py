"""dbt's own tests of an adapter: dbt_clone."""

import pytest
from dbt.tests.adapter.dbt_clone.test_dbt_clone import (
    BaseClonePossible,
)


class DropsSchemas:
    @pytest.fixture(autouse=True)
    def clean_up(self, project, other_schema):
        yield
        for schema in (other_schema, f"{project.test_schema}_seeds"):
            project.run_sql(f"drop schema if exists {schema} cascade")


class TestClonePossible(DropsSchemas, BaseClonePossible):
    pass
