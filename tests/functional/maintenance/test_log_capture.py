"""Sources that tell their own changes in a log: with and without a key, with and without a table beside it."""

import random
from collections import Counter

import pytest

from dbt_lazyview.compiler.reasons import ModelError, Reason
from dbt_lazyview.maintenance.errors import RefreshError
from dbt_lazyview.maintenance.logs import Log, log_of
from tests.functional.maintenance.lake import Killed, die

KINDS = ("bag", "keyed", "debezium")


class Logged:
    """A table of Parquet that somebody writes, in one transaction with its log; Debezium's has a log alone."""

    def __init__(self, lake, kind: str) -> None:
        self.lake, self.kind, self.transaction = lake, kind, 0
        self.rows: Counter = Counter()
        row = "struct<id int, k int, v string>"
        columns = {
            "bag": "operation string, txsn bigint, stmtsn int, id int, k int, v string",
            "keyed": "operation string, txsn bigint, stmtsn int, id int, k int, v string",
            "debezium": f"op string, before {row}, after {row}, source struct<lsn bigint, file string>",
        }
        lake.run(
            f"create table {self.log} ({columns[kind]}) using {'parquet' if kind == 'bag' else 'delta'}",
            f"create table {self.base} (id int, k int, v string) using parquet",
        )

    @property
    def log(self) -> str:
        return self.kind if self.kind == "debezium" else f"{self.kind}_log"

    @property
    def base(self) -> str:
        """What a query over the source gives: of Debezium's, there is no such table for the view."""
        return "debezium_now" if self.kind == "debezium" else self.kind

    @property
    def config(self) -> Log:
        told = {
            "bag": {"log": "bag_log", "sequence": ["txsn", "stmtsn"]},
            "keyed": {"log": "keyed_log", "sequence": ["txsn", "stmtsn"], "key": "id"},
            "debezium": {"format": "debezium", "sequence": "source.lsn", "key": ["id"]},
        }[self.kind]
        return log_of({"lazyview": {"capture": "log", **told}}, self.kind)

    def transact(self, old: Counter, new: Counter) -> None:
        """Take rows out and put rows in."""
        self.transaction += 1
        self.rows = self.rows - old + new
        self.write_log([*(("delete", row) for row in old.elements()), *(("insert", row) for row in new.elements())])
        self.write_base()

    def write_log(self, entries) -> None:
        values = [self._entry(number, *entry) for number, entry in enumerate(entries)]
        if values:
            self.lake.run(f"insert into {self.log} values {', '.join(values)}")

    def write_base(self) -> None:
        rows = ", ".join(_row(row) for row in self.rows.elements())
        write = f"insert overwrite {self.base} select * from values {rows}" if rows else f"truncate table {self.base}"
        self.lake.run(write, f"refresh table {self.base}")

    def _entry(self, number: int, operation: str, row) -> str:
        if self.kind != "debezium":
            return f"('{operation}', {self.transaction}, {number}, {_row(row)[1:-1]})"
        image = f"named_struct('id', {_text(row[0])}, 'k', {_text(row[1])}, 'v', {_text(row[2])})"
        where = f"named_struct('lsn', {self.transaction * 1000 + number}, 'file', 'wal')"
        if operation == "delete":
            return f"('d', {image}, null, {where})"
        return f"('c', null, {image}, {where})"

    def change(self, source: random.Random) -> None:
        """Some rows come, some go; where there is a key, it stays one."""
        old = Counter(source.sample(sorted(self.rows.elements(), key=str), min(2, self.rows.total())))
        ids = [row[0] for row in (self.rows - old)]
        fresh = [number for number in range(12) if number not in ids] if self.kind != "bag" else list(range(4))
        new = Counter((number, source.choice([1, 2, None]), source.choice(["a", "b"])) for number in fresh[:3])
        new += Counter(list(new)[:1]) if self.kind == "bag" else Counter()
        self.transact(old, new)


def _text(value) -> str:
    return "null" if value is None else repr(value)


