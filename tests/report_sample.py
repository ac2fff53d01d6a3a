"""Documents of made-up projects of any size, with views in every condition, for tests of the report page."""

import random
from collections.abc import Callable
from typing import Any

from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.advise import Life, Refreshed
from dbt_lazyview.maintenance.definition import Definition
from dbt_lazyview.maintenance.history import Commit
from dbt_lazyview.maintenance.record import Position, Record, Settings
from dbt_lazyview.maintenance.state import State
from dbt_lazyview.maintenance.status import Status
from dbt_lazyview.maintenance.tables import Detail
from dbt_lazyview.maintenance.tasks import Pending, Task
from dbt_lazyview.report.document import Seen, document

NOW = 1_790_000_000_000
HOUR = 3_600_000
TRIGGERS = ("run", "demand", "operation", "writer")
SUBJECTS = ("orders", "revenue", "customers", "returns", "stock", "visits", "invoices", "shipments", "prices", "leads")
VIEWS_OF = ("by_region", "by_day", "totals", "top", "per_customer", "open", "late", "history", "daily", "margin")
TABLES_PER_VIEW = 0.4


def plain_name(number: int) -> str:
    return f"{SUBJECTS[number % 10]}_{VIEWS_OF[number // 10 % 10]}{number // 100 or ''}"


def sample(count: int, name: Callable[[int], str] = plain_name, seed: int = 1) -> dict[str, Any]:
    """A project of so many views; every fifth reads another view."""
    source = random.Random(seed)
    tables = [f"raw_{SUBJECTS[each % 10]}{each // 10 or ''}" for each in range(max(round(count * TABLES_PER_VIEW), 1))]
    seen, nodes = [], [_node(f"seed.shop.{table}", table, "seed", []) for table in tables]
    for number in range(count):
        read = [f"seed.shop.{source.choice(tables)}" for _ in range(source.choice((1, 1, 2)))]
        read += [seen[source.randrange(max(0, number - 40), number)].id] if number and number % 5 == 0 else []
        view = _seen(number, name(number), [each.split(".")[-1] for each in read if each.startswith("seed")], source)
        seen.append(view)
        nodes.append(_node(view.id, name(number), "lazy_view", sorted(set(read))))
    if count:
        nodes.append(_node("model.shop.board", "board", "table", sorted({seen[0].id, seen[-1].id})))
    return document("shop", "night", seen, nodes, NOW)


def _node(unique_id: str, name: str, kind: str, reads: list[str]) -> dict[str, Any]:
    return {"id": unique_id, "name": name, "kind": kind, "reads": reads}


def _seen(number: int, name: str, tables: list[str], source: random.Random) -> Seen:
    unique_id, view = f"model.shop.{number}", ("spark_catalog", "shop", name)
    state_name = ("spark_catalog", "shop", f"{name}__state")
    if number % 23 == 22:
        return Seen(unique_id, f"shop.{name}", "", Status(view, State(state_name), Task()), None)
    refreshes = _refreshes(number, source)
    last = refreshes[0]
    cut = {f"`{table}`": Position(7, last.at - 60_000, "x") for table in tables}
    record = Record(
        1, "t", last.kind, 0, cut, cut, Settings("UTC", "false"), "f", reason=last.reason, trigger=last.trigger,
        changes=last.changes, started=last.at - round(last.seconds * 1000),
    )  # fmt: skip
    commit = Commit(9, last.at, "WRITE")
    detail = Detail("delta", "x", last.at, "", {}, size=source.randrange(2_000, 9_000_000_000), files=number % 7 + 1)
    distrust = Reason.STATE_CHANGED if number % 31 == 30 else None
    policy = ("deferred", "deferred", "snapshot", "immediate")[number % 4]
    goal = "15 minutes" if policy == "immediate" else None
    definition = Definition("select 1", policy=policy, max_staleness=goal)
    state = State(state_name, detail, definition, record, commit, commit, distrust)
    life = Life(f"shop.{name}", policy, "auto", refreshes, source.randrange(1, 40), number % 7 + 1, detail.size)
    description = "Sums for the morning meeting." if number % 3 == 0 else ""
    return Seen(unique_id, f"shop.{name}", description, Status(view, state, _task(number, tables, source)), life)


def _task(number: int, tables: list[str], source: random.Random) -> Task:
    if number % 3:
        return Task(tuple(Pending(("spark_catalog", "shop", table), 7, 7) for table in tables))
    commits = tuple(_append(version, source) for version in range(8, 8 + source.randrange(1, 5)))
    first = Pending(
        ("spark_catalog", "shop", tables[0]), 7, 7 + len(commits), commits, superseded=NOW - 4 * 24 * HOUR,
        obstacle=Reason.HISTORY_GONE if number % 27 == 0 else None,
        kept_seconds=7 * 86_400 if number % 9 == 0 else 60 * 86_400,
    )  # fmt: skip
    return Task((first,))


def _append(version: int, source: random.Random) -> Commit:
    rows = str(source.randrange(1, 90_000))
    return Commit(version, NOW - source.randrange(1, 30) * HOUR, "WRITE", {"mode": "Append"}, {"numOutputRows": rows})


def _refreshes(number: int, source: random.Random) -> list[Refreshed]:
    """Newest first."""
    pace, found = source.uniform(0.5, 8), []
    for step in range(source.randrange(1, 40)):
        is_full = source.random() < 0.08
        reason = source.choice(("history_gone", "source_schema_changed", "full_refresh_requested")) if is_full else ""
        found.append(Refreshed(
            "full" if is_full else "incremental", reason, source.choice(TRIGGERS),
            round(pace * source.uniform(0.7, 1.5) * (6 if is_full else 1), 3), NOW - (2 * step + number % 5 + 1) * HOUR,
            source.randrange(1, 5000), source.randrange(1, 900), "merge",
        ))  # fmt: skip
    built = Refreshed("build", "first_build", "run", pace * 7, NOW - 90 * HOUR, None, 4000, "")
    return [*found, built]
