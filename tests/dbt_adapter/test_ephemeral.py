"""dbt's own tests of an adapter: ephemeral."""

import re
from pathlib import Path

from dbt.tests.adapter.ephemeral.test_ephemeral import (
    BaseEphemeralErrorHandling,
    BaseEphemeralMulti,
    BaseEphemeralNested,
)
from dbt.tests.util import check_relations_equal, run_dbt

DOUBLE = """
create or replace view `test_test_ephemeral`.`double_dependent` as
with __dbt__cte__base as (select * from test_test_ephemeral.seed),
__dbt__cte__base_copy as (select * from __dbt__cte__base)
-- base_copy just pulls from base. Make sure the listed
-- graph of CTEs all share the same dbt_cte__base cte
select * from __dbt__cte__base where gender = 'Male'
union all
select * from __dbt__cte__base_copy where gender = 'Female'
"""
NESTED = """
create or replace view `test_test_ephemeral`.`root_view` as
with __dbt__cte__ephemeral_level_two as (select * from `test_test_ephemeral`.`source_table`),
__dbt__cte__ephemeral as (select * from __dbt__cte__ephemeral_level_two)
select * from __dbt__cte__ephemeral
"""


def written(model):
    """The statement that was run, without the number of the schema and white space."""
    return re.sub(r"\d+|\s", "", Path("target/run/test/models", f"{model}.sql").read_text())


class TestEphemeralMulti(BaseEphemeralMulti):
    """The test ends with the text of PostgreSQL's statement; this is Spark's."""

    def test_ephemeral_multi(self, project):
        run_dbt(["seed"])
        assert len(run_dbt(["run"])) == 3
        for model in ("dependent", "double_dependent", "super_dependent"):
            check_relations_equal(project.adapter, ["seed", model])
        assert written("double_dependent") == re.sub(r"\s", "", DOUBLE)


class TestEphemeralNested(BaseEphemeralNested):
    def test_ephemeral_nested(self, project):
        assert len(run_dbt(["run"])) == 2
        assert written("root_view") == re.sub(r"\s", "", NESTED)


class TestEphemeralErrorHandling(BaseEphemeralErrorHandling):
    pass
