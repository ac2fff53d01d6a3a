"""What the kill test works on: tables that change, lazy views of every kind, and the judge of both."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.maintenance.plan import Request
from dbt_lazyview.maintenance.policies import OPERATION, RUN
from dbt_lazyview.maintenance.record import Record, from_json
from dbt_lazyview.maintenance.refresh import refresh
from dbt_lazyview.maintenance.state import load_state
from dbt_lazyview.maintenance.stored import built_target
from dbt_lazyview.maintenance.tables import Tables
from dbt_lazyview.maintenance.tree import Target, resolve
from dbt_lazyview.maintenance.view_delta.compress import compress
from dbt_lazyview.maintenance.view_delta.roll import records_after
from dbt_lazyview.maintenance.view_delta.rows import rows_at
from tests.functional.maintenance.lake import Lake, RawEngine
from tests.functional.maintenance.lake_world import manager_of
from tests.functional.oracle.oracle import Oracle

TABLES = (
    "create table sales (id int, region string, amount decimal(10,2)) using delta",
    "create table regions (name string, country string) using delta",
    "insert into sales select id, concat('r', id % 4), id from range(40)",
    "insert into regions values ('r0', 'NO'), ('r1', 'ZA'), ('r2', null), (null, 'XX')",
)
CHANGES = (
    "insert into sales select id + {n}, concat('r', id * {n} % 5), id from range(9) union all select {n}, null, 1",
    "update sales set region = concat('r', id * {n} % 5), amount = amount + {n} where id % 4 = {n} % 4",
    "delete from sales where id % 5 = {n} % 5",
)
RENAME = "update regions set country = 'C{n}' where name = 'r{other}'"
PER_REGION = "select region, count(*) as orders, sum(amount) as revenue, min(id) as first from sales group by region"
QUERIES = {
    "totals": PER_REGION,
    "fresh": PER_REGION,
    "waiting": PER_REGION,
    "lines": "select s.id, s.amount, r.country from sales s left join regions r on s.region = r.name",
    "tops": "select country, max(amount) as most from lines group by country",
    "sold": "select region, count(*) as orders from sales group by region",
    "known": "select o.region, o.orders, r.country from sold o join regions r on o.region = r.name",
    "other": "select region, max(amount) as highest from sales group by region having max(amount) > 5",
}
REFRESH, APPLY, COMPRESS, MANAGE = "refresh", "apply", "compress", "manage"  # parts of a life
EARLIER = {"other": "select region, count(distinct amount) as amounts from sales group by region"}
CONFIGS: Mapping[str, Mapping[str, Any]] = {
    "lines": {"is_parent": True},
    "sold": {"is_parent": True, "view_group": "g"},
    "known": {"view_group": "g"},
    "waiting": {"apply": "later"},
}


@dataclass(frozen=True)
class Scenario:
    """A kind of refresh: the views it moves, the last of which is asked for."""

    views: tuple[str, ...]
    full: bool = False
    is_embedded: bool = True
    begins_anew: bool = False  # the views are dropped before
    part: str = REFRESH  # in which it is to be killed

    @property
    def views_to_begin_with(self) -> tuple[str, ...]:
        return () if self.begins_anew else self.views


SCENARIOS = {
    "overwrite": Scenario(("totals",)),
    "rewrite": Scenario(("lines",)),
    "merge": Scenario(("lines",), is_embedded=False),
    "parent": Scenario(("lines", "tops")),
    "full": Scenario(("totals",), full=True),
    "definition": Scenario(("other",)),
    "group": Scenario(("sold", "known")),
    "staged": Scenario(("lines", "tops"), is_embedded=False),
    "build": Scenario(("fresh",), begins_anew=True),
    "manager": Scenario(("totals", "waiting"), part=MANAGE),
    "propagate": Scenario(("waiting",)),
    "apply": Scenario(("waiting",), part=APPLY),
    "compress": Scenario(("waiting",), part=COMPRESS),
}


class World:
    """One session's look at the tables and views; every other time, some views have their earlier query."""

    def __init__(self, lake: Lake, number: int = 0) -> None:
        self.lake, self.number = lake, number
        self.queries = {**QUERIES, **(EARLIER if number % 2 else {})}
        self.oracle = Oracle(lake, self.queries, QUERIES, EARLIER)

    def create(self, views: Iterable[str]) -> None:
        self.lake.run(*TABLES)
        for name in views:
            refresh(self.lake.engine(), self.target(name), members=self.members)

    def change(self, scenario: Scenario) -> None:
        """What happens before a refresh."""
        self.lake.run(CHANGES[self.number % len(CHANGES)].format(n=self.number))
        if "lines" in scenario.views or "known" in scenario.views:
            self.lake.run(RENAME.format(n=self.number, other=self.number % 3))
        for name in scenario.views if scenario.begins_anew else ():
            self.lake.run(f"drop view if exists {name}", f"drop table if exists {name}__state")

    def refresh(self, scenario: Scenario, engine: RawEngine) -> None:
        """Refresh, and what else the scenario is about; the engine knows in which part it is."""
        if scenario.part != MANAGE:
            engine.begin(REFRESH)
            self.refresh_by(RUN, scenario, engine)
        engine.begin(scenario.part)
        if scenario.part == MANAGE:
            self.manage(scenario, engine)
        if scenario.part == APPLY:
            self.refresh_by(OPERATION, scenario, engine)
        if scenario.part == COMPRESS:
            tables = Tables(engine, "UTC")
            compress(tables, resolve(tables, self.target(scenario.views[-1])), None, None)

    def refresh_by(self, trigger: str, scenario: Scenario, engine: RawEngine) -> None:
        request = Request(full_refresh=scenario.full, trigger=trigger)
        refresh(engine, self.target(scenario.views[-1]), request, members=self.members)

    def manage(self, scenario: Scenario, engine: RawEngine) -> None:
        """Let a manager work until nothing is pending."""
        queries = {name: self.queries[name] for name in scenario.views}
        manager, world = manager_of(self.lake, engine, queries, time.time, **CONFIGS)
        while not manager.step():
            pass
        if world.problems or not manager.metrics.is_reachable:
            raise AssertionError(world.problems)

    def target(self, name: str) -> Target:
        return self.lake.target(name, self.queries[name], **CONFIGS.get(name, {}))

    def members(self, group: str) -> list[Target]:
        grouped = [self.target(name) for name, configs in CONFIGS.items() if configs.get("view_group") == group]
        return [target for target in grouped if built_target(self.lake.engine(), target.name)]

    def faults(self, scenario: Scenario, seen: Mapping[str, int]) -> dict[str, Any]:
        """
        Everything that is wrong with the views of a scenario, in any version above those seen before; the newest one is
        what the view shows, as nobody wrote since.
        """
        found: dict[str, Any] = {"leftovers": self.leftovers()}
        for name in scenario.views:
            records = self.lake.records(name)
            newest_seen = -1 if scenario.begins_anew else seen.get(name, -1)
            older = [each for each in records[1:] if each[0] > newest_seen]
            found[name] = self.oracle.differences(name)
            found[f"{name} in its history"] = self.oracle.differences_in_history(name, older)
            found[f"{name} goes back"] = self.oracle.steps_back(name, records)
            if CONFIGS.get(name, {}).get("apply") == "later":
                found[f"{name} at its windows"] = self.wrong_windows(name)
        return {what: wrong for what, wrong in found.items() if wrong}

    def wrong_windows(self, name: str) -> dict[int, Any]:
        """The windows of a view delta at the end of which the view is not its query over the cut of that window."""
        engine = self.lake.engine()
        tables, view = Tables(engine, "UTC"), compile_view(self.queries[name], engine.catalog())
        state = load_state(tables, self.target(name).state)
        ends = [(each, replace(state, base=state.own, record=each)) for each in records_after(tables, state)]
        wrong = {
            record.window: self.oracle.differences_between(
                view.public(rows_at(engine, view.layout, at)).query, name, record
            )
            for record, at in ends
        }
        return {window: rows for window, rows in wrong.items() if rows}

    def windows(self, name: str) -> list[tuple[int, Record]]:
        """The records of all windows that are kept, newest first, by their numbers; none before the first one."""
        if not self.lake.run(f"show tables in {self.lake.schema} like '{name}__delta'"):
            return []
        rows = self.lake.run(f"select lv_record from {name}__delta where lv_record is not null order by lv_ssn desc")
        return [(record.window, record) for (text,) in rows if (record := from_json(text))]

    def versions(self, scenario: Scenario) -> dict[str, int]:
        """The newest version of each state."""
        return {name: self.lake.history(f"{name}__state")[0]["version"] for name in scenario.views}

    def leftovers(self) -> list[str]:
        """Relations that nobody asked for; temporary ones have no schema."""
        wanted = {"sales", "regions", "waiting__delta", *QUERIES, *(f"{name}__state" for name in QUERIES)}
        return sorted({row[1] for row in self.lake.run(f"show tables in {self.lake.schema}")} - wanted)
