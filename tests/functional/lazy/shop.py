"""A project with lazy views of every policy, and what the histories of their states tell."""

import itertools
import json
from pathlib import Path

from dbt.tests.util import run_dbt_and_capture

from dbt_lazyview.maintenance.record import from_json

_NUMBERS = itertools.count(2)
TOTALS = "select region, count(*) as sales, sum(amount) as revenue from {{{{ ref('{source}') }}}} group by region"


def lazy_view(sql: str, **configs: str) -> str:
    words = ", ".join(["materialized='lazy_view'", *(f"{key}='{value}'" for key, value in configs.items())])
    return f"{{{{ config({words}) }}}} {sql}"


def totals(source: str, **configs: str) -> str:
    """A lazy view with the totals of a model."""
    return lazy_view(TOTALS.format(source=source), **configs)


def table(sql: str) -> str:
    return f"{{{{ config(materialized='table') }}}} {sql}"


def appending(first_row: str = "1, 'north', 10") -> str:
    """An incremental model that adds a row at every run."""
    return f"""
        {{{{ config(materialized='incremental', incremental_strategy='append') }}}}
        select * from values ({first_row}) as t (id, region, amount)
    """


class Shop:
    """One project, its tables written by others, and the records of its lazy views."""

    def __init__(self, project, spark_folder: Path) -> None:
        self.project = project
        self.tables = spark_folder / "warehouse" / f"{project.test_schema}.db"

    def sell(self, *tables: str) -> None:
        """Somebody else writes a row into tables."""
        for name in tables:
            self.project.run_sql(f"insert into {{schema}}.{name} values ({next(_NUMBERS)}, 'south', 7)")

    def dbt(self, *arguments: str, threads: int = 4, expect_pass: bool = True) -> str:
        """Run dbt; what it printed."""
        _, log = run_dbt_and_capture([*arguments, "--threads", str(threads)], expect_pass=expect_pass)
        return log

    def operation(self, *arguments: str, expect_pass: bool = True) -> str:
        _, log = run_dbt_and_capture(["run-operation", *arguments], expect_pass=expect_pass)
        return log

    def refreshes(self, view: str) -> list[str]:
        """What set off the refreshes of a view, oldest first."""
        commits = sorted((self.tables / f"{view}__state" / "_delta_log").glob("*.json"))
        infos = [json.loads(line) for commit in commits for line in commit.read_text().splitlines()]
        records = [from_json(info["commitInfo"].get("userMetadata")) for info in infos if "commitInfo" in info]
        return [record.trigger for record in records if record]

    def sales(self, relation: str) -> int:
        """How many sales a view counts, or a table holds."""
        columns = [row[0] for row in self.project.run_sql(f"show columns in {{schema}}.{relation}", fetch="all")]
        counted = "sum(sales)" if "sales" in columns else "count(*)"
        return self.project.run_sql(f"select {counted} from {{schema}}.{relation}", fetch="one")[0]

    def rows(self, relation: str) -> list[tuple]:
        rows = self.project.run_sql(f"select * from {{schema}}.{relation} order by all", fetch="all")
        return [tuple(row) for row in rows]


class Watch:
    """Which of some views were refreshed while it was open, and by what."""

    def __init__(self, shop: Shop, *views: str) -> None:
        self.shop, self.views = shop, views

    def __enter__(self) -> dict[str, list[str]]:
        self.before = {view: len(self.shop.refreshes(view)) for view in self.views}
        self.seen: dict[str, list[str]] = {}
        return self.seen

    def __exit__(self, *_) -> None:
        new = {view: self.shop.refreshes(view)[self.before[view] :] for view in self.views}
        self.seen |= {view: triggers for view, triggers in new.items() if triggers}
