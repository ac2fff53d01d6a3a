"""Who pays for maintenance: the writer (eager), the reader (lazy), idle time (manager), nobody in time (snapshot)."""

from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.simulation.cluster import Cluster, Events, Job
from benchmarks.simulation.workload import Costs, Workload, arrivals, readers
from dbt_lazyview.manager.schedule import Budget, Queue, Rules, Task, What, choose

SNAPSHOT_EVERY = 3600.0  # seconds


@dataclass
class Told:
    """What happened; seconds."""

    updates: list[float] = field(default_factory=list)  # response times
    queries: list[float] = field(default_factory=list)
    ages: list[float] = field(default_factory=list)  # of the oldest change that a query did not see
    behind: list[float] = field(default_factory=list)  # age of the oldest change when views with a goal showed it
    work: float = 0.0  # of all slots
    maintenance: float = 0.0
    refreshes: int = 0
    unfinished: int = 0  # updates and queries that wait at the end


class Lazy:
    """Writers only write; who asks a view waits until it is current."""

    has_manager = False

    def __init__(self, workload: Workload, events: Events) -> None:
        self.workload, self.events, self.told = workload, events, Told()
        self.cluster = Cluster(events, workload.slots)
        self.readers = readers(workload)
        self.pending: dict[int, tuple[float, int]] = {}  # view -> its oldest change, how many commits
        self.refreshing: dict[int, list[Callable[[], None]]] = {}  # view -> who waits for it

    def write(self, table: int) -> None:
        began = self.events.now
        self.cluster.submit(Job(self.workload.costs.write, lambda: self.written(table, began)))

    def written(self, table: int, began: float) -> None:
        self.told.updates.append(self.events.now - began)
        for view in self.readers[table]:
            oldest, commits = self.pending.get(view, (self.events.now, 0))
            self.pending[view] = (oldest, commits + 1)
            self.noticed(view)

    def noticed(self, view: int) -> None:
        """Something is pending for a view."""

    def query(self, view: int) -> None:
        began = self.events.now

        def answer() -> None:
            self.cluster.submit(Job(self.workload.costs.query, lambda: self.answered(began)))

        self.current(view, answer, is_background=False)

    def answered(self, began: float) -> None:
        self.told.queries.append(self.events.now - began)

    def current(self, view: int, then: Callable[[], None], is_background: bool) -> None:
        """Refresh a view if it has to be, and go on; who comes while it is refreshed waits for that."""
        if view in self.refreshing:
            self.refreshing[view].append(lambda: self.current(view, then, is_background))
        elif view in self.pending:
            self.refresh(view, then, is_background)
        else:
            then()

    def refresh(self, view: int, then: Callable[[], None], is_background: bool) -> None:
        oldest, commits = self.pending.pop(view)
        seconds, self.refreshing[view] = self.workload.costs.of_refresh(commits), [then]

        def end() -> None:
            self.told.refreshes += 1
            self.told.maintenance += seconds
            if view < self.workload.goals:
                self.told.behind.append(self.events.now - oldest)
            for each in self.refreshing.pop(view):
                each()

        self.cluster.submit(Job(seconds, end, is_background))


class Eager(Lazy):
    """The writer waits until all views over the table are current."""

    def write(self, table: int) -> None:
        began, costs = self.events.now, self.workload.costs
        maintenance = costs.of_refresh(1) * len(self.readers[table])

        def end() -> None:
            self.told.updates.append(self.events.now - began)
            self.told.refreshes += len(self.readers[table])
            self.told.maintenance += maintenance
            goals = sum(view < self.workload.goals for view in self.readers[table])
            self.told.behind += [self.events.now - began] * goals

        self.cluster.submit(Job(costs.write + maintenance, end))


class Managed(Lazy):
    """As lazy; and a manager works where slots are free, one view at a time."""

    rules = Rules(every=5.0, patience=86400.0, combine=5.0, share=0.9)

    def __init__(self, workload: Workload, events: Events) -> None:
        super().__init__(workload, events)
        self.queue, self.budget = Queue(self.rules), Budget(self.rules.share)
        events.after(self.rules.every, self.step)

    def noticed(self, view: int) -> None:
        oldest, commits = self.pending[view]
        goal = self.workload.goal if view < self.workload.goals else None
        self.queue.put(Task(str(view), oldest, goal, self.workload.costs.of_refresh(commits), commits=commits))

    def refresh(self, view: int, then: Callable[[], None], is_background: bool) -> None:
        self.queue.drop(str(view))
        super().refresh(view, then, is_background)

    def may(self, task: Task) -> bool:
        return int(task.view) not in self.refreshing

    def step(self) -> None:
        now, busy = self.events.now, "slots" if self.cluster.is_busy else ""
        choice = choose(
            self.queue, now, self.budget.rest(now), busy, lambda task: int(task.view) not in self.refreshing
        )
        if choice.what is What.SLEEP or choice.task is None:
            self.events.after(min(choice.seconds, self.rules.every), self.step)
            return

        def end() -> None:
            self.budget.spend(self.events.now - now, self.events.now)
            self.step()

        self.refresh(int(choice.task.view), end, is_background=True)


class Snapshot(Lazy):
    """Every hour, all views that something is pending for are refreshed; who asks sees them as they are."""

    def __init__(self, workload: Workload, events: Events) -> None:
        super().__init__(workload, events)
        events.after(SNAPSHOT_EVERY, self.cycle)

    def query(self, view: int) -> None:
        began, (oldest, _) = self.events.now, self.pending.get(view, (self.events.now, 0))
        self.told.ages.append(self.events.now - oldest)
        self.cluster.submit(Job(self.workload.costs.query, lambda: self.answered(began)))

    def cycle(self) -> None:
        for view in [each for each in self.pending if each not in self.refreshing]:
            self.refresh(view, lambda: None, is_background=True)
        self.events.after(SNAPSHOT_EVERY, self.cycle)


POLICIES: dict[str, type[Lazy]] = {"eager": Eager, "lazy": Lazy, "lazy with manager": Managed, "snapshot": Snapshot}


def simulate(policy: str, workload: Workload) -> Told:
    """What happens under a policy."""
    events = Events()
    world = POLICIES[policy](workload, events)
    coming = arrivals(workload)
    for at, what, number in coming:
        act = world.write if what == "write" else world.query
        events.after(at, lambda act=act, number=number: act(number))
    events.run(workload.seconds)
    world.told.work = world.cluster.work
    late = [events.now - oldest for view, (oldest, _) in world.pending.items() if view < workload.goals]
    world.told.behind += [age for age in late if age > workload.goal]
    world.told.unfinished = len(coming) - len(world.told.updates) - len(world.told.queries)
    return world.told


def one_update_and_a_query(policy: str, delay: float, maintenance: float) -> tuple[float, float]:
    """Response times of an update and of a query that comes so long after it returned (Z, figure 7)."""
    costs = Costs(write=0.5, query=5.0, refresh=maintenance, commit=0.0)
    workload = Workload(views=1, tables=1, slots=2, goals=0, costs=costs)
    events = Events()
    world = POLICIES[policy](workload, events)
    world.write(0)
    events.run(costs.write + (maintenance if policy == "eager" else 0.0))
    events.after(delay, lambda: world.query(0))
    events.run(workload.seconds)
    return world.told.updates[0], world.told.queries[0]
