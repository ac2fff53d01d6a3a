"""Prepare: what a source lacks for views over it to follow its changes."""

from collections.abc import Mapping
from dataclasses import dataclass

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.durations import SECONDS, seconds_of
from dbt_lazyview.maintenance.history import CHANGE_FEED
from dbt_lazyview.maintenance.retention import FILES_KEPT, KEPT
from dbt_lazyview.maintenance.tables import Detail


@dataclass(frozen=True)
class Need:
    """A table, what it lacks, and the properties that would mend it."""

    table: Name
    lacks: tuple[str, ...]
    properties: Mapping[str, str]


def need_of(table: Name, detail: Detail, days: int) -> Need | None:
    """
    What a table lacks; its changes shall stay readable for some days.

    Example:
        >>> need_of(("x", "t"), Detail("delta", "", 0, "", {}, 0), days=14).lacks
        ('its change data feed is off', 'files of older versions are kept for interval 7 days')
    """
    lacks, properties = [], {}
    if not detail.has_change_feed:
        lacks.append("its change data feed is off")
        properties[CHANGE_FEED] = "true"
    for key, default in KEPT.items():
        kept = detail.properties.get(key, default)
        if seconds_of(kept) < days * SECONDS["day"]:
            what = "files of older versions are" if key == FILES_KEPT else "its history is"
            lacks.append(f"{what} kept for {kept}")
            properties[key] = f"interval {days} days"
    return Need(table, tuple(lacks), properties) if lacks else None
