"""Splitting: pending changes too many for the memory at hand are folded in by consecutive cuts (Z 3.5)."""

from dbt_lazyview.maintenance.engine import Engine
from dbt_lazyview.maintenance.history import effect_of
from dbt_lazyview.maintenance.probes import Cut
from dbt_lazyview.maintenance.settings import read_setting
from dbt_lazyview.maintenance.state import State
from dbt_lazyview.maintenance.tables import Tables
from dbt_lazyview.maintenance.tasks import Task, task_upto
from dbt_lazyview.maintenance.until import Until

NEVER_TOO_MANY = 1_000_000  # changes that every engine can take at once
BYTES_PER_CHANGE = 200
UNITS = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def next_stop(tables: Tables, state: State, cut: Cut, limit: int | None) -> Until | None:
    """The point on the way to a cut where one refresh has enough changes to fold in; None if the way is short."""
    task = task_upto(tables, state, cut)
    if task.rows is None or task.rows <= (limit or NEVER_TOO_MANY):
        return None
    moment = stop_within(task, limit or memory_limit(tables.engine))
    return Until(f"{moment} ms", moment=moment) if moment is not None else None


def stop_within(task: Task, limit: int) -> int | None:
    """The time of the last commit up to which the changes stay within the limit; there is always one to go to."""
    commits = sorted((each for source in task.sources for each in source.commits), key=lambda each: each.timestamp)
    moment, total = commits[0].timestamp, 0
    for each in commits:
        total += effect_of([each]).rows or 0
        if total > limit and each.timestamp > moment:
            return moment
        moment = each.timestamp
    return None


def memory_limit(engine: Engine) -> int:
    """How many changes fit into the memory of the driver or of an executor, whichever has more."""
    keys = ("spark.driver.memory", "spark.executor.memory")
    sizes = [read_setting(engine, key) for key in keys]
    return max(NEVER_TOO_MANY, *(in_bytes(size) // BYTES_PER_CHANGE for size in sizes))


def in_bytes(size: str) -> int:
    """
    A size as Spark writes it; what it does not tell is 0.

    Example:
        >>> in_bytes("2g"), in_bytes("512m"), in_bytes("<undefined>")
        (2147483648, 536870912, 0)
    """
    number, unit = size[:-1], size[-1:].lower()
    return int(number) * UNITS[unit] if number.isdigit() and unit in UNITS else 0
