"""dbt's own tests of an adapter: functions, as far as Spark can keep them: those written in SQL."""

import pytest
from dbt.tests.adapter.functions.test_udfs import (
    DeterministicUDF,
    ErrorForUnsupportedType,
    NonDeterministicUDF,
    PythonUDFEntryPointRequired,
    PythonUDFNotSupported,
    PythonUDFRuntimeVersionRequired,
    SqlUDFDefaultArgSupport,
    StableUDF,
    UDFsBasic,
)
from dbt.tests.util import run_dbt, write_file

LAZY = "{{ config(materialized='lazy_view') }}"


class TestUDFsBasic(UDFsBasic):
    pass


class TestDeterministicUDF(DeterministicUDF):
    def check_function_volatility(self, sql):
        assert "DETERMINISTIC" in sql
        assert "NOT DETERMINISTIC" not in sql


class TestStableUDF(StableUDF):
    """Spark has no word for it; dbt warns."""

    def check_function_volatility(self, sql):
        assert "STABLE" not in sql
        assert "DETERMINISTIC" not in sql


class TestNonDeterministicUDF(NonDeterministicUDF):
    def check_function_volatility(self, sql):
        assert "NOT DETERMINISTIC" in sql


class TestErrorForUnsupportedType(ErrorForUnsupportedType):
    pass


class TestPythonUDFNotSupported(PythonUDFNotSupported):
    pass


class TestPythonUDFRuntimeVersionRequired(PythonUDFRuntimeVersionRequired):
    pass


class TestPythonUDFEntryPointRequired(PythonUDFEntryPointRequired):
    pass


class TestSqlUDFDefaultArgSupport(SqlUDFDefaultArgSupport):
    expect_default_arg_support = True


class TestLazyViewOverFunction(UDFsBasic):
    """A lazy view calls the function, and is maintained from changes."""

    @pytest.fixture(scope="class")
    def seeds(self):
        return {"prices.csv": "id,price\n1,10.0\n2,20.0\n"}

    @pytest.fixture(scope="class")
    def models(self):
        sql = "select id, {{ function('price_for_xlarge') }}(price) as price from {{ ref('prices') }}"
        return {"xlarge.sql": f"{LAZY} {sql}"}

    def rows(self, project):
        rows = project.run_sql("select id, price from {schema}.xlarge order by id", fetch="all")
        return [tuple(row) for row in rows]

    def test_udfs(self, project):
        run_dbt(["build"])
        project.run_sql("insert into {schema}.prices values (3, 30.0)")
        _, result = run_dbt(["build", "--exclude", "prices"])  # creates the function again, the same
        assert "incremental: 1 change" in result.message
        assert self.rows(project) == [(1, 20.0), (2, 40.0), (3, 60.0)]

        write_file("select price * 3", "functions", "price_for_xlarge.sql")
        _, result = run_dbt(["build", "--exclude", "prices"])
        assert "definition_changed" in result.message
        assert self.rows(project) == [(1, 30.0), (2, 60.0), (3, 90.0)]
