"""One at a time for each key: threads of one process need not race for the same view."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """
    A lock per key, and who uses it or waits for it.

    Example:
        >>> turns = Turns()
        >>> with turns.of("a"):
        ...     turns.is_taken("a"), turns.is_taken("b")
        (True, False)
        >>> turns.is_taken("a")
        False
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._turns: dict[str, threading.Lock] = {}
        self._users: Counter[str] = Counter()

    @contextmanager
    def of(self, key: str) -> Iterator[None]:
        """Wait for whoever has this turn, then have it."""
        with self._lock:
            turn = self._turns.setdefault(key, threading.Lock())
            self._users[key] += 1
        try:
            with turn:
                yield
        finally:
            with self._lock:
                self._users[key] -= 1

    def is_taken(self, key: str) -> bool:
        """Whether somebody has this turn, or waits for it."""
        with self._lock:
            return self._users[key] > 0


# Of this process: dbt makes an adapter for each invocation, and a manager may work beside them.
TURNS = Turns()
