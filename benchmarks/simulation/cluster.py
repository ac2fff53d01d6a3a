"""A cluster of some slots: who comes first is served first, and work in the background only where a slot is free."""

import heapq
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

Then = Callable[[], None]


@dataclass(frozen=True)
class Job:
    """So many seconds of one slot, and what happens then."""

    seconds: float
    then: Then
    is_background: bool = False


class Events:
    """A clock, and what will happen at which time; at the same time, what was planned first."""

    def __init__(self) -> None:
        self.now, self._count = 0.0, 0
        self._heap: list[tuple[float, int, Then]] = []

    def after(self, seconds: float, then: Then) -> None:
        self._count += 1
        heapq.heappush(self._heap, (self.now + seconds, self._count, then))

    def run(self, until: float) -> None:
        while self._heap and self._heap[0][0] <= until:
            self.now, _, then = heapq.heappop(self._heap)
            then()
        self.now = until


class Cluster:
    """Slots, and the jobs that wait for one."""

    def __init__(self, events: Events, slots: int) -> None:
        self.events, self.slots, self.running, self._worked, self._since = events, slots, 0, 0.0, 0.0
        self._waiting: deque[Job] = deque()
        self._background: deque[Job] = deque()

    @property
    def is_busy(self) -> bool:
        """Whether half of the slots work, or somebody waits."""
        return bool(self._waiting) or self.running * 2 > self.slots

    @property
    def work(self) -> float:
        """Seconds that slots were busy until now."""
        return self._worked + self.running * (self.events.now - self._since)

    def submit(self, job: Job) -> None:
        (self._background if job.is_background else self._waiting).append(job)
        self._start()

    def _start(self) -> None:
        while self.running < self.slots and (self._waiting or self._background):
            job = (self._waiting or self._background).popleft()
            self._change(+1)
            self.events.after(job.seconds, lambda job=job: self._end(job))

    def _end(self, job: Job) -> None:
        self._change(-1)
        job.then()
        self._start()

    def _change(self, by: int) -> None:
        self._worked, self._since = self.work, self.events.now
        self.running += by
