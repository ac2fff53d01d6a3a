"""After each of several batches, and in every committed version while a writer keeps committing: view = query."""

import threading
from collections.abc import Iterable

import pytest

from tests.functional.oracle.oracle import Oracle

TABLES = (
    "create table sales (id int, region string, amount decimal(10,2), weight double) using delta",
    "create table regions (name string, country string) using delta",
    "insert into sales values (1, 'north', 10, 0.1), (2, 'south', 20, 0.2), (2, 'south', 20, 0.2), (3, null, 5, 0.7)",
    "insert into regions values ('north', 'NO'), ('south', 'ZA'), (null, 'XX')",
)
VIEWS = {
    "heavy": "select id, weight * 2 as twice, country from sales join regions on region = name where weight > 0.15",
    "weights": "select region, sum(weight) as weight, avg(weight) as mean, min(amount) as least "
    "from sales group by region",
    "pairs": "select a.id, b.id as other from sales a join sales b on a.region = b.region and a.amount <= b.amount",
    "revenue": "select region, count(*) as orders, sum(amount) as revenue from sales group by region",
    "shares": "select s.id, s.amount, r.revenue, r.orders from sales s join revenue r on s.region = r.region",
    "names": "select region as name from sales union all select name from regions",
}
WATCHED = ("heavy", "pairs", "revenue", "shares")
BATCHES = {
    "insert, update and delete of the same rows": (
        "insert into sales values (4, 'north', 1, 1.3), (5, 'west', 2, 0.3)",
        "update sales set amount = amount + 1, region = 'south' where id in (1, 4)",
        "delete from sales where id = 5",
        "merge into regions t using (select 'north' as name, 'SE' as country union all select 'east', 'PL') s "
        "on t.name = s.name when matched then update set * when not matched then insert *",
    ),
    "nothing": (),
    "everything deleted": ("delete from sales",),
    "inserted again": ("insert into sales values (1, 'north', 10, 0.1), (1, 'north', 10, 0.1), (6, null, 3, 0.4)",),
}


@pytest.fixture
def oracle(lake):
    lake.run(*TABLES)
    return Oracle(lake, VIEWS)


def _refresh(oracle: Oracle, names: Iterable[str] = VIEWS) -> dict[str, str]:
    return {name: oracle.lake.refresh(name, VIEWS[name], is_parent=name == "revenue").kind for name in names}


def test_after_every_batch(oracle):
    assert set(_refresh(oracle).values()) == {"build"}
    for batch, statements in BATCHES.items():
        for statement in statements:
            oracle.lake.run(statement)
        kinds = _refresh(oracle)
        assert set(kinds.values()) <= ({"incremental", "noop"} if statements else {"noop"}), batch
        assert {name: rows for name in VIEWS if (rows := oracle.differences(name))} == {}, batch


def test_every_version_while_a_writer_keeps_committing(oracle):
    _refresh(oracle, WATCHED)
    writer = Writer(oracle.lake)
    writer.start()
    try:
        for _ in range(2):
            writer.wait_for_commits()
            _refresh(oracle, WATCHED)
    finally:
        writer.stop()
    for name in WATCHED:
        assert len(oracle.cuts(name)) > 1
        assert oracle.differences_in_history(name) == {}
        assert oracle.steps_back(name) == []
    (new, latest), *_, (old, first) = oracle.lake.records("revenue")
    assert set(oracle.differences_in_history("revenue", [(new, first), (old, latest)])) == {new, old}, "it can tell"


class Writer(threading.Thread):
    """Keeps changing both sources, on a session of its own."""

    def __init__(self, lake) -> None:
        super().__init__()
        self.session = lake.root.newSession()
        self.session.sql(f"use `{lake.schema}`")
        self.stopped = threading.Event()
        self.rounds = threading.Semaphore(0)

    def run(self) -> None:
        number = 100
        while not self.stopped.wait(0.5):
            self._write(number)
            self.rounds.release()
            number += 1

    def _write(self, number: int) -> None:
        for statement in (
            f"insert into sales values ({number}, 'north', {number % 7}, 0.{number % 9}), ({number}, null, 1, 0.5)",
            f"update sales set region = 'south', amount = amount + 1 where id = {number - 1}",
            f"update regions set country = 'C{number}' where name = 'north'",
            f"delete from sales where id = {number - 2}",
        ):
            self.session.sql(statement)

    def wait_for_commits(self) -> None:
        assert self.rounds.acquire(timeout=300), "the writer wrote nothing"

    def stop(self) -> None:
        self.stopped.set()
        self.join()
