"""dbt's own tests of an adapter: caching."""

from dbt.tests.adapter.caching.test_caching import (
    BaseCachingLowercaseModel,
    BaseCachingSelectedSchemaOnly,
    BaseCachingUppercaseModel,
    BaseNoPopulateCache,
)
from dbt.tests.util import run_dbt


class WithoutDatabase:
    """The test compares names of databases too, and Spark's relations have none."""

    def run_and_inspect_cache(self, project, run_args=None):
        found = []
        for _ in range(2):
            run_dbt(run_args)
            (relation,) = project.adapter.cache.relations
            found.append((relation.schema.lower(), relation.identifier.lower()))
        assert found[0] == found[1]
        assert found[0][0] == project.test_schema


class TestCachingLowercaseModel(WithoutDatabase, BaseCachingLowercaseModel):
    pass


class TestCachingUppercaseModel(WithoutDatabase, BaseCachingUppercaseModel):
    pass


class TestCachingSelectedSchemaOnly(WithoutDatabase, BaseCachingSelectedSchemaOnly):
    pass


class TestNoPopulateCache(WithoutDatabase, BaseNoPopulateCache):
    pass
