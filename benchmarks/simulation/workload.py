"""Who writes, who asks, and what that costs."""

import random
from bisect import bisect
from dataclasses import dataclass, field
from itertools import accumulate


@dataclass(frozen=True)
class Costs:
    """Seconds of one slot; measured on a small machine, see docs/simulation.md."""

    write: float = 0.6
    query: float = 0.5
    refresh: float = 2.0  # however little has changed
    commit: float = 0.01  # for each commit that queued up

    def of_refresh(self, commits: int) -> float:
        return self.refresh + self.commit * commits


@dataclass(frozen=True)
class Workload:
    """Views over tables, updates and queries as they come; popular tables and views get most of them."""

    views: int = 100
    tables: int = 20
    slots: int = 4
    hours: float = 2.0
    writes_per_hour: float = 180.0
    queries_per_hour: float = 720.0
    goals: int = 20  # so many views have one
    goal: float = 900.0  # seconds
    costs: Costs = field(default_factory=Costs)
    seed: int = 7

    @property
    def seconds(self) -> float:
        return self.hours * 3600


class Choice:
    """Numbers, the first ones more often: the n-th with a weight of 1 / n."""

    def __init__(self, count: int) -> None:
        self.sums = list(accumulate(1 / (number + 1) for number in range(count)))

    def take(self, source: random.Random) -> int:
        return min(bisect(self.sums, source.random() * self.sums[-1]), len(self.sums) - 1)


def readers(workload: Workload) -> list[list[int]]:
    """For each table, the views that read it; a view reads one to three."""
    source, tables = random.Random(workload.seed), Choice(workload.tables)
    found: list[list[int]] = [[] for _ in range(workload.tables)]
    for view in range(workload.views):
        for table in {tables.take(source) for _ in range(source.choice((1, 2, 3)))}:
            found[table].append(view)
    return found


def arrivals(workload: Workload) -> list[tuple[float, str, int]]:
    """When which table is written (`write`), and which view is asked (`query`)."""
    source = random.Random(workload.seed + 1)
    streams = [
        ("write", workload.writes_per_hour, workload.tables),
        ("query", workload.queries_per_hour, workload.views),
    ]
    found = []
    for what, per_hour, count in streams:
        choice, at = Choice(count), source.expovariate(per_hour / 3600)
        while at < workload.seconds:
            found.append((at, what, choice.take(source)))
            at += source.expovariate(per_hour / 3600)
    return sorted(found)
