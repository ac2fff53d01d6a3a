"""Load: whether the cluster is busy with the work of others. Each way to tell is a function: why, or nothing."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.request import urlopen

Load = Callable[[], str]
TIMEOUT = 3.0  # seconds


def any_of(loads: Sequence[Load]) -> Load:
    """Busy if one of them says so."""

    def why() -> str:
        return next((told for load in loads if (told := load())), "")

    return why


def of_context(context: Any) -> Load:
    """The Spark of this process: a manager that chooses runs no jobs itself, so all that run are those of others."""

    def why() -> str:
        jobs = len(context.statusTracker().getActiveJobsIds())
        return f"{jobs} Spark job{'s' if jobs > 1 else ''}" if jobs else ""

    return why


def of_host(share: float) -> Load:
    """The machine that the manager runs on: processes that want a core, for each core."""

    def why() -> str:
        load = os.getloadavg()[0] / (os.cpu_count() or 1)
        return f"load of this machine {load:.2f} per core" if load > share else ""

    return why


def of_server(url: str, share: float, read: Callable[[str], Any] | None = None) -> Load:
    """The REST interface of a Spark server (the address of its UI): tasks that run, for each core it has."""
    read = read or _json
    base = f"{url.rstrip('/')}/api/v1/applications"

    def why() -> str:
        running = [app for app in read(base) if not app["attempts"][-1].get("completed")]
        executors = [each for app in running for each in read(f"{base}/{app['id']}/executors")]
        return busy_executors(executors, share)

    return why


def busy_executors(executors: Sequence[Mapping[str, Any]], share: float) -> str:
    """
    Why executors are busy.

    Example:
        >>> busy_executors([{"totalCores": 8, "activeTasks": 6, "isActive": True}], share=0.5)
        '6 tasks on 8 cores'
        >>> busy_executors([{"totalCores": 8, "activeTasks": 3, "isActive": True}], share=0.5)
        ''
    """
    active = [each for each in executors if each.get("isActive", True)]
    cores, tasks = (sum(int(each.get(key, 0)) for each in active) for key in ("totalCores", "activeTasks"))
    return f"{tasks} tasks on {cores} cores" if tasks > cores * share else ""


def _json(url: str) -> Any:
    with urlopen(url, timeout=TIMEOUT) as answer:
        return json.load(answer)