def _row(row) -> str:
    id, k, v = row
    return f"({id}, {'cast(null as int)' if k is None else k}, {_text(v)})"


@pytest.fixture
def logged(lake):
    lake.run("create table facts (k int, n int) using delta", "insert into facts values (1, 5), (2, 7), (null, 1)")
    return {kind: Logged(lake, kind) for kind in KINDS}


def logs_of(lake, *tables: Logged) -> dict[str, Log]:
    return {f"`spark_catalog`.`{lake.schema}`.`{each.kind}`": each.config for each in tables}


JOINED = """
select b.v, count(*) as n, sum(f.n) as total, count(distinct c.v) as kinds
from bag b join {keyed} c on b.k = c.k left join facts f on f.k = b.k left join {debezium} d on d.id = b.id
group by b.v
"""
MISSING = "select b.id, b.k, b.v from bag b where not exists (select 1 from {debezium} d where d.k <=> b.k)"


@pytest.mark.long
def test_views_over_logs_equal_their_queries(lake, logged):
    source, logs = random.Random(3), logs_of(lake, *logged.values())
    views = {"joined": JOINED, "missing": MISSING}
    names = {kind: logged[kind].base for kind in KINDS}

    def refreshed() -> set[str]:
        configs = {"refresh_mode": "incremental", "logs": logs}
        plain = {kind: kind for kind in KINDS}
        return {lake.refresh(name, sql.format(**plain), **configs).kind for name, sql in views.items()}

    for table in logged.values():
        table.change(source)
    assert refreshed() == {"build"}
    for turn in range(3):
        for table in list(logged.values())[turn:]:
            table.change(source)
        if turn == 2:
            lake.run("update facts set n = n + 1 where k = 1")
        assert "incremental" in refreshed()
        for name, sql in views.items():
            assert lake.differences(name, sql.format(**names)) == [], (turn, name)
    assert refreshed() == {"noop"}
    logged["bag"].transact(logged["bag"].rows, Counter())
    refreshed()
    assert lake.run("select * from joined") == lake.run("select * from missing") == []


@pytest.mark.long
def test_each_entry_is_folded_in_once(lake, logged):
    bag, keyed = logged["bag"], logged["keyed"]
    sql, logs = "select b.id, b.v, c.k from bag b left join keyed c on c.id = b.id", logs_of(lake, bag, keyed)

    def refreshed(engine=None):
        return lake.refresh("v", sql, engine, refresh_mode="incremental", logs=logs).kind

    bag.transact(Counter(), Counter({(1, 1, "a"): 2, (2, 2, "b"): 1}))
    keyed.transact(Counter(), Counter([(1, 1, "x")]))
    refreshed()
    for statement in ("insert overwrite", "merge into"):
        bag.transact(Counter([(1, 1, "a")]), Counter([(3, 3, "c")]))
        keyed.transact(keyed.rows, Counter([(bag.transaction, 9, "y")]))
        dying = lake.engine()
        dying.after[statement] = die
        with pytest.raises(Killed):
            refreshed(dying)
        assert "__copy_" in dying.ran[-1], "after a copy, before the state"
        assert refreshed() == "incremental"
        assert lake.differences("v", sql) == []

    bag.transact(Counter(), Counter([(7, 7, "g"), (7, 7, "g")]))
    overtaken = lake.engine()
    overtaken.before["insert overwrite"] = refreshed
    refreshed(overtaken)
    assert lake.differences("v", sql) == [], "somebody else folded the same entries in first"

    lake.run(f"insert into keyed_log select * from keyed_log where txsn = {keyed.transaction}")
    refreshed()
    assert lake.differences("v", sql) == [], "delivered twice"

    lake.run("create view keyed_now as select id, v from keyed")
    logs = {f"`spark_catalog`.`{lake.schema}`.`keyed_now`": keyed.config}
    for kind in ("build", "incremental"):
        assert lake.refresh("w", "select v, count(*) as n from keyed_now group by v", logs=logs).kind == kind
        assert lake.differences("w", "select v, count(*) as n from keyed group by v") == [], "a view beside the log"
        keyed.transact(keyed.rows, Counter([(5, 5, "five"), (6, 6, "six")]))


