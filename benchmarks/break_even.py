"""Where two ways of refreshing cost the same: the share of changed rows at which the quicker one becomes the slower."""

from collections.abc import Mapping
from math import exp, log, sqrt

FIRST, LEAST, MOST = 0.1, 0.0125, 0.8
CLOSE = 1.5  # quotient of the shares around a crossing that are near enough to interpolate between
Ratios = Mapping[float, float]  # full time over incremental time, by share


def next_share(found: Ratios) -> float | None:
    """
    The share to measure next; None where there is nothing more to learn.

    Example:
        >>> next_share({}), next_share({0.1: 3.0}), next_share({0.1: 3.0, 0.2: 0.5})
        (0.1, 0.2, 0.1414)
        >>> next_share({0.1: 3.0, 0.2: 0.5, 0.1414: 0.9})
    """
    if not found:
        return FIRST
    below, above = _around(found)
    if below is None:
        lower = round(min(found) / 2, 4)
        return lower if lower >= LEAST else None
    if above is None:
        higher = round(max(found) * 2, 4)
        return higher if higher <= MOST else None
    return None if above / below <= CLOSE else round(sqrt(above * below), 4)


def crossing(found: Ratios) -> float | None:
    """
    The share at which both cost the same, interpolated between measured ones; None if they never met.

    Example:
        >>> round(crossing({0.1: 2.0, 0.2: 0.5}), 3), crossing({0.1: 2.0}), crossing({0.1: 0.5})
        (0.141, None, None)
    """
    below, above = _around(found)
    if below is None or above is None:
        return None
    high, low = log(found[below]), log(found[above])
    return exp(log(below) + (log(above) - log(below)) * high / (high - low)) if high > low else below


def _around(found: Ratios) -> tuple[float | None, float | None]:
    """The greatest share up to which incremental was quicker throughout, and the least one at which it was not."""
    above = min((share for share, ratio in found.items() if ratio <= 1), default=None)
    quicker = [share for share, ratio in found.items() if ratio > 1 and (above is None or share < above)]
    return max(quicker, default=None), above
