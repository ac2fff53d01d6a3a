"""
A crowd: writers of every kind, refreshers of the same views, who propagate to one with a view delta and apply what
waits there, two managers, and somebody who watches what the views claim, each in a process of its own; afterwards
every committed version of every view is judged. `python -m tests.functional.faults.crowd --minutes 5`
"""

import argparse
import multiprocessing
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import count, cycle
from pathlib import Path
from typing import Any

from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.engine import EngineError
from dbt_lazyview.maintenance.errors import RefreshError
from dbt_lazyview.maintenance.failures import is_race
from dbt_lazyview.maintenance.plan import Request
from dbt_lazyview.maintenance.policies import OPERATION, RUN
from dbt_lazyview.maintenance.public import load_shown_state
from dbt_lazyview.maintenance.refresh import refresh
from dbt_lazyview.maintenance.tables import Tables
from tests.functional.faults import spark_server
from tests.functional.faults.world import CONFIGS, QUERIES, TABLES, World
from tests.functional.maintenance.lake import Lake
from tests.functional.maintenance.lake_world import manager_of
from tests.functional.servers.processes import free_port
from tests.functional.servers.thrift import ThriftSession, thrift_server

SCHEMA = "crowd"
VIEWS = {name: QUERIES[name] for name in ("totals", "lines", "waiting")}
REFRESHERS, MANAGERS = 4, 2
PAUSE = 0.5  # seconds after each of its commits: who never pauses lets nobody else change what he writes
AT_LEAST = 2  # statements of a writer, however slow the machine is

Root = Callable[[], Any]  # a session on the Spark that all share


def appending(number: int) -> str:
    return f"insert into sales values ({1000 + number}, 'r{number % 5}', {number % 7}), ({2000 + number}, null, 1)"


def changing(number: int) -> str:
    if number % 2:
        return f"delete from sales where id % 13 = {number % 13}"
    return f"update sales set amount = amount + 1, region = 'r{number % 3}' where id % 7 = {number % 7}"


def tidying(number: int) -> str:
    return "vacuum sales" if number % 3 == 2 else "optimize sales"


def replacing(number: int) -> str:
    return f"""
        create or replace table regions using delta as
        select concat('r', id) as name, concat('C', id * {number} % 3) as country from range(4)
    """


WRITERS = (appending, changing, tidying, replacing)


@dataclass
class Findings:
    """What a crowd did, and what was wrong with it."""

    done: Counter[str] = field(default_factory=Counter)
    faults: list[Any] = field(default_factory=list)

    @property
    def line(self) -> str:
        told = ", ".join(f"{name} {count}" for name, count in sorted(self.done.items()))
        return f"{told}: {len(self.faults)} faults"

    def __add__(self, other: "Findings") -> "Findings":
        return Findings(self.done + other.done, self.faults + other.faults)


def write(root: Root, statement: Callable[[int], str], until: float, told: Any) -> None:
    """Write until the time is over, some times at least; a conflict with another writer is tried again."""
    lake, written = Lake(root(), SCHEMA), 0
    for number in count():
        if time.time() > until and written >= AT_LEAST:
            return
        try:
            lake.run(statement(number))
            told.put((statement.__name__, None))
            written += 1
            time.sleep(PAUSE)
        except Exception as problem:
            if not is_race(EngineError(str(problem))):
                told.put((statement.__name__, traceback.format_exc()))
                return


