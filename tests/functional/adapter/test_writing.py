"""What is handed to Delta's writer directly comes out as the statement itself would have it."""

from uuid import uuid4

import pytest
from pyspark.sql import functions

from dbt_lazyview.adapter import pinned, writing
from dbt_lazyview.adapter.contents import contents
from dbt_lazyview.adapter.logs import Logs, active
from dbt_lazyview.adapter.transaction import Transaction
from dbt_lazyview.names import SETTING_TRANSACTION_APP, SETTING_TRANSACTION_VERSION
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


@pytest.fixture(params=["checksum", "log"])
def told_by(request, monkeypatch):
    """Where it is read what a table consists of."""
    if request.param == "log":
        _by_the_log(monkeypatch)
    return request.param


def _by_the_log(monkeypatch):
    for each in (writing, pinned):
        monkeypatch.setattr(each, "contents", lambda *_: None)


def _overwrite(session, columns, rows, table="spark_catalog.writing.it"):
    statement = f"/* of somebody */\ninsert overwrite {table} ({columns})\nwith r as ({rows}) select * from r"
    session.conf.set(METADATA, "noted")
    try:
        writing.run_for_effect(Logs(session), statement)
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
def test_overwrites_with_the_rows_and_the_record(session, handed_over, told_by, columns, rows, expected, is_alike):
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
    writing.run_for_effect(Logs(session), "insert overwrite parts partition (p = 1) select 9")
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


ALL_COLUMNS = "id, `a-b`, n"
ONE_ROW = "select 7, 'y', cast(1 as decimal(10,2))"
TABLE = ("spark_catalog", "writing", "it")


def _known(session):
    return contents(*Logs(session).look(TABLE))


def _jobs(session, work):
    scheduler = session.sparkContext._jsc.sc().dagScheduler()
    first = scheduler.numTotalJobs()
    work()
    return scheduler.numTotalJobs() - first


def test_an_overwrite_with_what_is_stored(session, told_by):
    statement = _with_what_is_stored(session)
    jobs = _jobs(session, lambda: writing.run_for_effect(Logs(session), statement))
    assert (jobs == 1) is (told_by == "checksum")
    assert bag(session, "select id from it") == bag(session, "values (1), (2), (7)")
    assert session.sql("show views like 'lazyview_*'").collect() == []


def test_an_older_version_is_read_as_it_was(session):
    statement = _with_what_is_stored(session)
    session.sql("delete from it where id = 1")
    writing.run_for_effect(Logs(session), statement)
    assert bag(session, "select id from it") == bag(session, "values (1), (2), (7)")


def _with_what_is_stored(session):
    version = session.sql("describe history it limit 1").collect()[0]["version"]
    stored = f"select * from `spark_catalog`.`writing`.`it` version as of {version}"
    return f"insert overwrite `spark_catalog`.`writing`.`it` ({ALL_COLUMNS}) {stored} union all {ONE_ROW}"


def test_the_history_and_the_feed_are_those_of_the_statement(session, monkeypatch):
    session.sql("alter table it set tblproperties (delta.enableChangeDataFeed = true)")
    session.sql("create or replace table as_stated shallow clone it")
    own = _overwrite(session, ALL_COLUMNS, ONE_ROW)
    _by_the_log(monkeypatch)
    stated = _overwrite(session, ALL_COLUMNS, ONE_ROW, "spark_catalog.writing.as_stated")
    for key in ("operation", "userMetadata", "isolationLevel", "isBlindAppend"):
        assert own[key] == stated[key]
    assert own["operationMetrics"]["numOutputRows"] == stated["operationMetrics"]["numOutputRows"] == "1"
    feed = "select id, `a-b`, n, _change_type from table_changes('{}', {}, {})"
    assert bag(session, feed.format("it", own["version"], own["version"])) == bag(
        session, feed.format("as_stated", stated["version"], stated["version"])
    )


def test_a_transaction_is_committed_once(session, told_by):
    session.conf.set(SETTING_TRANSACTION_APP, uuid4().hex)  # the table remembers those of other tests
    for number, row in (("5", ONE_ROW), ("5", "select 8, 'y', cast(1 as decimal(10,2))"), ("4", "select 9, 'y', null")):
        session.conf.set(SETTING_TRANSACTION_VERSION, number)
        _overwrite(session, ALL_COLUMNS, row)
    assert bag(session, "select id from it") == bag(session, "values (7)")
    session.conf.set(SETTING_TRANSACTION_VERSION, "6")
    _overwrite(session, ALL_COLUMNS, "select 10, 'y', cast(1 as decimal(10,2))")
    assert bag(session, "select id from it") == bag(session, "values (10)")


WAYS = {
    "overwrite": lambda known, rows: Transaction(rows.sparkSession, known).overwrite(rows),
    "append": lambda known, rows: Transaction(rows.sparkSession, known).append(rows),
    "rewrite": lambda known, rows: Transaction(rows.sparkSession, known).rewrite(
        known.files, rows.withColumn("_change_type", functions.lit("insert"))
    ),
}


@pytest.mark.parametrize(
    "other",
    [
        "insert into it values (3, 'z', 1)",
        "delete from it where id = 1",
        "insert overwrite it values (3, 'z', 1)",
        "alter table it add column more int",
    ],
)
@pytest.mark.parametrize("kind", WAYS)
def test_whoever_commits_meanwhile_is_not_overwritten(session, other, kind):
    known = _known(session)
    session.newSession().sql(other.replace(" it ", " writing.it "))
    rows = session.sql(ONE_ROW).toDF("id", "a-b", "n")
    with active(session), pytest.raises(Exception, match=r"DELTA_CONCURRENT_|DELTA_METADATA_CHANGED"):
        WAYS[kind](known, rows)
    assert session.sql("select * from it where id = 7").count() == 0


def test_what_others_refreshed_meanwhile_is_a_race(session):
    session.conf.set(SETTING_TRANSACTION_APP, uuid4().hex)  # the table remembers those of other tests
    session.conf.set(SETTING_TRANSACTION_VERSION, "5")
    known = _known(session)
    _overwrite(session, ALL_COLUMNS, ONE_ROW)
    session.conf.set(SETTING_TRANSACTION_VERSION, "6")
    with active(session), pytest.raises(Exception, match="DELTA_CONCURRENT_"):
        Transaction(session, known).overwrite(session.sql(ONE_ROW).toDF("id", "a-b", "n"))


def test_deletion_vectors_are_left_to_delta(session):
    session.sql("alter table it set tblproperties (delta.enableDeletionVectors = true)")
    session.sql("insert into it select id, 'w', 1 from range(100, 200)")
    session.sql("delete from it where id = 150")
    assert _known(session) is None
    _overwrite(session, ALL_COLUMNS, "select * from it where id > 148 and id < 152")
    assert bag(session, "select id from it") == bag(session, "values (149), (151)")
