"""A view at the cut, and what happened on the way there."""

from collections.abc import Mapping
from dataclasses import dataclass

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.decide import NOOP
from dbt_lazyview.maintenance.history import Commit, rows_written
from dbt_lazyview.maintenance.outcome import Outcome
from dbt_lazyview.maintenance.plan import Plan
from dbt_lazyview.maintenance.record import Position, Record
from dbt_lazyview.maintenance.state import NO_VERSION, State
from dbt_lazyview.maintenance.tables import sql_name
from dbt_lazyview.maintenance.tree import Node


@dataclass(frozen=True)
class Arrival:
    """A view at the cut: the version of its state that stands for it."""

    position: Position
    outcome: Outcome
    cut: Mapping[str, Position]  # what its record says it stands for
    since: int = NO_VERSION  # version of the state that carried the record before
    state: State | None = None  # to be shown
    has_only_new_files: bool = False  # its state was written anew

    @property
    def record(self) -> Record | None:
        return self.state.record if self.state else None


def told_of(node: Node, parents: Mapping[Name, Arrival]) -> tuple[Outcome, ...]:
    """What happened to the parents that a user knows."""
    arrived = [(parents[name].outcome, parent.target.is_auxiliary) for name, parent in node.parents.items()]
    return tuple(each for outcome, hidden in arrived for each in (outcome.parents if hidden else (outcome,)))


def outcome_of(
    node: Node, plan: Plan, written: Commit | None, statements: int, seconds: float, parents: tuple[Outcome, ...]
) -> Outcome:
    decision, record = plan.decision, plan.record
    return Outcome(
        view=sql_name(node.target.name),
        kind=decision.kind,
        reason=decision.reason.word if decision.reason else "",
        changes=record.changes if record else 0,
        rows_changed=rows_written(written) if written else 0,
        statements=statements,
        strategy=record.strategy if record else "",
        seconds=seconds,
        parents=tuple(parent for parent in parents if parent.kind != NOOP),
        policy=node.target.definition.policy,
        refresh_mode=node.target.definition.refresh_mode,
        state_bytes=plan.state.detail.size if plan.state.detail else 0,
        record=record,
    )
