"""A look at Delta's own log tells what DESCRIBE DETAIL tells, through all that may happen to a table."""

import pytest

from dbt_lazyview.adapter import delta_log
from dbt_lazyview.maintenance.tables import Tables
from tests.functional.maintenance.conftest import lake, spark  # noqa: F401


def details(lake, table):  # noqa: F811
    name = ("spark_catalog", lake.schema, table)
    quick, by_statement = lake.engine(), lake.engine(is_embedded=False)
    found = Tables(quick, "UTC").detail(name), Tables(by_statement, "UTC").detail(name)
    assert not any(sql.startswith("describe detail") for sql in quick.ran), "the shorter way was taken"
    return found


@pytest.mark.parametrize(
    "happens",
    [
        "insert into t values (2, 'b')",
        "delete from t where a = 1",
        "alter table t set tblproperties ('delta.enableChangeDataFeed' = 'false', 'x' = '`y')",
        "optimize t",
        "create or replace table t (a int, b string, c int) using delta",
    ],
)
def test_tells_what_the_statement_tells(lake, happens):  # noqa: F811
    lake.run("create table t (a int, b string) using delta", "insert into t values (1, 'a')", happens)
    quick, told = details(lake, "t")
    assert quick == told


def test_what_it_cannot_tell_is_left_to_the_statement(lake):  # noqa: F811
    lake.run("create table p (a int) using parquet", "create view v as select 1 as one")
    for table in ("p", "v", "missing"):
        assert delta_log.detail(lake.session, ("spark_catalog", lake.schema, table)) is None
    assert delta_log.detail(lake.session, ("elsewhere", lake.schema, "p")) is None
