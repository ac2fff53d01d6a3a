"""dbt's own tests of an adapter: simple_copy."""

import pytest
from dbt.tests.adapter.simple_copy.test_copy_uppercase import BaseSimpleCopyUppercase
from dbt.tests.adapter.simple_copy.test_simple_copy import EmptyModelsArentRunBase, SimpleCopyBase


class TestSimpleCopy(SimpleCopyBase):
    """Spark has no materialized views of its own: what is unrelated to the project is a view."""

    def test_simple_copy_with_materialized_views(self, project, monkeypatch):
        run_sql = project.run_sql
        monkeypatch.setattr(project, "run_sql", lambda sql: run_sql(sql.replace("materialized view", "view")))
        super().test_simple_copy_with_materialized_views(project)


class TestSimpleCopyUppercase(BaseSimpleCopyUppercase):
    """The test's profile is PostgreSQL's."""

    @pytest.fixture(scope="class")
    def dbt_profile_target(self, way):
        return {"type": "lazyview", "threads": 2, **way.profile({})}


class TestEmptyModelsArentRun(EmptyModelsArentRunBase):
    """Spark has no `information_schema`."""

    @pytest.fixture(autouse=True)
    def shown_tables(self, project, monkeypatch):
        def tables():
            return {name: is_temporary for _, name, is_temporary in project.run_sql("show tables in {schema}", "all")}

        monkeypatch.setattr(project, "get_tables_in_schema", tables)
