"""Register: leave an existing view to its readers; `dbt run` only says what is pending (`on_run: register`)."""

import time

from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.carry_out import follow_definition
from dbt_lazyview.maintenance.decide import BUILD
from dbt_lazyview.maintenance.definition import LATER
from dbt_lazyview.maintenance.engine import Engine
from dbt_lazyview.maintenance.groups import Members, no_members
from dbt_lazyview.maintenance.outcome import REGISTERED, Outcome
from dbt_lazyview.maintenance.plan import Plan, Request
from dbt_lazyview.maintenance.probes import Probes
from dbt_lazyview.maintenance.public import load_shown_state
from dbt_lazyview.maintenance.refresh import begin, refresh
from dbt_lazyview.maintenance.state import load_state
from dbt_lazyview.maintenance.tables import sql_name
from dbt_lazyview.maintenance.tasks import task_of
from dbt_lazyview.maintenance.tree import Target
from dbt_lazyview.maintenance.view_delta.switch import show

NOT_LEFT_TO_READERS = (Reason.FULL_REFRESH_REQUESTED, Reason.DEFINITION_CHANGED)


def register(
    engine: Engine, target: Target, request: Request, probes: Probes | None = None, members: Members = no_members
) -> Outcome:
    """Let the state remember the model, and leave its rows as they are; without rows that fit the model, build it."""
    started = time.monotonic()
    attempt = begin(engine, target, probes, request, members)
    node = attempt.node
    states = {name: load_state(attempt.tables, name) for name in node.parents}
    parents = {name: attempt.standing(parent, states[name]) for name, parent in node.parents.items()}
    plan = attempt.planner(node, parents).plan(request)
    if has_to_be_built(plan) or (plan.state.unapplied and target.definition.apply != LATER):
        return refresh(engine, target, request, probes, members)
    statements = follow_definition(engine, node, plan)
    if node.group is None:  # the views of a group are published together
        statements += show(attempt.tables, [(node, load_shown_state(attempt.tables, target.state))])
    task = task_of(attempt.tables, plan.state)
    changes = task.rows if task.is_pending else 0 if task.is_known else None
    seconds = time.monotonic() - started
    return Outcome(sql_name(target.name), REGISTERED, changes=changes, statements=statements, seconds=seconds)


def has_to_be_built(plan: Plan) -> bool:
    """Whether readers would find no rows, or rows of another query."""
    return (
        plan.decision.kind == BUILD
        or plan.decision.reason in NOT_LEFT_TO_READERS
        or plan.state.distrust is not None
    )  # fmt: skip
