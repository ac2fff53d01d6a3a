"""Views with view deltas in a lake, and an oracle: is what is shown the query, as of what is claimed?"""

from datetime import datetime, timezone
from typing import Any

from dbt_lazyview.maintenance.outcome import Outcome
from dbt_lazyview.maintenance.plan import Request
from dbt_lazyview.maintenance.policies import OPERATION, RUN
from dbt_lazyview.maintenance.public import load_shown_state
from dbt_lazyview.maintenance.record import Record, from_json
from dbt_lazyview.maintenance.refresh import refresh
from dbt_lazyview.maintenance.state import State
from dbt_lazyview.maintenance.tables import Tables, name_of
from dbt_lazyview.maintenance.until import Until
from tests.functional.bags import bag, in_one_only
from tests.functional.maintenance.lake import Lake, RawEngine

LATER = {"apply": "later"}


class Deferred:
    """The views of a lake, by name, all of them with `apply: later`."""

    def __init__(self, lake: Lake, views: dict[str, str], **configs: Any) -> None:
        self.lake, self.views, self.configs = lake, views, {**LATER, **configs}

    def build(self) -> None:
        for name in self.views:
            assert self.refresh(name).kind == "build"

    def target(self, name: str, **configs: Any):
        return self.lake.target(name, self.views[name], **{**self.configs, **configs})

    def refresh(self, name: str, engine: RawEngine | None = None, trigger: str = RUN, **request: Any) -> Outcome:
        return refresh(engine or self.lake.engine(), self.target(name), Request(trigger=trigger, **request))

    def apply(self, name: str, engine: RawEngine | None = None) -> Outcome:
        return self.refresh(name, engine, OPERATION)

    def roll(self, name: str, moment: int, engine: RawEngine | None = None, trigger: str = OPERATION) -> Outcome:
        return self.refresh(name, engine, trigger, until=until(moment))

    def tables(self) -> Tables:
        return Tables(self.lake.engine(), "UTC")

    def shown(self, name: str) -> State:
        return load_shown_state(self.tables(), self.target(name).state)

    def windows(self, name: str) -> list[Record]:
        """The records of all windows in the view delta, oldest first."""
        rows = self.lake.run(f"select lv_record from `{name}__delta` where lv_record is not null order by lv_ssn")
        return [record for (text,) in rows if (record := from_json(text))]

    def wrong_rows(self, name: str) -> list[tuple[str, ...]]:
        """Rows that only the public view has, or only its query over the tables as of the record of what is shown."""
        record = self.shown(name).record
        assert record is not None
        at = {name_of(table)[-1]: position.version for table, position in record.cut.items()}
        return self.differences_at(name, at)

    def differences_at(self, name: str, versions: dict[str, int]) -> list[tuple[str, ...]]:
        session = self.lake.root.newSession()
        session.sql(f"use `{self.lake.schema}`")
        pinned = self.views[name]
        for table, version in versions.items():
            session.sql(f"create or replace temp view at_{table} as select * from {table} version as of {version}")
            pinned = pinned.replace(f"from {table}", f"from at_{table}").replace(f"join {table}", f"join at_{table}")
        return in_one_only(bag(session, f"select * from `{name}`"), bag(session, pinned))

    def time_of(self, table: str, version: int) -> int:
        """When a version was committed, epoch milliseconds."""
        (found,) = [each for each in self.lake.history(table) if each["version"] == version]
        return round(found["timestamp"].timestamp() * 1000)


def until(moment: int) -> Until:
    return Until(datetime.fromtimestamp(moment / 1000, timezone.utc).isoformat(), moment=moment)
