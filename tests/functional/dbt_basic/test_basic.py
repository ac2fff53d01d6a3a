"""dbt's own tests of an adapter, the basic family. Nothing is configured: what passes here works out of the box."""

import getpass

import pytest
from dbt.tests.adapter.basic.expected_catalog import base_expected_catalog, expected_references_catalog, no_stats
from dbt.tests.adapter.basic.test_adapter_methods import BaseAdapterMethod
from dbt.tests.adapter.basic.test_base import BaseSimpleMaterializations
from dbt.tests.adapter.basic.test_docs_generate import BaseDocsGenerate, BaseDocsGenReferences
from dbt.tests.adapter.basic.test_empty import BaseEmpty
from dbt.tests.adapter.basic.test_ephemeral import BaseEphemeral
from dbt.tests.adapter.basic.test_generic_tests import BaseGenericTests
from dbt.tests.adapter.basic.test_get_catalog_for_single_relation import BaseGetCatalogForSingleRelation
from dbt.tests.adapter.basic.test_incremental import (
    BaseIncremental,
    BaseIncrementalBadStrategy,
    BaseIncrementalNotSchemaChange,
)
from dbt.tests.adapter.basic.test_singular_tests import BaseSingularTests
from dbt.tests.adapter.basic.test_singular_tests_ephemeral import BaseSingularTestsEphemeral
from dbt.tests.adapter.basic.test_snapshot_check_cols import BaseSnapshotCheckCols
from dbt.tests.adapter.basic.test_snapshot_timestamp import BaseSnapshotTimestamp
from dbt.tests.adapter.basic.test_table_materialization import BaseTableMaterialization
from dbt.tests.adapter.basic.test_validate_connection import BaseValidateConnection
from dbt.tests.util import AnyInteger, run_dbt
from dbt_common.contracts.metadata import CatalogTable, ColumnMetadata, StatsItem, TableMetadata

SPARK_CATALOG = {
    "role": getpass.getuser(),
    "id_type": "bigint",
    "text_type": "string",
    "time_type": "timestamp",
    "view_type": "view",
    "table_type": "table",
    "model_stats": no_stats(),
}


class TestSimpleMaterializations(BaseSimpleMaterializations):
    pass


class TestTableMaterialization(BaseTableMaterialization):
    pass


class TestSingularTests(BaseSingularTests):
    pass


class TestSingularTestsEphemeral(BaseSingularTestsEphemeral):
    pass


class TestEmpty(BaseEmpty):
    pass


class TestEphemeral(BaseEphemeral):
    pass


class TestIncremental(BaseIncremental):
    pass


class TestIncrementalNotSchemaChange(BaseIncrementalNotSchemaChange):
    pass


class TestIncrementalBadStrategy(BaseIncrementalBadStrategy):
    def test_incremental_invalid_strategy(self, project):
        """dbt-spark checks the strategy itself, before dbt looks for a macro of that name."""
        run_dbt(["seed"])
        (result,) = run_dbt(["run", "--select", "incremental"], expect_pass=False)
        assert "Invalid incremental strategy provided: bad_strategy" in result.message


class TestGenericTests(BaseGenericTests):
    pass


class TestSnapshotCheckCols(BaseSnapshotCheckCols):
    pass


class TestSnapshotTimestamp(BaseSnapshotTimestamp):
    pass


class TestAdapterMethod(BaseAdapterMethod):
    pass


class TestDocsGenerate(BaseDocsGenerate):
    @pytest.fixture(scope="class")
    def expected_catalog(self, project):
        return base_expected_catalog(project, **SPARK_CATALOG)


class TestDocsGenReferences(BaseDocsGenReferences):
    @pytest.fixture(scope="class")
    def expected_catalog(self, project):
        catalog = expected_references_catalog(project, bigint_type="bigint", **SPARK_CATALOG)
        for table in (*catalog["nodes"].values(), *catalog["sources"].values()):
            for column in table["columns"].values():
                column["index"] = AnyInteger()  # dbt-spark counts from 0
        return catalog


class TestGetCatalogForSingleRelation(BaseGetCatalogForSingleRelation):
    @pytest.fixture(scope="class")
    def expected_catalog_my_seed(self, project):
        return self.entry(project, "my_seed", "table")

    @pytest.fixture(scope="class")
    def expected_catalog_my_view_model(self, project):
        return self.entry(project, "my_view_model", "view")

    def entry(self, project, name, kind):
        types = dict.fromkeys(("id", "first_name", "email", "ip_address", "updated_at"), "string")
        types |= {"id": "bigint", "updated_at": "timestamp"}
        stats = StatsItem("has_stats", "Has Stats?", False, False, "Whether there are statistics of this table")
        return CatalogTable(
            metadata=TableMetadata(kind, project.test_schema, name, owner=getpass.getuser()),
            columns={each: ColumnMetadata(types[each], index, each) for index, each in enumerate(types)},
            stats={"has_stats": stats},
        )


class TestValidateConnection(BaseValidateConnection):
    pass
