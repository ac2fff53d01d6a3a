"""dbt's own tests of a materialized view, with lazy views: created, replaced, refreshed, altered."""

import pytest
from dbt.tests.adapter.materialized_view import files
from dbt.tests.adapter.materialized_view.basic import MaterializedViewBasic
from dbt.tests.adapter.materialized_view.changes import (
    MaterializedViewChanges,
    MaterializedViewChangesApplyMixin,
    MaterializedViewChangesContinueMixin,
    MaterializedViewChangesFailMixin,
)
from dbt.tests.util import get_model_file, run_dbt, set_model_file

from dbt_lazyview.maintenance.definition import from_properties

LAZY = "materialized='lazy_view', policy='snapshot'"
LAZY_VIEW = files.MY_MATERIALIZED_VIEW.replace("materialized='materialized_view'", LAZY)


def relation_type(project, relation):
    """A lazy view is a view with a state beside it."""
    tables = project.run_sql(f"show table extended in {relation.schema} like '{relation.identifier}*'", fetch="all")
    kinds = {row[1]: "view" if "Type: VIEW" in row[3] else "table" for row in tables}
    is_lazy = kinds[relation.identifier] == "view" and "lazyview.fingerprint" in str(tables)
    return "materialized_view" if is_lazy else kinds[relation.identifier]


def swap(project, relation, before, after):
    set_model_file(project, relation, get_model_file(project, relation).replace(before, after))


def definition(project, relation):
    rows = project.run_sql(f"show tblproperties {relation.schema}.{relation.identifier}__state", fetch="all")
    return from_properties({row[0]: row[1] for row in rows})


class TestMaterializedViewBasic(MaterializedViewBasic):
    @pytest.fixture(scope="class", autouse=True)
    def models(self):
        return {
            "my_table.sql": files.MY_TABLE,
            "my_view.sql": files.MY_VIEW,
            "my_materialized_view.sql": LAZY_VIEW,
        }

    @staticmethod
    def insert_record(project, table, record):
        project.run_sql(f"insert into {table} values {record}")

    @staticmethod
    def refresh_materialized_view(project, materialized_view):
        run_dbt(["run-operation", "refresh", "--args", f"{{models: [{materialized_view.identifier}]}}"])

    @staticmethod
    def query_row_count(project, relation):
        return project.run_sql(f"select count(*) from {relation}", fetch="one")[0]

    @staticmethod
    def query_relation_type(project, relation):
        return relation_type(project, relation)

    @staticmethod
    def swap_table_to_materialized_view(project, table):
        swap(project, table, "materialized='table'", LAZY)

    @staticmethod
    def swap_view_to_materialized_view(project, view):
        swap(project, view, "materialized='view'", LAZY)

    @staticmethod
    def swap_materialized_view_to_table(project, materialized_view):
        swap(project, materialized_view, LAZY, "materialized='table'")

    @staticmethod
    def swap_materialized_view_to_view(project, materialized_view):
        swap(project, materialized_view, LAZY, "materialized='view'")


class Changes(MaterializedViewChanges):
    """`compact_every` and a property of the state are altered; other partitions need a new table."""

    @pytest.fixture(scope="class", autouse=True)
    def models(self):
        return {"my_materialized_view.sql": LAZY_VIEW}

    @staticmethod
    def query_relation_type(project, relation):
        return relation_type(project, relation)

    @staticmethod
    def check_start_state(project, materialized_view):
        stored = definition(project, materialized_view)
        assert (stored.compact_every, stored.tblproperties, stored.partition_by) == (20, {}, ())

    @staticmethod
    def change_config_via_alter(project, materialized_view):
        swap(project, materialized_view, LAZY, f"{LAZY}, compact_every=7, tblproperties={{'team': 'sales'}}")

    @staticmethod
    def change_config_via_replace(project, materialized_view):
        swap(project, materialized_view, LAZY, f"{LAZY}, partition_by='id'")

    @staticmethod
    def check_state_alter_change_is_applied(project, materialized_view):
        stored = definition(project, materialized_view)
        assert (stored.compact_every, stored.tblproperties) == (7, {"team": "sales"})
        state = f"{materialized_view.schema}.{materialized_view.identifier}__state"
        assert ("team", "sales") in [tuple(row) for row in project.run_sql(f"show tblproperties {state}", fetch="all")]

    @staticmethod
    def check_state_replace_change_is_applied(project, materialized_view):
        state = f"{materialized_view.schema}.{materialized_view.identifier}__state"
        detail = project.run_sql(f"describe detail {state}", fetch="all")
        assert "id" in str(detail[0][7])


@pytest.mark.long
class TestChangesApply(Changes, MaterializedViewChangesApplyMixin):
    pass


@pytest.mark.long
class TestChangesContinue(Changes, MaterializedViewChangesContinueMixin):
    pass


@pytest.mark.long
class TestChangesFail(Changes, MaterializedViewChangesFailMixin):
    pass
