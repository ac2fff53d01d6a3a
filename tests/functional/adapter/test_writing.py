"""What is handed to Delta's writer directly comes out as the statement itself would have it."""

import pytest

from dbt_lazyview.adapter import writing
from tests.functional.bags import bag

METADATA = "spark.databricks.delta.commitInfo.userMetadata"
pytestmark = pytest.mark.in_process


@pytest.fixture
def session(spark):
    spark.sql("create schema if not exists writing")
    session = spark.newSession()
    session.sql("use writing")
    session.sql("create or replace table it (id int, `a-b` string, n decimal(10,2)) using delta")
    session.sql("insert into it values (1, 'x', 1.5), (2, null, null)")
    return session


@pytest.fixture
def handed_over(monkeypatch):
    """Whether the rows of each statement were handed to the writer."""
    found, right = [], writing._overwritten
    monkeypatch.setattr(writing, "_overwritten", lambda *given: found.append(right(*given)) or found[-1])
    return found


def _overwrite(session, columns, rows, table="spark_catalog.writing.it"):
    statement = f"/* of somebody */\ninsert overwrite {table} ({columns})\nwith r as ({rows}) select * from r"
    session.conf.set(METADATA, "noted")
    try:
        writing.run_for_effect(session, statement)
    finally:
        session.conf.unset(METADATA)
    return session.sql(f"describe history {table} limit 1").collect()[0]


@pytest.mark.parametrize(
    ("columns", "rows", "expected", "is_alike"),
    [
        ("n, `a-b`, id", "select cast(7 as decimal(10,2)), 'y', 3", (3, "y", 7), True),  # in another order
        ("id, `a-b`, n", "select * from it where id = 1", (1, "x", 1.5), True),  # from the table itself
        ("id, `a-b`, n", "select 3L, 5, 7", (3, "5", 7), False),  # other types: left to the statement
    ],
)
def test_overwrites_with_the_rows_and_the_record(session, handed_over, columns, rows, expected, is_alike):
    commit = _overwrite(session, columns, rows)
    assert handed_over == [is_alike]
    assert (commit["operation"], commit["operationParameters"]["mode"]) == ("WRITE", "Overwrite")
    assert commit["userMetadata"] == "noted"
    assert bag(session, "select * from it") == bag(
        session, f"select {expected[0]}, '{expected[1]}', cast({expected[2]} as decimal(10,2))"
    )


def test_columns_of_rows_are_left_to_the_statement(session, handed_over):
    session.sql("create or replace table nested (id int, s struct<a: int>) using delta")
    _overwrite(session, "s, id", "select struct(1), 2", "spark_catalog.writing.nested")
    assert handed_over == [False]
    assert bag(session, "select id, s.a from nested") == bag(session, "select 2, 1")


def test_one_partition_is_left_to_the_statement(session, handed_over):
    session.sql("create or replace table parts (id int, p int) using delta partitioned by (p)")
    session.sql("insert into parts values (1, 1), (2, 2)")
    writing.run_for_effect(session, "insert overwrite parts partition (p = 1) select 9")
    assert handed_over == [False]
    assert bag(session, "select * from parts") == bag(session, "values (9, 1), (2, 2)")


def test_settings_are_those_of_the_session(session, handed_over):
    other = session.newSession()
    for setting, is_strict in ((other, "true"), (session, "false")):
        setting.conf.set("spark.sql.ansi.enabled", is_strict)
    rows = "select cast('no number' as int), 'y', cast(null as decimal(10,2))"
    with pytest.raises(Exception, match="CAST_INVALID_INPUT"):
        _overwrite(other, "id, `a-b`, n", rows)
    _overwrite(session, "id, `a-b`, n", rows)
    assert handed_over == [True]
    assert bag(session, "select * from writing.it") == bag(session, "select null, 'y', null")


def test_a_constraint_holds(session, handed_over):
    session.sql("alter table it add constraint small check (id < 10)")
    with pytest.raises(Exception, match="DELTA_VIOLATE_CONSTRAINT"):
        _overwrite(session, "id, `a-b`, n", "select 11, 'y', cast(1 as decimal(10,2))")
    assert session.table("it").count() == 2
