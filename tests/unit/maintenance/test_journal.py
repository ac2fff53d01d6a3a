"""A row of the journal for every refresh that wrote something."""

from sqlglot import parse_one

from dbt_lazyview.maintenance.journal import Entry, entries_of
from dbt_lazyview.maintenance.outcome import Outcome
from dbt_lazyview.maintenance.record import Position, Record, Settings
from tests.macro_rendering import MacroRenderer

CUT = {"`t`": Position(7, 1794807211000, "id")}
RECORD = Record(5, "token", "full", 3, CUT, CUT, Settings("UTC", "false"), "f", trigger="demand", started=1794807220000)
DONE = Outcome("`c`.`shop`.`o'hara`", "full", "history_gone", None, 5, seconds=1.5, policy="deferred", record=RECORD)
NOTHING_WRITTEN = Outcome("`c`.`shop`.`v`", "noop")


def test_what_wrote_nothing_is_left_out():
    child = Outcome("`c`.`shop`.`child`", "incremental", parents=(DONE, NOTHING_WRITTEN), record=RECORD)
    assert [entry.outcome.view for entry in entries_of(child)] == ["`c`.`shop`.`o'hara`", "`c`.`shop`.`child`"]
    assert list(entries_of(NOTHING_WRITTEN)) == []


def test_a_row_as_sql():
    text = MacroRenderer().render("write_journal", journal="`shop`.`j`", entries=[Entry(DONE), Entry(DONE)])
    rows = parse_one(text, dialect="spark").expression.expressions
    assert [len(row.expressions) for row in rows] == [13, 13]
    assert [each.sql("spark") for each in rows[0].expressions] == [
        "'shop.o\\'hara'", "'deferred'", "''", "'full'", "'history_gone'", "'demand'", "NULL", "NULL", "5",
        "TIMESTAMP_MILLIS(1794807221500)", "1.5", "TIMESTAMP_MILLIS(1794807211000)", "0",
    ]  # fmt: skip
