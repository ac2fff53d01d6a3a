"""How far a run has come, and how long the rest will take if it goes on like this."""

from collections.abc import Mapping

BELIEVED = 300.0  # seconds by the weights that count as much as seconds that passed: the first points say little


class Progress:
    """Points that wait, by section; a section's points weigh what they take at scale factor 1, in seconds."""

    def __init__(self, waiting: Mapping[str, int], weights: Mapping[str, float]) -> None:
        self._waiting, self._weights = dict(waiting), weights
        self._done = 0.0

    def done(self, section: str) -> None:
        self._waiting[section] = max(self._waiting.get(section, 0) - 1, 0)
        self._done += self._weights[section]

    def skipped(self, section: str) -> None:
        """The section is over, whatever was expected of it."""
        self._waiting[section] = 0

    def rest(self, elapsed: float) -> float:
        """
        Seconds to go, after so many.

        Example:
            >>> progress = Progress({"curves": 3, "idle": 1}, {"curves": 500, "idle": 1000})
            >>> progress.rest(0)
            2500.0
            >>> progress.done("curves")
            >>> progress.rest(1300)  # twice as long as the weights say, after a while
            4000.0
        """
        left = float(sum(count * self._weights[section] for section, count in self._waiting.items()))
        return left * (elapsed + BELIEVED) / (self._done + BELIEVED)


def told(seconds: float) -> str:
    """
    A time for people.

    Example:
        >>> told(42), told(321), told(7400)
        ('42 s', '5 min', '2.1 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
