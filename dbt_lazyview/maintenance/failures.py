"""What an error of the engine means for a refresh."""

from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.engine import EngineError
from dbt_lazyview.names import SUM_TOO_LARGE

RACES = (
    "DELTA_CONCURRENT_", "DELTA_METADATA_CHANGED", "DELTA_PROTOCOL_CHANGED", "ConcurrentModificationException",
    "TABLE_OR_VIEW_ALREADY_EXISTS", "AlreadyExistsException",  # replaced by two at once
)  # fmt: skip
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
# A sum left its type: our own word, and what Spark says under ANSI mode.
OVERFLOWS = (SUM_TOO_LARGE, "ARITHMETIC_OVERFLOW", "NUMERIC_VALUE_OUT_OF_RANGE")
BROKEN = "CONSTRAINT_VIOLATED"  # our own word
BROKEN_CONSTRAINTS = ("DELTA_VIOLATE_CONSTRAINT", "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION", f"[{BROKEN}]")

# What helps against the usual failures, by the words of Spark, Hadoop and the drivers.
REMEDIES = (
    (
        (
            "OutOfMemory",
            "Java heap space",
            "GC overhead limit",
            "maxResultSize",
            "Not enough memory",
            "broadcast the",
        ),
        "Give Spark more memory (spark.driver.memory, spark.executor.memory), or fold in less at once: max_changes.",
    ),
    (
        ("No space left on device", "Disk quota exceeded", "DiskErrorException", "File too large"),
        "Make room where the tables or Spark's temporary files lie.",
    ),
    (
        ("Permission denied", "AccessControlException", "AccessDenied", "Read-only file system", "not permitted"),
        "Let the user that Spark runs as write to the folder of the state table.",
    ),
    (
        ("JOB_CANCELLED", "Job aborted", "TaskKilled", "ExecutorLost", "cancelled"),
        "Tasks of Spark were killed or failed: run it again, and look into Spark's log if that does not help.",
    ),
)
COME_BACK = "Spark did not answer any more: run it again once it is back."
OTHERWISE = "Mend what Spark says, and run it again."


def remedy_for(error: EngineError) -> str:
    """
    What to do about a statement that failed.

    Example:
        >>> remedy_for(EngineError("Job aborted.\\nCaused by: java.io.IOException: No space left on device"))
        "Make room where the tables or Spark's temporary files lie."
    """
    if error.is_lost_connection:
        return COME_BACK
    return next((remedy for words, remedy in REMEDIES if any(word in str(error) for word in words)), OTHERWISE)


def is_race(error: EngineError) -> bool:
    """Whether somebody else committed first."""
    return any(word in str(error) for word in RACES)


def is_broken_constraint(error: EngineError) -> bool:
    """Whether Delta found rows that break a constraint."""
    return any(word in str(error) for word in BROKEN_CONSTRAINTS)


def is_overflow(error: EngineError) -> bool:
    """Whether a sum may have left its type on the way."""
    return any(word in str(error) for word in OVERFLOWS)


def why_unreadable(error: EngineError) -> Reason | None:
    """
    The reason to recompute, if the changes cannot be read any more.

    Example:
        >>> why_unreadable(EngineError("[DELTA_MISSING_CHANGE_DATA] Error getting change data"))
        <Reason.CHANGE_FEED_MISSING: 'LV032'>
    """
    return next((reason for word, reason in READ_FAILURES if word in str(error)), None)
