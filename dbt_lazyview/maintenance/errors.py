"""Refreshes that fail: what happened to which view, why, and what to do."""

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.reasons import Problem, Reason
from dbt_lazyview.maintenance.engine import EngineError
from dbt_lazyview.maintenance.failures import is_broken_constraint, remedy_for
from dbt_lazyview.maintenance.tables import sql_name

WHAT_HAPPENED = {
    Reason.REFRESH_MODE_FULL: "its refresh mode is full",
    Reason.DEFINITION_CHANGED: "its query is not the one its stored rows were computed by",
    Reason.SETTINGS_CHANGED: "the session's time zone or ANSI mode is not the one its stored rows were computed under",
    Reason.STATE_MISSING: "its state table was dropped",
    Reason.STATE_CHANGED: "its state table was changed by somebody else",
    Reason.RECORD_MISSING: "the record of its last refresh is gone from the history of its state",
    Reason.RECORD_FORMAT: "its state was written by a newer release of dbt-lazyview, or its properties were changed",
    Reason.SOURCE_RECREATED: "a source was dropped and created again",
    Reason.SOURCE_SCHEMA_CHANGED: "columns or partitions of a source changed",
    Reason.CHANGE_FEED_MISSING: "rows of a source changed while its change data feed was off",
    Reason.HISTORY_GONE: "the changes of a source since the last refresh are no longer kept",
}
REFRESH = "Refresh it with dbt run, or with dbt run-operation refresh."
REBUILD = "Rebuild it once with --full-refresh, or set refresh_mode: auto."
REMEDIES = {
    Reason.CHANGE_FEED_MISSING: f"Set the table property delta.enableChangeDataFeed = true on that source. {REBUILD}",
    Reason.HISTORY_GONE: f"Refresh more often, or keep the source's history longer. {REBUILD}",
    Reason.RECORD_FORMAT: f"Upgrade dbt-lazyview. {REBUILD}",
}


def what_happened(reason: Reason) -> str:
    """The reason as part of a sentence."""
    return WHAT_HAPPENED.get(reason, reason.word.replace("_", " "))


class RefreshError(Exception):
    """
    A refresh that did not happen; the view still shows its old cut. What to do is a sentence, or the whole message of
    a problem behind this one.
    """

    def __init__(self, reason: Reason, what: str, to_do: str) -> None:
        self.reason = reason
        see = f"  See docs/reasons.md#{reason.code.lower()} [{reason.code}]"
        super().__init__(f"{what}\n{to_do}" if to_do.endswith(see) else f"{what}\n  {to_do}\n{see}")


def refused(view: Name, reason: Reason, about: str, problems: tuple[Problem, ...]) -> RefreshError:
    """The view may only be maintained incrementally, and that is not possible (any more)."""
    if reason not in WHAT_HAPPENED:
        told = "\n".join(problem.render() for problem in problems)
        return RefreshError(reason, f"{sql_name(view)} cannot be maintained incrementally.", told)
    source = f" ({about})" if about else ""
    what = f"{sql_name(view)} needs a full refresh, and refresh_mode is incremental: {WHAT_HAPPENED[reason]}{source}."
    return RefreshError(reason, what, REMEDIES.get(reason, REBUILD))


class NotBuilt(RefreshError):
    """There is no state to refresh yet."""

    def __init__(self, view: Name) -> None:
        super().__init__(Reason.STATE_MISSING, f"{sql_name(view)} is not built yet.", "Build it with dbt run.")


def unreadable(view: Name, reason: Reason) -> RefreshError:
    """A snapshot that others read as it is, and that cannot be believed."""
    what = f"{sql_name(view)} is a snapshot that has to be refreshed before it is read: {WHAT_HAPPENED[reason]}."
    return RefreshError(reason, what, REFRESH)


def refresh_first(view: Name, reason: Reason) -> RefreshError:
    """What is stored cannot be compared or read as it is."""
    return RefreshError(reason, f"{sql_name(view)} has to be refreshed first: {what_happened(reason)}.", REFRESH)


def stays(group: str, problem: RefreshError) -> RefreshError:
    """One view of a group failed, so the others do not show what they already have."""
    what = f"The view group {group} stays where it is, because of one of its views."
    return RefreshError(problem.reason, what, str(problem))


def lost(view: Name, attempts: int) -> RefreshError:
    """Others were faster again and again."""
    return RefreshError(
        Reason.LOST_RACE,
        f"{sql_name(view)} was not refreshed: others changed it or its sources during each of {attempts} attempts.",
        "Try again later, or let fewer processes refresh it.",
    )


def too_large(view: Name, reason: Reason, about: str, found: str, limit: str) -> RefreshError:
    """A full refresh that nobody asked for, of more than the model allows."""
    source = f" ({about})" if about else ""
    return RefreshError(
        Reason.FULL_REFRESH_TOO_LARGE,
        f"{sql_name(view)} needs a full refresh: {what_happened(reason)}{source}.\n"
        f"  Its sources have {found}, and full_refresh_limit is {limit}.",
        "Run it once with --full-refresh, raise the limit, or mend what made it necessary.",
    )


def broken(view: Name, error: EngineError) -> RefreshError:
    """Rows would break a constraint of the model's contract."""
    return RefreshError(
        Reason.CONSTRAINT_VIOLATED,
        f"{sql_name(view)} was not refreshed: its rows would break a constraint of its contract.\n  {error}",
        "Its readers see the rows it had before. Correct the rows of its sources, its query, or the constraint.",
    )


def failed(view: Name, error: EngineError) -> RefreshError:
    """A statement failed: of which view, in which step, in Spark's words, and what to do."""
    if is_broken_constraint(error):
        return broken(view, error)
    step = f" The step that failed: {error.step}." if error.step else ""
    return RefreshError(
        Reason.REFRESH_FAILED,
        f"{sql_name(view)} was not refreshed: {error}\n {step} {remedy_for(error)}",
        "Nothing has to be repaired: the next refresh goes on from the last complete one.",
    )


def log_unusable(log: str, source: str, copy: Name, why: str) -> RefreshError:
    """What the log of a source tells cannot be folded into its copy."""
    what = f"The log {log} of {source} cannot be followed: {why}."
    remedy = f"Mend the log; or drop the copy, to begin with the rows of the source: drop table {sql_name(copy)}."
    return RefreshError(Reason.LOG_UNUSABLE, f"{what}\n  Each entry is applied once, in order.", remedy)
