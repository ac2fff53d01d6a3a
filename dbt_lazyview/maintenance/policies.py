"""Policies: who pays for maintenance, and when (C 2). Pure."""

DEFERRED, IMMEDIATE, SNAPSHOT = "deferred", "immediate", "snapshot"
POLICIES = (DEFERRED, IMMEDIATE, SNAPSHOT)

# What can set off a refresh; the record of a refresh says which it was.
RUN = "run"  # the view's own `dbt run`
DEMAND = "demand"  # a node that reads the view is about to be built or tested
CHILD = "child"  # a lazy view that reads it is brought to a new cut
WRITER = "writer"  # a dbt node wrote one of its sources
GROUP = "group"  # another view of its group is refreshed
OPERATION = "operation"  # `dbt run-operation refresh`
MANAGER = "manager"  # `lazyview manage`, in idle time
IDLE = "idle"  # the same where nothing is pending: only what waits in a view delta is applied

REFRESHED_BY = {
    DEFERRED: (RUN, OPERATION, DEMAND, CHILD, MANAGER),
    IMMEDIATE: (RUN, OPERATION, DEMAND, CHILD, WRITER, MANAGER),
    SNAPSHOT: (RUN, OPERATION),
}


def is_refreshed_by(policy: str, trigger: str) -> bool:
    """
    Whether a view of this policy is refreshed then; otherwise it is read as it is.

    Example:
        >>> is_refreshed_by(SNAPSHOT, DEMAND), is_refreshed_by(DEFERRED, DEMAND)
        (False, True)
    """
    return trigger in REFRESHED_BY[policy]