@pytest.mark.long
def test_what_a_log_cannot_tell(lake, logged):
    bag, keyed, debezium = logged["bag"], logged["keyed"], logged["debezium"]

    def fails(name: str, table: Logged, words: str, engine=None) -> None:
        with pytest.raises(RefreshError, match=words) as refused:
            lake.refresh(name, f"select id, v from {table.kind}", engine, logs=logs_of(lake, table))
        assert refused.value.reason is Reason.LOG_UNUSABLE
        assert "LV049" in str(refused.value)

    def follows(name: str, table: Logged) -> None:
        lake.refresh(name, f"select id, v from {table.kind}", logs=logs_of(lake, table))
        assert lake.differences(name, f"select id, v from {table.base}") == []

    bag.transact(Counter(), Counter([(1, 1, "a")]))
    writes = lake.engine()
    writes.after["create or replace table"] = lambda: bag.transact(Counter(), Counter([(2, 2, "b")]))
    fails("b", bag, "written to while the table beside it was read", writes)
    follows("b", bag)
    bag.transaction += 1
    bag.write_log([("delete", (9, 9, "nothing"))])
    fails("b", bag, "takes rows out that are not there")

    keyed.transact(Counter(), Counter([(1, 1, "a"), (2, 2, "b")]))
    follows("k", keyed)
    keyed.transaction += 2
    keyed.transact(Counter(), Counter([(3, 3, "c")]))
    follows("k", keyed)
    keyed.transaction -= 2
    keyed.transact(Counter(), Counter([(4, 4, "d")]))  # committed late: an entry older than what was folded in
    follows("k", keyed)
    lake.run("insert into keyed_log values ('sort of', 99, 0, 1, 1, 'a')")
    fails("k", keyed, "its operation sort of is not known")
    lake.run("delete from keyed_log where txsn = 99", "insert into keyed_log values ('insert', 98, null, 1, 1, 'a')")
    fails("k", keyed, "1 of its entries have no sequence number")

    debezium.transact(Counter(), Counter([(1, 1, "a"), (2, 2, "b")]))
    follows("d", debezium)
    lake.run("delete from debezium where source.lsn < 1001")  # cleaned up
    debezium.transact(Counter([(1, 1, "a")]), Counter([(1, 5, "z")]))
    follows("d", debezium)
    image = "named_struct('id', 2, 'k', 2, 'v', 'new')"
    lake.run(f"insert into debezium values ('u', null, {image}, named_struct('lsn', 9001, 'file', ''))")
    debezium.rows = debezium.rows - Counter([(2, 2, "b")]) + Counter([(2, 2, "new")])
    debezium.write_base()
    follows("d", debezium)
    lake.run("insert into debezium values ('d', null, null, named_struct('lsn', 9002, 'file', ''))")
    fails("d", debezium, "an entry of operation d has no row before")


def test_odd_configs_are_refused(lake, logged):
    with pytest.raises(ModelError, match=r"(?s)needs a sequence.*format: xml is not known") as refused:
        log_of({"lazyview": {"capture": "log", "format": "xml", "colour": 1}}, "orders")
    assert "colour is not known" in str(refused.value)
    no_key = Log(sequence=("txsn",), log="keyed_log", key=("nothing",))
    with pytest.raises(ModelError, match="nothing is not a column of it"):
        lake.refresh("v", "select id from keyed", logs={f"`spark_catalog`.`{lake.schema}`.`keyed`": no_key})
    no_order = Log(sequence=("source",), format="debezium", operation="op")
    with pytest.raises(ModelError, match="source is of type struct"):
        lake.refresh("v", "select id from debezium", logs={f"`spark_catalog`.`{lake.schema}`.`debezium`": no_order})
