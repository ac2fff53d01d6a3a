"""dbt's own tests of an adapter: simple_seed."""

import shutil
from pathlib import Path

import pytest
from dbt.tests.adapter.simple_seed import fixtures, seeds
from dbt.tests.adapter.simple_seed.test_seed import (
    BaseBasicSeedTests,
    BaseSeedConfigFullRefreshOff,
    BaseSeedConfigFullRefreshOn,
    BaseSeedCustomSchema,
    BaseSeedParsing,
    BaseSeedSpecificFormats,
    BaseSeedWithEmptyDelimiter,
    BaseSeedWithUniqueDelimiter,
    BaseSeedWithWrongDelimiter,
    BaseSimpleSeedEnabledViaConfig,
    BaseSimpleSeedWithBOM,
    BaseTestEmptySeed,
)
from dbt.tests.adapter.simple_seed.test_seed_type_override import BaseSimpleSeedColumnOverride

TYPES = {"text": "string", "integer": "bigint", "timestamp without time zone": "timestamp"}


class WithoutCascade:
    """PostgreSQL drops the views over a table with it, and the test looks for that; Spark keeps them."""

    def _check_relation_end_state(self, run_result, project, exists):
        super()._check_relation_end_state(run_result, project, exists=True)


class TestBasicSeedTests(WithoutCascade, BaseBasicSeedTests):
    pass


class TestSeedConfigFullRefreshOn(WithoutCascade, BaseSeedConfigFullRefreshOn):
    pass


class TestSeedConfigFullRefreshOff(BaseSeedConfigFullRefreshOff):
    pass


class TestSeedCustomSchema(BaseSeedCustomSchema):
    pass


class TestSeedWithUniqueDelimiter(BaseSeedWithUniqueDelimiter):
    pass


class TestSeedWithWrongDelimiter(BaseSeedWithWrongDelimiter):
    pass


class TestSeedWithEmptyDelimiter(BaseSeedWithEmptyDelimiter):
    pass


class TestSimpleSeedEnabledViaConfig(BaseSimpleSeedEnabledViaConfig):
    pass


class TestSeedParsing(BaseSeedParsing):
    pass


class TestTestEmptySeed(BaseTestEmptySeed):
    pass


class TestSimpleSeedWithBOM(BaseSimpleSeedWithBOM):
    @pytest.fixture(scope="class", autouse=True)
    def setUp(self, project):
        project.run_sql(seeds.seeds__expected_sql)
        shutil.copy(Path(seeds.__file__).with_name("seed_bom.csv"), Path(project.project_root, "seeds"))


class TestSeedSpecificFormats(BaseSeedSpecificFormats):
    """A name of Spark's has no dots, that of a file may."""

    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"seeds": {"quote_columns": False, "test": {"seed.with.dots": {"alias": "seed_with_dots"}}}}

    @pytest.fixture(scope="class")
    def test_data_dir(self, tmp_path_factory):
        return tmp_path_factory.mktemp("big_seed") / "data"


class TestSimpleSeedColumnOverride(BaseSimpleSeedColumnOverride):
    @pytest.fixture(scope="class")
    def models(self):
        schema = fixtures.properties__schema_yml
        for postgres, spark in TYPES.items():
            schema = schema.replace(f"type: {postgres}\n", f"type: {spark}\n")
        return {"schema.yml": schema}

    @staticmethod
    def seed_enabled_types():
        return {"seed_id": "string", "birthday": "date"}

    @staticmethod
    def seed_tricky_types():
        return dict.fromkeys(("seed_id_str", "looks_like_a_bool", "looks_like_a_date"), "string")
