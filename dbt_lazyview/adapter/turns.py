"""One at a time for each key: threads of one process need not race for the same view."""

import threading


class Turns:
    """
    A lock per key.

    Example:
        >>> turns = Turns()
        >>> turns.of("a") is turns.of("a"), turns.of("a") is turns.of("b")
        (True, False)
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._turns: dict[str, threading.Lock] = {}

    def of(self, key: str) -> threading.Lock:
        with self._lock:
            return self._turns.setdefault(key, threading.Lock())
