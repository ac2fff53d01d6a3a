"""Propagate now, apply later: a view equals its query whatever waits beside it, and whoever works on it (B 3)."""

import os
import threading
import time
from itertools import product

import pytest

from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.errors import RefreshError
from dbt_lazyview.maintenance.tree import resolve
from dbt_lazyview.maintenance.view_delta.compress import compress
from dbt_lazyview.maintenance.view_delta.prune import prune
from tests.functional.maintenance.deferred_world import Deferred
from tests.functional.maintenance.lake import Killed, Lake, die

VIEWS = {
    "grouped": "select region, count(*) as n, sum(amount) as revenue, avg(amount) as mean from sales group by region",
    "extremes": "select region, min(amount) as least, max(id) as newest from sales group by region",
    "total": "select count(*) as orders, sum(amount) as revenue, max(amount) as most from sales",
    "rows_kept": "select region, amount from sales where amount > 5",
    "joined": """
        select n.name, count(*) as orders, count(distinct s.id) as ids, sum(s.amount) as revenue
        from sales as s join names as n on n.region <=> s.region group by n.name having count(*) > 0
    """,
    "outer_joined": "select n.name, s.id, s.amount from names as n left join sales as s on s.region = n.region",
    "ranked": "select id, region, row_number() over (partition by region order by amount desc, id) as place from sales",
    "compared": "select id, amount from sales where amount >= (select avg(amount) from sales)",
    "top": "select id, amount from sales order by amount desc, id limit 3",
    "floats": "select region, sum(cast(amount as double)) as revenue from sales group by region",
}
OTHERS = ("writer", "propagator", "applier", "rebuilder", "compressor", "pruner")
ALL = bool(os.environ.get("ALL_RACES"))  # `make view-delta-races`; some of them otherwise


def chosen(moments: tuple[str, ...], some: str, later: str = "") -> list[tuple[str, str]]:
    """Who comes in between, and before which statement."""
    if ALL:
        return list(product(moments, OTHERS))
    return [*((moments[0], other) for other in some.split()), *((moments[1], other) for other in later.split())]


BATCHES = [
    ["insert into sales values (4, 'north', 7), (5, 'east', 50), (6, null, 1)"],
    ["update sales set amount = amount + 1 where region = 'north'", "delete from sales where id = 2"],
    ["insert into names values ('east', 'Ost'), ('west', 'West')"],
    ["delete from sales where region is null", "update sales set region = 'west' where id = 5"],
    ["delete from sales"],
    ["insert into sales values (1, 'north', 10), (2, 'south', 20), (9, null, 9)"],
]


def filled(spark, schema: str) -> Lake:
    lake = Lake(spark, schema)
    lake.run(
        "create table sales (id int, region string, amount decimal(10,2)) using delta",
        "insert into sales values (1, 'north', 10), (2, 'south', 20), (3, null, 5)",
        "create table names (region string, name string) using delta",
        "insert into names values ('north', 'Nord'), ('south', 'Süd'), (null, 'sonst')",
    )
    return lake


@pytest.mark.long
def test_every_kind_of_view_equals_its_query(spark):
    """Nothing is applied until the end: the windows wait beside each state, and the states stay as they were built."""
    world = Deferred(filled(spark, "deferred_kinds"), VIEWS)
    world.build()
    for batch in BATCHES:
        world.lake.run(*batch)
        for name, sql in VIEWS.items():
            outcome = world.refresh(name)
            assert (outcome.kind, outcome.strategy) in (("incremental", "append"), ("noop", "")), (name, outcome)
            assert world.lake.differences(name, sql) == [], (name, batch)
    for name, sql in VIEWS.items():
        assert {record.kind for _, record in world.lake.records(name)} <= {"build", "noop"}
        assert world.apply(name).kind == "apply"
        assert world.lake.differences(name, sql) == [], name
        assert "VERSION AS OF" not in world.lake.run(f"show create table {name}")[0][0].upper()
        assert world.apply(name).kind == "noop"


