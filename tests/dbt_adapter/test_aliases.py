"""dbt's own tests of an adapter: aliases."""

import pytest
from dbt.tests.adapter.aliases import fixtures
from dbt.tests.adapter.aliases.test_aliases import (
    BaseAliasErrors,
    BaseAliases,
    BaseSameAliasDifferentDatabases,
    BaseSameAliasDifferentSchemas,
)

MACROS = {
    "cast.sql": fixtures.MACROS__CAST_SQL.replace("'{{ s }}'::text", "'{{ s }}'"),
    "expect_value.sql": fixtures.MACROS__EXPECT_VALUE_SQL,
}


class SparkLiterals:
    @pytest.fixture(scope="class")
    def macros(self):
        return MACROS


class TestAliases(SparkLiterals, BaseAliases):
    pass


class TestLazyViewAliases(SparkLiterals, BaseAliases):
    @pytest.fixture(scope="class")
    def models(self):
        lazy = fixtures.MODELS__FOO_ALIAS_SQL.replace("materialized='table'", "materialized='lazy_view'")
        return {
            "schema.yml": fixtures.MODELS__SCHEMA_YML,
            "foo_alias.sql": lazy,
            "alias_in_project.sql": "{{ config(materialized='lazy_view') }}" + fixtures.MODELS__ALIAS_IN_PROJECT_SQL,
            "alias_in_project_with_override.sql": fixtures.MODELS__ALIAS_IN_PROJECT_WITH_OVERRIDE_SQL,
            "ref_foo_alias.sql": fixtures.MODELS__REF_FOO_ALIAS_SQL,
        }


class TestAliasErrors(SparkLiterals, BaseAliasErrors):
    pass


class TestSameAliasDifferentSchemas(SparkLiterals, BaseSameAliasDifferentSchemas):
    pass


class TestSameAliasDifferentDatabases(SparkLiterals, BaseSameAliasDifferentDatabases):
    pass
