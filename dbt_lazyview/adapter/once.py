"""Work that is done once in an invocation, whoever asks first; the others wait for it, and share its failure."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """Results by key, safe with many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._results: dict[str, Future[T]] = {}

    def get(self, key: str, work: Callable[[], T]) -> T:
        """
        The result for a key; the first to ask does the work.

        Example:
            >>> once = Once()
            >>> once.get("a", lambda: 1), once.get("a", lambda: 2)
            (1, 1)
        """
        result, is_mine = self._claim(key)
        if is_mine:
            try:
                result.set_result(work())
            except BaseException as problem:
                result.set_exception(problem)
        return result.result()

    def has(self, key: str) -> bool:
        """Whether the work was begun."""
        with self._lock:
            return key in self._results

    def put(self, key: str, value: T) -> None:
        """Let a result stand that came about in another way."""
        result, is_mine = self._claim(key)
        if is_mine:
            result.set_result(value)

    def _claim(self, key: str) -> tuple[Future[T], bool]:
        with self._lock:
            is_mine = key not in self._results
            return self._results.setdefault(key, Future()), is_mine
