"""The history of a state is kept by need: what a view, group, export or clone still reads stays; the rest goes."""

import time
from typing import Any

from dbt_lazyview.maintenance.clone import clone
from dbt_lazyview.maintenance.retention import FILES_KEPT
from dbt_lazyview.maintenance.state import load_state
from dbt_lazyview.maintenance.state_history import prune_history, readers_of
from dbt_lazyview.maintenance.tables import Tables
from dbt_lazyview.maintenance.view_delta.export import export_changes
from tests.functional.maintenance.conftest import SALES
from tests.functional.maintenance.lake import Lake

CHILD = "select count(*) as regions, sum(orders) as orders from sold"
MERGED = {"is_parent": True, "compact_every": 0, "vacuum_every": 0}
SHORT = {**MERGED, "tblproperties": {FILES_KEPT: "interval 1 seconds"}}


class History:
    """A state, `sold`, and who reads older versions of it."""

    def __init__(self, lake: Lake, **configs: Any) -> None:
        self.lake, self.configs = lake, configs
        lake.refresh("sold", SALES, **configs)

    def tables(self) -> Tables:
        return Tables(self.lake.engine(), "UTC")

    def readers(self, name: str = "sold") -> list[str]:
        state = load_state(self.tables(), self.lake.target(name, "").state)
        return [each.who.split("`")[-2] for each in readers_of(self.tables(), state)]

    def prune(self) -> str:
        return prune_history(self.tables(), self.lake.target("sold", SALES, **self.configs))

    def kept(self) -> str:
        return dict(self.lake.run("show tblproperties sold__state"))[FILES_KEPT]

    def sell(self, *numbers: int) -> None:
        for number in numbers:
            self.lake.run(f"insert into sales values ({number}, 'r{number}', 1)")
            self.lake.refresh("sold", SALES, **self.configs)


def test_a_view_over_it_that_is_seldom_refreshed(lake, sales):
    """It stays behind for longer than files are kept, and goes on from where it was; then the rest goes."""
    history = History(lake, **SHORT)
    lake.refresh("child", CHILD)
    history.sell(11, 12)
    assert history.readers() == ["child__state"]
    time.sleep(1.5)
    assert "still read: version" in history.prune()
    assert history.kept() == "interval 1 days"
    assert lake.refresh("child", CHILD).kind == "incremental"
    assert lake.differences("child", CHILD) == []
    assert (history.readers(), history.prune(), history.kept()) == ([], "history vacuumed", "interval 1 seconds")

    history.sell(13, 14)
    (needed,) = [key for key, _ in lake.run("show tblproperties sold__state") if "needed_by" in key]
    lake.run(f"alter table sold__state unset tblproperties ('{needed}')")  # nobody knows of it now
    time.sleep(1.5)
    assert history.prune() == "history vacuumed"
    assert lake.refresh("child", CHILD).reason == "history_gone"
    assert lake.differences("child", CHILD) == []


def test_clones_exports_and_pinned_views(lake, sales):
    history = History(lake, **MERGED)
    tables = history.tables()
    clone(tables, lake.target("sold", "").name, lake.target("cloned", "").name)
    history.sell(11)
    assert history.readers("sold") == ["cloned__state"]
    lake.refresh("cloned", SALES, full=True, **MERGED)
    assert history.readers("sold") == []

    lake.refresh("grouped", SALES, view_group="g", **MERGED)
    lake.run("insert into sales values (20, 'north', 1)", "optimize grouped__state")
    lake.run("alter table grouped__state set tblproperties (a = 'b')")
    assert history.readers("grouped") == ["grouped"]
    lake.refresh("grouped", SALES, view_group="g", **MERGED)
    assert history.readers("grouped") == []

    later = {**MERGED, "apply": "later"}
    target = lake.target("fed", SALES, **later)
    lake.refresh("fed", SALES, **later)
    for number in (30, 31):
        lake.run(f"insert into sales values ({number}, 'north', 1)")
        lake.refresh("fed", SALES, **later)
        if number == 30:
            export_changes(lake.engine(), target, (*target.name[:-1], "fed_changes"))
    lake.refresh("fed", SALES, **MERGED)  # applied, and no view delta any more
    lake.run("insert into sales values (32, 'north', 1)")
    lake.refresh("fed", SALES, **later)
    assert history.readers("fed") == ["fed_changes"]
    assert export_changes(lake.engine(), target, (*target.name[:-1], "fed_changes")).kind == "changes"
