"""Retention: how long the changes of a table stay readable after they were superseded."""

from collections.abc import Mapping

from dbt_lazyview.maintenance.durations import seconds_of

# How long files of older versions, and commits, are kept; and Delta's own defaults.
FILES_KEPT = "delta.deletedFileRetentionDuration"
KEPT = {FILES_KEPT: "interval 7 days", "delta.logRetentionDuration": "interval 30 days"}


def files_kept_seconds(properties: Mapping[str, str]) -> float:
    """How old files of older versions have to be for VACUUM to delete them."""
    return seconds_of(properties.get(FILES_KEPT, KEPT[FILES_KEPT]))


def kept_seconds(properties: Mapping[str, str]) -> float:
    """
    For how long a version stays readable once there is a newer one.

    Example:
        >>> kept_seconds({"delta.logRetentionDuration": "interval 2 days"}) / 3600
        48.0
    """
    return min(seconds_of(properties.get(key, default)) for key, default in KEPT.items())
