"""What is told of files that rows came and went with: the least and the greatest value of columns, without a query."""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.plan import Extent, Window
from dbt_lazyview.maintenance.engine import Engine

Ends = tuple[str, str]  # the least and the greatest value, as texts
Value = tuple[Decimal, str]  # as it is compared
DATE = re.compile(r"\d{4}-\d\d-\d\d")  # years of four digits sort by their text
_NUMBER = re.compile(r"-?\d+")


class Statistics:
    """The statistics of files, read once for each window."""

    def __init__(self, engine: Engine) -> None:
        self._shortcuts = engine.shortcuts
        self._read: dict[tuple[Name, int, int], Sequence[Mapping[str, Any]] | None] = {}
        self._of_changes: dict[tuple[Name, int, int, str], Ends | None] = {}

    def ends(self, name: Name, window: Window, column: str) -> Ends | None:
        """Between which values lies a column in all rows that came in a window, and perhaps in some others."""
        files = self.files(name, window)
        return outermost([ends_in(each, column) for each in files]) if files else None

    def ends_of_changes(self, name: Name, window: Window, column: str) -> Ends | None:
        """The same of all rows that came or went: what came by the statistics, what went by the files themselves."""
        if window.insert_only:
            return self.ends(name, window, column)
        key = (name, window.after, window.upto, column)
        if key not in self._of_changes:
            can_tell = self._shortcuts is not None and not window.is_open
            self._of_changes[key] = self._shortcuts.ends_of_changes(*key) if self._shortcuts and can_tell else None
        return self._of_changes[key]

    def files(self, name: Name, window: Window) -> Sequence[Mapping[str, Any]] | None:
        """What is told of every file that was added in a window; None where not all of them are known."""
        key = (name, window.after, window.upto)
        if key not in self._read:
            can_tell = self._shortcuts is not None and not window.is_open
            self._read[key] = self._shortcuts.statistics(*key) if self._shortcuts and can_tell else None
        return self._read[key]


def ends_in(file: Mapping[str, Any], column: str) -> Ends | None:
    low, high = (file.get(each, {}).get(column) for each in ("minValues", "maxValues"))
    return (low, high) if isinstance(low, str) and isinstance(high, str) else None


def outermost(ends: Sequence[Ends | None]) -> Ends | None:
    """
    The ends of all together, where all are known and can be compared.

    Example:
        >>> outermost([("9", "10"), ("-4", "3")]), outermost([("9", "10"), None]), outermost([])
        (('-4', '10'), None, None)
        >>> outermost([("2024-01-05", "2024-02-01"), ("+10000-01-01", "+10000-01-01")])
    """
    known = [each for each in ends if each is not None]
    texts = {told for each in known for told in each}
    values = {told: value for told in texts if (value := _value(told)) is not None}
    if not known or len(known) < len(ends) or len(values) < len(texts):
        return None
    return min((low for low, _ in known), key=values.__getitem__), max(
        (high for _, high in known), key=values.__getitem__
    )


def extents_of(known: Iterable[tuple[str, Ends | None]]) -> tuple[Extent, ...]:
    """Ends of columns, those that are known to be whole numbers or dates."""
    values = [(column, _comparable(ends[0]), _comparable(ends[1])) for column, ends in known if ends is not None]
    return tuple(
        Extent(column, low, high) for column, low, high in values if low is not None and high is not None
    )  # fmt: skip


def _comparable(told: str) -> int | str | None:
    if _NUMBER.fullmatch(told):
        return int(told)
    return told if DATE.fullmatch(told) else None


def _value(told: str) -> Value | None:
    """Numbers sort by their value, dates with years of four digits by their text; nothing else is compared."""
    if DATE.fullmatch(told):
        return Decimal(0), told
    try:
        return Decimal(told), ""
    except InvalidOperation:
        return None
