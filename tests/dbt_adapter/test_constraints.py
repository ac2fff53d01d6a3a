"""dbt's own tests of an adapter: constraints. Spark's types, Delta's words; and the same with lazy views."""

import pytest
from dbt.tests.adapter.constraints import fixtures
from dbt.tests.adapter.constraints.test_constraints import (
    BaseConstraintsRollback,
)

CREATED = """
create or replace table <model_identifier>
using delta
as
select id, color, date_day from
( -- depends_on: <foreign_key_model_identifier>
    select 'blue' as color, 1 as id, '2019-01-01' as date_day
) as model_subq
"""


def spark_types(text):
    return text.replace("data_type: text", "data_type: string").replace("data_type: integer", "data_type: int")


def lazy(sql, materialized="table"):
    return sql.replace(f'materialized = "{materialized}"', 'materialized = "lazy_view"')


SCHEMA, FOREIGN_KEYS = spark_types(fixtures.model_schema_yml), spark_types(fixtures.model_fk_constraint_schema_yml)


class TestLazyViewConstraintsRollback(BaseConstraintsRollback):
    """The rows that were there before are still shown."""

    @pytest.fixture(scope="class")
    def models(self):
        return {"my_model.sql": lazy(fixtures.my_model_sql), "constraints_schema.yml": SCHEMA}

    @pytest.fixture(scope="class")
    def null_model_sql(self):
        return lazy(fixtures.my_model_with_nulls_sql)

    @pytest.fixture(scope="class")
    def expected_error_messages(self):
        return ["LV046", "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION"]
