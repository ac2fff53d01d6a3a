"""The order of refreshes: parents before children, otherwise the oldest pending change first (Z 3.5)."""

import heapq
from collections.abc import Mapping, Sequence

NEVER = float("inf")


def oldest_first(parents: Mapping[str, Sequence[str]], oldest: Mapping[str, int | None]) -> list[str]:
    """
    Order views: `parents` of each view, and the time of the oldest change pending for it.

    Example:
        >>> oldest_first({"a": [], "b": ["a"], "c": []}, {"a": 9, "b": 1, "c": 5})
        ['c', 'a', 'b']
    """

    def key(view: str) -> tuple[float, str]:
        since = oldest.get(view)
        return (NEVER if since is None else since, view)

    waiting = {view: {each for each in above if each in parents} for view, above in parents.items()}
    ready = [key(view) for view, above in waiting.items() if not above]
    heapq.heapify(ready)
    ordered = []
    while ready:
        _, done = heapq.heappop(ready)
        ordered.append(done)
        for view, above in waiting.items():
            if done in above:
                above.remove(done)
                if not above:
                    heapq.heappush(ready, key(view))
    return ordered
