"""Demands: views that other processes refresh on demand, as far as they told; they wait for what runs."""

import threading
import time
from collections.abc import Callable

from dbt_lazyview.adapter.manager_client import WAIT as WAIT

LEFT_ALONE = 60.0  # seconds that a view is left to whoever asked for it
LONGEST = 45.0  # seconds that somebody is kept waiting before he has to ask again
LOOK = 0.1


class Demands:
    """
    Keys of views, and until when they are left alone.

    Example:
        >>> demands = Demands()
        >>> demands.wait("a", running=lambda: "b"), demands.has("a"), demands.has("b")
        (False, True, False)
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._lock = threading.Lock()
        self._until: dict[str, float] = {}

    def wait(self, key: str, running: Callable[[], str | None]) -> bool:
        """Leave a view to whoever asks, and come back when nobody works on it; whether somebody still does."""
        with self._lock:
            self._until[key] = self.clock() + LEFT_ALONE
        give_up = self.clock() + LONGEST
        while running() == key and self.clock() < give_up:
            time.sleep(LOOK)
        return running() == key

    def has(self, key: str) -> bool:
        with self._lock:
            return self.clock() < self._until.get(key, 0.0)
