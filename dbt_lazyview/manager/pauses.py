"""Pauses: what failed, a view or a server that does not answer, is tried again later and later. Pure."""

FIRST, LONGEST = 5.0, 600.0  # seconds


class Pauses:
    """
    By key, how long to leave it alone.

    Example:
        >>> pauses = Pauses()
        >>> pauses.fail("v", now=0.0), pauses.fail("v", now=10.0), pauses.is_over("v", now=12.0)
        (5.0, 10.0, False)
        >>> pauses.clear("v")
        >>> pauses.is_over("v", now=12.0)
        True
    """

    def __init__(self, first: float = FIRST, longest: float = LONGEST) -> None:
        self.first, self.longest = first, longest
        self._until: dict[str, tuple[float, float]] = {}  # key -> length of the pause, its end

    def fail(self, key: str, now: float) -> float:
        """Begin a pause, twice as long as the last one; how long."""
        before, _ = self._until.get(key, (0.0, 0.0))
        length = min(before * 2 or self.first, self.longest)
        self._until[key] = (length, now + length)
        return length

    def clear(self, key: str) -> None:
        self._until.pop(key, None)

    def is_over(self, key: str, now: float) -> bool:
        return now >= self._until.get(key, (0.0, 0.0))[1]
