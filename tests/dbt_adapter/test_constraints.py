"""dbt's own tests of an adapter: constraints. Spark's types, Delta's words; and the same with lazy views."""

import pytest
from dbt.tests.adapter.constraints import fixtures
from dbt.tests.adapter.constraints.test_constraints import (
    BaseConstraintQuotedColumn,
    BaseConstraintsRollback,
    BaseConstraintsRuntimeDdlEnforcement,
    BaseIncrementalConstraintsColumnsEqual,
    BaseIncrementalConstraintsRollback,
    BaseIncrementalConstraintsRuntimeDdlEnforcement,
    BaseIncrementalForeignKeyConstraint,
    BaseModelConstraintsRuntimeEnforcement,
    BaseTableConstraintsColumnsEqual,
    BaseViewConstraintsColumnsEqual,
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


class SparkTypes:
    @pytest.fixture
    def string_type(self):
        return "string"

    @pytest.fixture
    def int_type(self):
        return "int"

    @pytest.fixture
    def data_types(self):
        return [
            ["1", "int", "int"],
            ["'1'", "string", "string"],
            ["true", "boolean", "boolean"],
            ["cast('2019-01-01' as date)", "date", "date"],
            ["cast('2019-01-01' as timestamp)", "timestamp", "timestamp"],
            ["array('a', 'b', 'c')", "array<string>", "array"],
            ["array(1, 2, 3)", "array<int>", "array"],
            ["cast('1' as decimal(10, 2))", "decimal(10, 2)", "decimal"],
        ]


class TestTableConstraintsColumnsEqual(SparkTypes, BaseTableConstraintsColumnsEqual):
    @pytest.fixture(scope="class")
    def models(self):
        return {
            "my_model_wrong_order.sql": fixtures.my_model_wrong_order_sql,
            "my_model_wrong_name.sql": fixtures.my_model_wrong_name_sql,
            "constraints_schema.yml": SCHEMA,
        }


class TestViewConstraintsColumnsEqual(SparkTypes, BaseViewConstraintsColumnsEqual):
    @pytest.fixture(scope="class")
    def models(self):
        return {
            "my_model_wrong_order.sql": fixtures.my_model_view_wrong_order_sql,
            "my_model_wrong_name.sql": fixtures.my_model_view_wrong_name_sql,
            "constraints_schema.yml": SCHEMA,
        }


class TestIncrementalConstraintsColumnsEqual(SparkTypes, BaseIncrementalConstraintsColumnsEqual):
    @pytest.fixture(scope="class")
    def models(self):
        return {
            "my_model_wrong_order.sql": fixtures.my_model_incremental_wrong_order_sql,
            "my_model_wrong_name.sql": fixtures.my_model_incremental_wrong_name_sql,
            "constraints_schema.yml": SCHEMA,
        }


class TestLazyViewConstraintsColumnsEqual(SparkTypes, BaseTableConstraintsColumnsEqual):
    """All models of this project are lazy views, those that the test writes too."""

    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"models": {"+materialized": "lazy_view"}}

    @pytest.fixture(scope="class")
    def models(self):
        return {
            "my_model_wrong_order.sql": lazy(fixtures.my_model_wrong_order_sql),
            "my_model_wrong_name.sql": lazy(fixtures.my_model_wrong_name_sql),
            "constraints_schema.yml": SCHEMA,
        }


class TestTableConstraintsRuntimeDdlEnforcement(BaseConstraintsRuntimeDdlEnforcement):
    @pytest.fixture(scope="class")
    def models(self):
        return {
            "my_model.sql": fixtures.my_model_wrong_order_depends_on_fk_sql,
            "foreign_key_model.sql": fixtures.foreign_key_model_sql,
            "constraints_schema.yml": FOREIGN_KEYS,
        }

    @pytest.fixture(scope="class")
    def expected_sql(self):
        return CREATED


class TestIncrementalConstraintsRuntimeDdlEnforcement(BaseIncrementalConstraintsRuntimeDdlEnforcement):
    @pytest.fixture(scope="class")
    def models(self):
        return {
            "my_model.sql": fixtures.my_model_incremental_wrong_order_depends_on_fk_sql,
            "foreign_key_model.sql": fixtures.foreign_key_model_sql,
            "constraints_schema.yml": FOREIGN_KEYS,
        }

    @pytest.fixture(scope="class")
    def expected_sql(self):
        return CREATED


class TestModelConstraintsRuntimeEnforcement(BaseModelConstraintsRuntimeEnforcement):
    @pytest.fixture(scope="class")
    def models(self):
        return {
            "my_model.sql": fixtures.my_model_wrong_order_depends_on_fk_sql,
            "foreign_key_model.sql": fixtures.foreign_key_model_sql,
            "constraints_schema.yml": spark_types(fixtures.constrained_model_schema_yml),
        }

    @pytest.fixture(scope="class")
    def expected_sql(self):
        return CREATED


class TestConstraintQuotedColumn(BaseConstraintQuotedColumn):
    @pytest.fixture(scope="class")
    def models(self):
        return {
            "my_model.sql": fixtures.my_model_with_quoted_column_name_sql.replace('"from"', "`from`"),
            "constraints_schema.yml": spark_types(fixtures.model_quoted_column_schema_yml).replace('"from"', "`from`"),
        }

    @pytest.fixture(scope="class")
    def expected_sql(self):
        return """
create or replace table <model_identifier>
using delta
as
select id, `from`, date_day from ( select 'blue' as `from`, 1 as id, '2019-01-01' as date_day ) as model_subq
"""


class TestIncrementalForeignKeyConstraint(BaseIncrementalForeignKeyConstraint):
    """dbt-spark warns that it is not enforced."""

    @pytest.fixture(scope="class")
    def models(self):
        models = BaseIncrementalForeignKeyConstraint.models.__wrapped__(self)
        return {**models, "schema.yml": spark_types(fixtures.incremental_foreign_key_schema_yml)}


class DeltaRollback:
    """dbt-spark adds constraints to a table after replacing it, so the new rows stay; Delta's words for a violation."""

    @pytest.fixture(scope="class")
    def expected_color(self):
        return "red"

    @pytest.fixture(scope="class")
    def expected_error_messages(self):
        return ["DELTA_NEW_CHECK_CONSTRAINT_VIOLATION", "is not null"]


class TestTableConstraintsRollback(DeltaRollback, BaseConstraintsRollback):
    @pytest.fixture(scope="class")
    def models(self):
        return {"my_model.sql": fixtures.my_model_sql, "constraints_schema.yml": SCHEMA}


class TestIncrementalConstraintsRollback(DeltaRollback, BaseIncrementalConstraintsRollback):
    """The constraint is there already when rows are added."""

    @pytest.fixture(scope="class")
    def models(self):
        return {"my_model.sql": fixtures.my_incremental_model_sql, "constraints_schema.yml": SCHEMA}

    @pytest.fixture(scope="class")
    def expected_color(self):
        return "blue"

    @pytest.fixture(scope="class")
    def expected_error_messages(self):
        return ["DELTA_VIOLATE_CONSTRAINT_WITH_VALUES", "id_not_null"]


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
