"""A refresh that takes long tells what it is doing, and how far it is, by dbt's own messages: now and then a line."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from functools import partial
from itertools import chain, repeat
from typing import Any
from uuid import uuid4

from dbt_common.events.functions import fire_event
from dbt_common.events.types import Note
from py4j.protocol import Py4JError
from pyspark import SparkContext

from dbt_lazyview.adapter.connections import SessionHandle
from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.durations import spoken
from dbt_lazyview.maintenance.engine import DOING

PAUSES = (10.0, 20.0, 30.0)  # seconds before each line
LAST_PAUSE = 60.0  # before all further ones
PATIENCE = 5.0  # with a Spark that does not answer any more
GROUP = "spark.jobGroup.id"
Tasks = Callable[[], tuple[int, int]]


@contextmanager
def progress_told(view: Name, handle: Any) -> Iterator[None]:
    """Tell of what this thread does to a view on a connection, as long as it does it."""
    over, steps = threading.Event(), DOING.steps
    with _tasks_of_this_thread(handle) as tasks:
        watch = threading.Thread(target=copy_context().run, args=(_watch, view, steps, tasks, over), daemon=True)
        watch.start()
        try:
            yield
        finally:
            over.set()
            watch.join(PATIENCE)


@contextmanager
def _tasks_of_this_thread(handle: Any) -> Iterator[Tasks]:
    """Count the tasks of jobs that this thread starts, where this process runs Spark."""
    if not isinstance(handle, SessionHandle):
        yield lambda: (0, 0)
        return
    context, group = handle.session.sparkContext, f"lazyview {uuid4()}"
    before = context.getLocalProperty(GROUP)
    context.setLocalProperty(GROUP, group)
    try:
        yield partial(tasks_of, context, group)
    finally:
        with suppress(Exception):  # Spark may be gone
            context.setLocalProperty(GROUP, before)  # None takes it away


def tasks_of(context: SparkContext, group: str) -> tuple[int, int]:
    """How many tasks of the jobs that run now are done, and of how many."""
    tracker = context.statusTracker()
    active = set(tracker.getActiveJobsIds()) & set(tracker.getJobIdsForGroup(group))
    jobs = filter(None, map(tracker.getJobInfo, active))
    stages = [stage for job in jobs for each in job.stageIds if (stage := tracker.getStageInfo(each))]
    return sum(stage.numCompletedTasks for stage in stages), sum(stage.numTasks for stage in stages)


def _watch(view: Name, steps: list[tuple[str, Name]], tasks: Tasks, over: threading.Event) -> None:
    seconds = 0.0
    for pause in chain(PAUSES, repeat(LAST_PAUSE)):
        if over.wait(pause):
            return
        seconds += pause
        with suppress(Py4JError):  # whoever runs the statement will tell that Spark is gone
            fire_event(Note(msg=told(view, steps[-1:], tasks(), seconds)))


def told(view: Name, innermost: list[tuple[str, Name]], tasks: tuple[int, int], seconds: float) -> str:
    """
    Where a refresh is.

    Example:
        >>> told(("x", "shop", "top"), [("write the state", ("x", "shop", "top"))], (3, 8), 10)
        'Lazy view shop.top, after 10 s: write the state, 3 of 8 tasks'
        >>> told(("x", "shop", "top"), [("plan the refresh", ("x", "shop", "sales"))], (0, 0), 90)
        'Lazy view shop.top, after 1 min 30 s: first shop.sales, plan the refresh'
    """
    step, of = innermost[0] if innermost else ("begin", view)
    other = f"first {_short(of)}, " if of not in (view, ()) else ""
    done, all_of_them = tasks
    far = f", {done} of {all_of_them} tasks" if all_of_them else ""
    return f"Lazy view {_short(view)}, after {spoken(seconds)}: {other}{step}{far}"


def _short(name: Name) -> str:
    return ".".join(name[-2:])
