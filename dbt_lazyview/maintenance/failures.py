"""What an error of the engine means for a refresh."""

from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.engine import EngineError

RACES = ("DELTA_CONCURRENT_", "DELTA_METADATA_CHANGED", "DELTA_PROTOCOL_CHANGED", "ConcurrentModificationException")
# The change feed could not be read although the history looked right: the words of Delta, and what they mean.
READ_FAILURES = (
    ("DELTA_MISSING_CHANGE_DATA", Reason.CHANGE_FEED_MISSING),
    ("DELTA_CHANGE_DATA_FEED_INCOMPATIBLE", Reason.SOURCE_SCHEMA_CHANGED),
    ("DELTA_CHANGE_DATA_FILE_NOT_FOUND", Reason.HISTORY_GONE),
    ("DELTA_FILE_NOT_FOUND", Reason.HISTORY_GONE),
    ("FAILED_READ_FILE", Reason.HISTORY_GONE),
    ("DELTA_UNSUPPORTED_TIME_TRAVEL", Reason.HISTORY_GONE),
    ("DELTA_TRUNCATED_TRANSACTION_LOG", Reason.HISTORY_GONE),
    ("DELTA_VERSIONS_NOT_CONTIGUOUS", Reason.HISTORY_GONE),
    ("DELTA_LOG_FILE_NOT_FOUND", Reason.HISTORY_GONE),
)


def is_race(error: EngineError) -> bool:
    """Whether somebody else committed first."""
    return any(word in str(error) for word in RACES)


def why_unreadable(error: EngineError) -> Reason | None:
    """
    The reason to recompute, if the changes cannot be read any more.

    Example:
        >>> why_unreadable(EngineError("[DELTA_MISSING_CHANGE_DATA] Error getting change data"))
        <Reason.CHANGE_FEED_MISSING: 'LV032'>
    """
    return next((reason for word, reason in READ_FAILURES if word in str(error)), None)
