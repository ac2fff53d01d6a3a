"""Each dbt connection has a session of its own; a folder has one process."""

import subprocess
import sys

import pytest
from dbt.tests.util import run_dbt

OWN_VALUE = """
{{{{ config(materialized='table', pre_hook="set lazyview.probe={n}; ") }}}}
select '${{lazyview.probe}}' as seen, {n} as written
"""


class TestIsolation:
    @pytest.fixture(scope="class")
    def models(self):
        return {f"model_{n}.sql": OWN_VALUE.format(n=n) for n in range(6)}

    def test_settings_of_one_connection_are_not_seen_in_another(self, project):
        adapter = project.adapter
        with adapter.connection_named("one"):
            adapter.execute("set lazyview.probe=1")
            adapter.execute("create temporary view only_here as select 1")
        with adapter.connection_named("two"):
            _, table = adapter.execute("set lazyview.probe", fetch=True)
            assert table.rows[0][1] == "<undefined>"
            _, views = adapter.execute("show views", fetch=True)
            assert "only_here" not in [row[1] for row in views.rows]

    def test_models_on_parallel_threads_keep_their_own_settings(self, project):
        run_dbt(["run"])
        for n in range(6):
            seen, written = project.run_sql(f"select * from {{schema}}.model_{n}", fetch="one")
            assert int(seen) == written == n


@pytest.mark.in_process("is about the lock on the folder of an embedded Spark")
class TestSecondProcess:
    def test_gets_one_readable_line(self, project, spark_folder):
        project.run_sql("select 1")
        dbt = [sys.executable, "-m", "dbt.cli.main", "debug", "--profiles-dir", str(project.profiles_dir)]
        second = subprocess.run(dbt, cwd=project.project_root, capture_output=True, text=True, timeout=120)
        assert second.returncode != 0
        assert f"{spark_folder} is in use by process " in second.stdout
        assert "Derby" not in second.stdout + second.stderr
        assert "Traceback" not in second.stdout + second.stderr


@pytest.mark.in_process("is about the metastore of the folder of an embedded Spark")
def test_some_partitions_of_a_table_that_is_no_delta_table(way):
    """The metastore of the folder is told not to look partitions up by SQL; Spark then gets all of them."""
    session = way.session()
    session.sql("drop table if exists parted")
    session.sql("create table parted using parquet partitioned by (k) as select id, id % 5 as k from range(100)")
    try:
        assert session.sql("select count(*) from parted where k > 2").collect() == [(40,)]
    finally:
        session.sql("drop table parted")
