"""Out of the box every stored relation is a Delta table with its change data feed on; the user's settings win."""

import pytest
from dbt.tests.util import run_dbt
from dbt_common.exceptions import DbtRuntimeError

SEED = "id,name,updated_at\n1,a,2024-01-01 00:00:00\n2,b,2024-01-01 00:00:00\n"

MERGED = """
{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id') }}
select id, name from {{ ref('people') }}
{% if is_incremental() %} union all select 3, 'c' {% endif %}
"""

SNAPSHOT = """
{% snapshot people_history %}
{{ config(target_schema=schema, unique_key='id', strategy='timestamp', updated_at='updated_at') }}
select * from {{ ref('people') }}
{% endsnapshot %}
"""


class TestDeltaByDefault:
    @pytest.fixture(scope="class")
    def seeds(self):
        return {"people.csv": SEED}

    @pytest.fixture(scope="class")
    def models(self):
        return {
            "as_table.sql": "{{ config(materialized='table') }} select * from {{ ref('people') }}",
            "as_view.sql": "select * from {{ ref('people') }}",
            "merged.sql": MERGED,
            "plain_parquet.sql": "{{ config(materialized='table', file_format='parquet') }} select 1 as id",
            "Order.sql": "{{ config(materialized='table') }} select 1 as `group`",
        }

    @pytest.fixture(scope="class")
    def snapshots(self):
        return {"people_history.sql": SNAPSHOT}

    def test_all_stock_materializations_run_twice(self, project):
        run_dbt(["build"])
        run_dbt(["build"])
        assert len(self._rows(project, "select * from {schema}.merged")) == 3
        for table in ("people", "as_table", "merged", "people_history", "`order`"):
            properties = dict(self._rows(project, f"show tblproperties {{schema}}.{table}"))
            assert properties["delta.enableChangeDataFeed"] == "true", table
        (file,) = self._rows(
            project, "select distinct split_part(input_file_name(), '.', -1) from {schema}.plain_parquet"
        )
        assert file[0] == "parquet"
        assert not self._is_delta(project, "plain_parquet")
        assert self._is_delta(project, "as_table")

    def _is_delta(self, project, table):
        return ("Provider", "delta") in {
            tuple(r[:2]) for r in self._rows(project, f"describe extended {{schema}}.{table}")
        }

    def _rows(self, project, sql):
        return [tuple(row) for row in project.run_sql(sql, fetch="all")]


class TestUserSettingsWin:
    @pytest.fixture(scope="class")
    def server_side_parameters(self):
        return {
            "spark.sql.ansi.enabled": True,
            "spark.sql.shuffle.partitions": 3,
            "spark.databricks.delta.properties.defaults.enableChangeDataFeed": False,
        }

    @pytest.fixture(scope="class")
    def models(self):
        return {
            "settings.sql": "{{ config(materialized='table') }} select 1 as id",
            "overflow.sql": "{{ config(materialized='table') }} select cast('x' as int) as id",
        }

    def test_settings_reach_the_session(self, project):
        run_dbt(["run", "--select", "settings"])
        assert project.run_sql("set spark.sql.shuffle.partitions", fetch="one")[1] == "3"
        properties = dict(tuple(row) for row in project.run_sql("show tblproperties {schema}.settings", fetch="all"))
        assert "delta.enableChangeDataFeed" not in properties or properties["delta.enableChangeDataFeed"] == "false"

    def test_ansi_mode_and_an_error_without_java(self, project):
        (result,) = run_dbt(["run", "--select", "overflow"], expect_pass=False)
        assert "CAST_INVALID_INPUT" in result.message
        assert "\tat " not in result.message
        assert "org.apache.spark.sql.catalyst" not in result.message

    def test_pyspark_prints_no_error_of_its_own(self, project, capfd):
        with pytest.raises(DbtRuntimeError, match="TABLE_OR_VIEW_NOT_FOUND"):
            project.run_sql("select * from {schema}.nowhere")
        assert "QueryContextLogger" not in capfd.readouterr().err