class TestInterleavings:
    """Everybody may come in between everybody else: what is shown is the query as of what is claimed."""

    @pytest.fixture(scope="class")
    def world(self, spark):
        world = Deferred(filled(spark, "deferred_races"), {"grouped": VIEWS["grouped"]})
        world.build()
        return world

    def sell(self, world) -> None:
        world.lake.run("insert into sales values (7, 'north', 1), (8, 'west', 2)")

    def check(self, world) -> None:
        """What is shown is what is claimed; and that never goes back."""
        assert world.wrong_rows("grouped") == []
        claim = {table: at.version for table, at in world.shown("grouped").record.cut.items()}
        before = getattr(world, "claim", claim)
        assert all(claim[table] >= version for table, version in before.items()), (before, claim)
        world.claim = claim

    def settle(self, world) -> None:
        world.apply("grouped")
        assert world.lake.differences("grouped", VIEWS["grouped"]) == []

    def others(self, world) -> dict:
        view = world.target("grouped")

        def node():
            return resolve(world.tables(), view)

        return {
            "writer": lambda: self.sell(world),
            "propagator": lambda: (self.sell(world), world.refresh("grouped")),
            "applier": lambda: world.apply("grouped"),
            "rebuilder": lambda: (self.sell(world), world.refresh("grouped", full_refresh=True)),
            "compressor": lambda: compress(world.tables(), node(), None, None),
            "pruner": lambda: prune(world.tables(), node()),
        }

    @pytest.mark.parametrize(
        ("moment", "other"), chosen(("insert into", "create or replace view"), "propagator applier")
    )
    def test_while_somebody_propagates(self, world, other, moment):
        self.sell(world)
        world.refresh("grouped")
        self.sell(world)
        slow = world.lake.engine()
        slow.before[moment] = lambda: (self.check(world), self.others(world)[other](), self.check(world))
        world.refresh("grouped", slow)
        assert not slow.before, "nothing happened"
        self.check(world)
        self.settle(world)

    @pytest.mark.parametrize(
        ("moment", "other"), chosen(("insert overwrite", "create or replace view"), "propagator rebuilder")
    )
    def test_while_somebody_applies(self, world, other, moment):
        for _ in range(2):
            self.sell(world)
            world.refresh("grouped")
        slow = world.lake.engine()
        slow.before[moment] = lambda: (self.check(world), self.others(world)[other](), self.check(world))
        world.apply("grouped", slow)
        assert not slow.before, "nothing happened"
        self.check(world)
        self.settle(world)

    @pytest.mark.parametrize(
        ("moment", "other"), chosen(("insert overwrite", "create or replace view"), "propagator", "pruner")
    )
    def test_while_somebody_rebuilds(self, world, other, moment):
        """What was propagated meanwhile may be newer than what is computed anew: that follows before it is shown."""
        self.sell(world)
        world.refresh("grouped")
        self.sell(world)
        slow = world.lake.engine()
        slow.before[moment] = lambda: (self.check(world), self.others(world)[other](), self.check(world))
        world.refresh("grouped", slow, full_refresh=True)
        assert not slow.before, "nothing happened"
        self.check(world)
        self.settle(world)

    @pytest.mark.parametrize("moment", ["insert into", "insert overwrite"])
    def test_killed(self, world, moment):
        """After a commit, before the view shows it; before a commit nothing has happened."""
        self.sell(world)
        dying = world.lake.engine()
        dying.after[moment] = die
        with pytest.raises(Killed):
            world.apply("grouped", dying)
        self.check(world)
        self.settle(world)

    @pytest.mark.long
    def test_killed_while_compressing_and_pruning(self, world):
        for _ in range(3):
            self.sell(world)
            world.refresh("grouped")
        for start, act in (
            ("insert into", lambda tables, node: compress(tables, node, None, None)),
            ("delete from", prune),
        ):
            for when in ("before", "after"):
                dying = world.lake.engine()
                getattr(dying, when)[start] = die
                tables = world.tables().__class__(dying, "UTC")
                with pytest.raises(Killed):
                    act(tables, resolve(tables, world.target("grouped")))
                self.check(world)
            world.apply("grouped")
        self.settle(world)

    @pytest.mark.long
    def test_a_crowd(self, world):
        """Writers, propagators and appliers at once; whoever looks finds a record, and in the end what it claims."""
        stop, problems = threading.Event(), []

        def repeat(act):
            def run():
                try:
                    while not stop.is_set():
                        act()
                except Exception as problem:
                    problems.append(problem)

            return run

        def look():
            assert world.shown("grouped").record.cut

        acts = [lambda: self.sell(world), self._try(world.refresh, "grouped"), self._try(world.apply, "grouped"), look]
        threads = [threading.Thread(target=repeat(act)) for act in acts]
        for thread in threads:
            thread.start()
        time.sleep(60 if ALL else 8)
        stop.set()
        for thread in threads:
            thread.join()
        assert problems == []
        self.check(world)
        self.settle(world)

    @staticmethod
    def _try(act, *arguments):
        def tried():
            try:
                act(*arguments)
            except RefreshError as problem:
                if problem.reason is not Reason.LOST_RACE:
                    raise

        return tried
