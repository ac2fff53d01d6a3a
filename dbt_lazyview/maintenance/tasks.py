"""Tasks: what is pending for a view between the cut its state stands for and now, told by commits alone (Z 2.2)."""

from collections.abc import Iterable
from dataclasses import dataclass

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.history import Commit, effect_of
from dbt_lazyview.maintenance.record import Position
from dbt_lazyview.maintenance.state import State
from dbt_lazyview.maintenance.tables import Tables, name_of
from dbt_lazyview.maintenance.windows import lineage_broken


@dataclass(frozen=True)
class Pending:
    """What a base table has in store for a view: its commits since the cut that changed rows."""

    source: Name
    after: int  # version of the cut
    upto: int  # version now
    commits: int = 0
    rows: int | None = 0  # None: some commit does not tell
    oldest: int | None = None  # epoch milliseconds
    operations: tuple[str, ...] = ()
    obstacle: Reason | None = None  # why its changes cannot be followed


@dataclass(frozen=True)
class Task:
    """What is pending for one view: many commits of many sources, to be done as one."""

    view: Name
    sources: tuple[Pending, ...] = ()

    @property
    def is_pending(self) -> bool:
        return any(each.commits or each.obstacle for each in self.sources)

    @property
    def commits(self) -> int:
        return sum(each.commits for each in self.sources)

    @property
    def rows(self) -> int | None:
        told = [each.rows for each in self.sources]
        return None if None in told else sum(rows for rows in told if rows is not None)

    @property
    def oldest(self) -> int | None:
        return min((each.oldest for each in self.sources if each.oldest is not None), default=None)


def task_of(tables: Tables, view: Name, state: State) -> Task:
    """Compare the cut in a state's record with the tables as they are now."""
    cut = state.record.cut if state.record else {}
    return Task(view, tuple(pending(tables, name_of(table), position) for table, position in cut.items()))


def pending(tables: Tables, source: Name, recorded: Position) -> Pending:
    """What happened to one base table since a recorded version."""
    detail = tables.source(source)
    if detail is None:
        return Pending(source, recorded.version, recorded.version, rows=None, obstacle=Reason.UNKNOWN_RELATION)
    if (detail.modified, detail.id) == (recorded.timestamp, recorded.id):
        return Pending(source, recorded.version, recorded.version)
    newest = tables.head(source, detail).version
    commits = tables.commits_between(source, recorded.version, newest)
    broken = lineage_broken(recorded, commits)
    if broken:
        return Pending(source, recorded.version, newest, rows=None, oldest=commits[0].timestamp, obstacle=broken)
    return summed_up(source, recorded.version, newest, [each for each in commits if each.version > recorded.version])


def summed_up(source: Name, after: int, upto: int, commits: Iterable[Commit]) -> Pending:
    """
    The commits that changed rows, as one.

    Example:
        >>> append = Commit(2, 70, "WRITE", {"mode": "Append"}, {"numOutputRows": "2"})
        >>> told = summed_up(("t",), 1, 3, [Commit(3, 90, "OPTIMIZE"), append])
        >>> told.commits, told.rows, told.oldest, told.operations
        (1, 2, 70, ('WRITE',))
    """
    changing = [each for each in commits if effect_of([each]).changed]
    oldest = min((each.timestamp for each in changing), default=None)
    operations = tuple(sorted({each.operation for each in changing}))
    return Pending(source, after, upto, len(changing), effect_of(changing).rows, oldest, operations)
