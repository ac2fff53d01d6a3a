"""How a refresh was asked for, and what came of it: a plan is data, carried out or printed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from dbt_lazyview.compiler.derivation import ALL_ON, Options
from dbt_lazyview.compiler.plan import Among, Stage
from dbt_lazyview.maintenance.affected import Affected
from dbt_lazyview.maintenance.decide import OVERWRITE, WRITES_ALL, Decision
from dbt_lazyview.maintenance.groups import Elsewhere, none_elsewhere
from dbt_lazyview.maintenance.policies import OPERATION, RUN
from dbt_lazyview.maintenance.record import Record
from dbt_lazyview.maintenance.state import State
from dbt_lazyview.maintenance.until import Until


@dataclass(frozen=True)
class Request:
    """How a refresh was asked for."""

    full_refresh: bool = False
    trigger: str = RUN
    until: Until | None = None  # None: now
    options: Options = ALL_ON  # passes of the compiler
    elsewhere: Elsewhere = none_elsewhere

    @property
    def is_due(self) -> bool:
        """Whether the view was asked for by name, and not because somebody reads it or wrote for it."""
        return self.trigger in (RUN, OPERATION)


@dataclass(frozen=True)
class Check:
    """A query that tells of each constraint how many rows would break it, and one of them."""

    constraints: tuple[str, ...]
    query: str


@dataclass(frozen=True)
class LargeMerge:
    """
    What to run instead where a relation, the staged change of the view, turns out to have few rows: by the values that
    one of its keys has, if there is one whose values are whole numbers, and few.
    """

    relation: str
    keys: tuple[str, ...]  # of whole numbers
    statement: Callable[[Among | None], str]


@dataclass(frozen=True)
class Plan:
    """A decision and how it is carried out; `statement` is empty where nothing has to be written."""

    decision: Decision
    state: State
    statement: str = ""
    record: Record | None = None
    replaces_state: bool = False
    stages: tuple[Stage, ...] = ()  # computed before the statement, which reads them
    is_small: bool = False  # few rows changed
    large_merge: LargeMerge | None = None  # into a large state
    checks_sums: bool = False  # fails where a sum overflows that it adds to
    into: State | None = None  # the view delta, where it is written to that instead of the state
    check: Check | None = None  # of what is written, which Delta does not look at by itself
    affected: Affected | None = None  # where the statement is a query, the files whose rows its rows stand for

    @property
    def leaves_only_new_files(self) -> bool:
        """Whether the state has no files afterwards that were there before."""
        is_rewritten = self.affected is not None and 0 < self.affected.files == self.affected.of
        is_overwritten = self.record is not None and self.record.strategy == OVERWRITE
        return self.into is None and (self.decision.kind in WRITES_ALL or is_overwritten or is_rewritten)

    def noting(self, **facts: Any) -> "Plan":
        """The plan, with more in its record."""
        return replace(self, record=replace(self.record, **facts)) if self.record else self

    @property
    def stands_for(self) -> Record:
        """The record of the state once the plan is carried out."""
        record = self.record or self.state.record
        assert record is not None
        return record
