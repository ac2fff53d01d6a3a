"""Lengths of time as people and Delta write them."""

import re

SECONDS = {"second": 1, "s": 1, "minute": 60, "min": 60, "hour": 3600, "h": 3600, "day": 86400, "d": 86400}
SECONDS["week"] = 7 * SECONDS["day"]
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]+)")


def seconds_of(text: str | float) -> float:
    """
    Seconds of a length of time.

    Example:
        >>> seconds_of("interval 1 week"), seconds_of("2 h 30 min"), seconds_of(90)
        (604800.0, 9000.0, 90.0)
    """
    words = str(text).strip().lower().removeprefix("interval").strip()
    if re.fullmatch(r"\d+(\.\d+)?", words):
        return float(words)
    parts = _PART.findall(words)
    if not parts or _PART.sub("", words).strip() or any(_unit(word) not in SECONDS for _, word in parts):
        raise ValueError(f"{text} is not a length of time: write for example 90 s, 15 min, 2 hours or 1 day.")
    return sum(float(count) * SECONDS[_unit(word)] for count, word in parts)


def spoken(seconds: float) -> str:
    """
    A length of time for people.

    Example:
        >>> spoken(0.34), spoken(21.08), spoken(75.2), spoken(3 * 3600 + 10), spoken(59.97)
        ('0.3 s', '21 s', '1 min 15 s', '3 h 0 min', '1 min 0 s')
    """
    if round(seconds) < 60:
        return f"{seconds:.1f} s" if round(seconds, 1) < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _unit(word: str) -> str:
    return word if word in SECONDS else word.removesuffix("s")
