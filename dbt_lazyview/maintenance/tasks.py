"""Tasks: what is pending for a view between the cut its state stands for and now, told by commits alone (Z 2.2)."""

from dataclasses import dataclass, replace

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.history import Commit, effect_of
from dbt_lazyview.maintenance.probes import Cut
from dbt_lazyview.maintenance.record import Position
from dbt_lazyview.maintenance.retention import kept_seconds
from dbt_lazyview.maintenance.state import State
from dbt_lazyview.maintenance.tables import Tables, name_of, sql_name
from dbt_lazyview.maintenance.windows import is_same_version, lineage_broken


@dataclass(frozen=True)
class Pending:
    """
    What a base table has in store for a view: its commits since the cut that changed rows, newest first.

    Example:
        >>> append = Commit(2, 70, "WRITE", {"mode": "Append"}, {"numOutputRows": "2"})
        >>> told = Pending(("t",), 1, 3, (append,))
        >>> len(told.commits), told.rows, told.oldest, told.operations
        (1, 2, 70, ('WRITE',))
    """

    source: Name
    after: int  # version of the cut
    upto: int  # version now
    commits: tuple[Commit, ...] = ()
    obstacle: Reason | None = None  # why its changes cannot be followed
    is_copy: bool = False  # its source may have changed: it is compared when the view is refreshed
    superseded: int | None = None  # when the version of the cut got a successor; epoch milliseconds
    kept_seconds: float = 0.0  # how long a version stays readable after that

    @property
    def rows(self) -> int | None:
        """Changed rows; None: some commit does not tell."""
        return None if self.obstacle else effect_of(self.commits).rows

    @property
    def oldest(self) -> int | None:
        """Epoch milliseconds."""
        return min((each.timestamp for each in self.commits), default=None)

    @property
    def kept_until(self) -> int | None:
        """When the changes since the cut may be gone, epoch milliseconds; None: nothing can be lost."""
        if self.superseded is None or self.obstacle:
            return None
        return self.superseded + round(self.kept_seconds * 1000)

    def is_expiring(self, now: int) -> bool:
        """Whether more than half of the time is over."""
        return self.kept_until is not None and now > self.kept_until - self.kept_seconds * 500

    @property
    def operations(self) -> tuple[str, ...]:
        return tuple(sorted({each.operation for each in self.commits}))


@dataclass(frozen=True)
class Task:
    """What is pending for one view: many commits of many sources, to be done as one."""

    sources: tuple[Pending, ...] = ()

    @property
    def is_pending(self) -> bool:
        return any(each.commits or each.obstacle for each in self.sources)

    @property
    def is_known(self) -> bool:
        """Whether nothing else can be pending."""
        return not any(each.is_copy for each in self.sources)

    @property
    def commits(self) -> int:
        return sum(len(each.commits) for each in self.sources)

    @property
    def rows(self) -> int | None:
        told = [each.rows for each in self.sources]
        return None if None in told else sum(rows for rows in told if rows is not None)

    @property
    def oldest(self) -> int | None:
        return min((each.oldest for each in self.sources if each.oldest is not None), default=None)


def task_of(tables: Tables, state: State) -> Task:
    """Compare the cut in a state's record with the tables as they are now."""
    cut = state.record.cut if state.record else {}
    return Task(tuple(pending(tables, name_of(table), position) for table, position in cut.items()))


def task_upto(tables: Tables, state: State, cut: Cut) -> Task:
    """Compare the cut in a state's record with another one."""
    recorded = state.record.cut if state.record else {}
    moved = {
        name: at
        for name, at in cut.items()
        if sql_name(name) in recorded and not is_same_version(recorded[sql_name(name)], at)
    }
    return Task(tuple(pending_upto(tables, name, recorded[sql_name(name)], at.version) for name, at in moved.items()))


def pending(tables: Tables, source: Name, recorded: Position) -> Pending:
    """What happened to one base table since a recorded version."""
    detail = tables.source(source)
    if detail is None:
        return Pending(source, recorded.version, recorded.version, obstacle=Reason.UNKNOWN_RELATION)
    if (detail.modified, detail.id) == (recorded.timestamp, recorded.id):
        return Pending(source, recorded.version, recorded.version, is_copy=detail.is_copy)
    found = pending_upto(tables, source, recorded, tables.head(source, detail).version)
    return replace(found, kept_seconds=kept_seconds(detail.properties))


def pending_upto(tables: Tables, source: Name, recorded: Position, upto: int) -> Pending:
    """What happened to one base table between a recorded version and another."""
    commits = tables.commits_between(source, recorded.version, upto)
    detail = tables.source(source)
    broken = lineage_broken(recorded, commits, detail.id if detail else "")
    span = commits[:1] if broken else [each for each in commits if recorded.version < each.version <= upto]
    changing = tuple(each for each in span if effect_of([each]).changed)
    superseded = None if broken else min((each.timestamp for each in span), default=None)
    return Pending(source, recorded.version, upto, changing, broken, bool(detail and detail.is_copy), superseded)
