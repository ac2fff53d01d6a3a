"""dbt's own tests of an adapter: column_types."""

import pytest
from dbt.tests.adapter.column_types import fixtures
from dbt.tests.adapter.column_types.test_column_types import BasePostgresColumnTypes

TYPES = """
select
    cast(1 as smallint) as smallint_col, cast(2 as int) as int_col, cast(3 as bigint) as bigint_col,
    cast(4.0 as float) as real_col, cast(5.0 as double) as double_col, cast(6.0 as decimal(10, 2)) as numeric_col,
    cast('7' as string) as text_col, cast('8' as varchar(20)) as varchar_col
"""


class TestColumnTypes(BasePostgresColumnTypes):
    materialized = "table"

    @pytest.fixture(scope="class")
    def models(self):
        config = f"{{{{ config(materialized='{self.materialized}') }}}}"
        return {"model.sql": config + TYPES, "schema.yml": fixtures.schema_yml}


class TestColumnTypesOfLazyViews(TestColumnTypes):
    materialized = "lazy_view"
