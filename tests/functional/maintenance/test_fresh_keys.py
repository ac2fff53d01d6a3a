"""Orders and their lines that come under new keys are joined with each other alone, whatever happened before."""

import pytest

from dbt_lazyview.maintenance import bounds

SQL = "select customer, count(*) as n, sum(amount) as total from orders join lines on id = order_id group by customer"


@pytest.fixture
def sales(lake):
    lake.run(
        "create table orders (id bigint, customer int) using delta",
        "create table lines (order_id int, amount decimal(10,2)) using delta",
        "insert into orders values (1, 1), (2, 1), (3, 2), (null, 9)",
        "insert into lines values (1, 5), (1, 6), (2, 7), (null, 8)",
    )
    lake.refresh("sales", SQL)
    return lake


def _reads(lake) -> set[str]:
    """Which tables a refresh reads beside their changes; the view equals its query then."""
    engine = lake.engine()
    assert lake.refresh("sales", SQL, engine).kind == "incremental"
    assert lake.differences("sales", SQL) == []
    (statement,) = [each for each in engine.ran if each.startswith(("merge", "insert"))]
    return {table for table in ("orders", "lines") if f"`{table}` version as of" in statement}


def _come(lake, orders: str, lines: str) -> set[str]:
    lake.run(f"insert into orders values {orders}", f"insert into lines values {lines}")
    return _reads(lake)


def test_neither_table_is_read(sales):
    assert _come(sales, "(4, 1), (5, null)", "(4, 1), (4, 1), (5, 3)") == {"orders", "lines"}, "nothing was known yet"
    assert _come(sales, "(6, 1), (6, 2)", "(6, 9), (7, 2)") == set()
    sales.run("alter table lines set tblproperties ('a' = 'b')", "optimize orders")
    assert _come(sales, "(8, 3)", "(8, 1)") == set(), "versions without changes carry on what is known"
    assert sales.refresh("sales", SQL, full=True).kind == "full"
    assert _come(sales, "(9, 3)", "(9, 1)") == set(), "and so does a full refresh"


def test_what_is_not_fresh_meets_what_was_there(sales):
    _come(sales, "(4, 1)", "(4, 1)")
    assert _come(sales, "(8, 2)", "(1, 4)") == {"orders"}, "a late line of an old order"
    assert _come(sales, "(9, 2)", "(9, 4), (8, 1)") == {"orders"}, "and one of the order that had none yet"
    sales.run("update lines set order_id = 100 where order_id = 2", "update orders set id = 60 where id = 3")
    assert _reads(sales) == {"orders", "lines"}
    assert _come(sales, "(100, 7)", "(60, 2)") == {"orders", "lines"}, "others were given greater keys"
    assert _come(sales, "(101, 7)", "(101, 2)") == set()
    sales.run("delete from lines where order_id = 101")
    assert _come(sales, "(102, 7)", "(102, 2)") == {"orders"}, "lines went, of orders that are still there"


@pytest.mark.long
def test_rows_that_return_are_met(sales):
    sales.run("insert into lines values (50, 1)", "delete from lines where order_id = 50")
    deleted = sales.history("lines")[0]["version"]
    assert _come(sales, "(4, 1)", "(4, 1)") == {"orders", "lines"}, "nothing was known yet, and 50 is gone"
    assert _come(sales, "(6, 1)", "(6, 1)") == set()
    sales.run(f"restore table lines to version as of {deleted - 1}")
    _reads(sales)
    assert _come(sales, "(50, 4)", "(51, 1)") == {"lines"}, "its lines are back"


def test_columns_that_changed_their_names(sales, monkeypatch):
    """Statistics call a column by the name that it had first, which may be that of another one now."""
    monkeypatch.setattr(bounds, "BOUNDED_BYTES", 0)
    sales.run(
        "alter table orders set tblproperties ('delta.columnMapping.mode' = 'name')",
        "alter table orders rename column customer to former",
        "alter table orders rename column id to customer",
        "alter table orders rename column former to id",
    )
    assert sales.refresh("sales", SQL).kind == "full"
    assert sales.differences("sales", SQL) == []
    for number in range(2):
        sales.run(
            f"insert into orders (id, customer) values ({number + 10}, -{number}), (1, -1)",
            f"insert into lines values ({number + 10}, 3), (1, 2)",
        )
        sales.refresh("sales", SQL)
        assert sales.differences("sales", SQL) == [], number
