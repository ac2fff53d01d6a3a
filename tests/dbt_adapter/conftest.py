"""dbt's own tests of an adapter, on the same embedded Spark as the functional tests."""

import re

import pytest
from dbt.contracts.graph import nodes
from sqlglot import transpile

from tests.functional.conftest import *  # noqa: F403

collect_ignore = [] if hasattr(nodes, "FunctionNode") else ["test_functions.py"]  # since dbt-core 1.11

# What the suites themselves send to the database is PostgreSQL's SQL, several statements at once.
POSTGRES = re.compile(r'"\w+"|;\s*\S|\btext\b|without time zone|::|\bserial\b|interval \'', re.IGNORECASE)


@pytest.fixture(scope="class", autouse=True)
def postgres_sql(project):
    """Tests may speak PostgreSQL's SQL to Spark."""
    run_one = project.run_sql

    def run_sql(sql, fetch=None):
        result = None
        unnamed = sql.replace("{database}.", "").replace(f"{project.database}.", "")
        for statement in spark_statements(unnamed.replace("{schema}", project.test_schema)):
            result = run_one(statement, fetch=fetch)
        return result

    project.run_sql = run_sql


def spark_statements(sql):
    """
    Statements as Spark reads them, one by one.

    Example:
        >>> spark_statements('create table t (a TEXT); select "a" from t')
        ['CREATE TABLE t (a STRING)', 'SELECT `a` FROM t']
    """
    if "`" in sql or not POSTGRES.search(sql):
        return [sql]
    return [each for each in transpile(sql, read="postgres", write="spark") if each]