def refresh_views(root: Root, until: float, told: Any) -> None:
    """Refresh one view after the other until the time is over; whoever always loses a race may say so."""
    lake = Lake(root(), SCHEMA)
    for number, (name, sql) in enumerate(cycle(VIEWS.items())):
        if time.time() > until and number > len(VIEWS):  # one of them a second time at least
            return
        try:
            request = Request(trigger=(RUN, OPERATION)[number // len(VIEWS) % 2])
            outcome = refresh(lake.engine(), lake.target(name, sql, **CONFIGS.get(name, {})), request)
            told.put((f"{name} {outcome.kind} {outcome.reason}".rstrip(), None))
        except RefreshError as problem:
            told.put((f"{name} lost", None if problem.reason is Reason.LOST_RACE else str(problem)))
        except Exception:
            told.put((f"{name} failed", traceback.format_exc()))


def manage_views(root: Root, until: float, told: Any) -> None:
    """A manager; that there are several, and others who refresh the same views, is no reason for it to fail."""
    lake = Lake(root(), SCHEMA)
    manager, world = manager_of(lake, lake.engine(), VIEWS, time.time, **CONFIGS)
    steps = 0
    while time.time() < until or steps < AT_LEAST:
        time.sleep(manager.step())
        steps += 1
        told.put(("managed", None))
    for problem in world.problems:
        is_lost = isinstance(problem, RefreshError) and problem.reason is Reason.LOST_RACE
        told.put(("manager lost", None if is_lost else str(problem)))


def watch_claims(root: Root, until: float, told: Any) -> None:
    """What a view claims to show never goes back: nobody asks for an earlier moment here."""
    lake, claimed = Lake(root(), SCHEMA), dict[str, dict[str, int]]()
    looks = 0
    while time.time() < until or looks < AT_LEAST:
        for name in VIEWS:
            found = load_shown_state(Tables(lake.engine(), "UTC"), lake.target(name, "").state).record
            claim = {table: at.version for table, at in found.cut.items()} if found else {}
            before = claimed.get(name, {})
            is_behind = any(claim.get(table, -1) < version for table, version in before.items())
            told.put((f"{name} looked at", f"it claims {claim} after {before}" if is_behind else None))
            claimed[name] = claim
        looks += 1


def create(root: Root, told: Any) -> None:
    """The tables only: the views are created while others already write."""
    Lake(root(), SCHEMA).run(*TABLES)
    told.put(("created", None))


def run_crowd(root: Root, seconds: float) -> Findings:
    """Let all of them work for some time, each in a process of its own, then judge."""
    findings = _work([(create, (root,))])
    until = time.time() + seconds
    writers = [(write, (root, each, until)) for each in WRITERS]
    others = [*[(refresh_views, (root, until))] * REFRESHERS, *[(manage_views, (root, until))] * MANAGERS]
    findings += _work([*writers, *others, (watch_claims, (root, until))])
    findings += _work([(write, (root, appending, until))])  # so that the judge always has something to refresh
    return findings + judge(Lake(root(), SCHEMA))


def _work(jobs: Sequence[tuple[Callable[..., None], tuple[Any, ...]]]) -> "Findings":
    """Run every job in a process of its own; what all of them told."""
    context = multiprocessing.get_context("fork")
    told, findings = context.SimpleQueue(), Findings()
    processes = [context.Process(target=job, args=(*arguments, told)) for job, arguments in jobs]
    for process in processes:
        process.start()
    while any(process.is_alive() for process in processes) or not told.empty():
        if told.empty():
            time.sleep(0.1)
            continue
        what, problem = told.get()
        findings.done[what] += 1
        findings.faults += [f"{what}: {problem}"] if problem else []
    return findings


def judge(lake: Lake) -> Findings:
    """Every committed version and window against its query at the recorded cut, and the last one against now."""
    findings, world = Findings(), World(lake)
    oracle = world.oracle
    for name, sql in VIEWS.items():
        lake.refresh(name, sql, **CONFIGS.get(name, {}))
        records = lake.records(name)
        in_history = oracle.differences_in_history(name, records)
        wrong = [oracle.differences(name), in_history, oracle.steps_back(name, records)]
        if CONFIGS.get(name, {}).get("apply") == "later":
            windows = world.windows(name)
            wrong += [world.wrong_windows(name), oracle.steps_back(name, windows)]
            findings.done[f"{name} windows"] += len(windows)
        findings.done[f"{name} versions"] += len(records)
        findings.faults += [f"{name}: {each}" for each in wrong if each]
    return findings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--over-thrift", action="store_true", help="each process connects to a thrift server")
    parser.add_argument("--join", nargs=2, metavar=("PORT", "SECRET"), help="a running Spark instead of a new one")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        findings = run_crowd(_root(arguments, stack), arguments.minutes * 60)
    print(findings.line, *findings.faults, sep="\n")
    sys.exit(bool(findings.faults))


def _root(arguments: argparse.Namespace, stack: ExitStack) -> Root:
    if arguments.join:
        return partial(spark_server.join, int(arguments.join[0]), arguments.join[1])
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    if arguments.over_thrift:
        port = free_port()
        stack.enter_context(thrift_server(folder, port))
        return partial(ThriftSession, port)
    server = stack.enter_context(spark_server.running(folder))
    return partial(spark_server.join, server.port, server.secret)


if __name__ == "__main__":
    main()
