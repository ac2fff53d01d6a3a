"""dbt's own tests of an adapter: empty."""

import pytest
from dbt.tests.adapter.empty import _models
from dbt.tests.adapter.empty.test_empty import BaseTestEmpty, BaseTestEmptyInlineSourceRef, MetadataWithEmptyFlag


class TestEmpty(BaseTestEmpty):
    pass


class TestEmptyInlineSourceRef(BaseTestEmptyInlineSourceRef):
    pass


class TestMetadataWithEmptyFlag(MetadataWithEmptyFlag):
    """Spark's name of the type; dbt-spark drops no columns."""

    @pytest.fixture(scope="class")
    def models(self):
        models = MetadataWithEmptyFlag.models.__wrapped__(self)
        dropped = "{% do alter_relation_add_remove_columns(my_seed, none, [my_column]) %}"
        changed = _models.ALTER_RELATION_ADD_REMOVE_COLUMNS.replace("varchar", "string").replace(dropped, "")
        return {
            **models,
            "alter_column_type.sql": _models.ALTER_COLUMN_TYPE.replace("varchar", "string"),
            "alter_relation_add_remove_columns.sql": changed,
        }
