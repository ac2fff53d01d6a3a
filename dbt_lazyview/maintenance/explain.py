"""Explain: the plan a refresh would carry out now, printed instead of run."""

from dbt_lazyview.maintenance.decide import Decision
from dbt_lazyview.maintenance.engine import Engine
from dbt_lazyview.maintenance.outcome import Outcome
from dbt_lazyview.maintenance.planning import Plan, Request
from dbt_lazyview.maintenance.refresh import Arrival, Attempt, begin
from dbt_lazyview.maintenance.state import load_state
from dbt_lazyview.maintenance.tables import sql_name
from dbt_lazyview.maintenance.tree import Node, Target


def explain(engine: Engine, target: Target, request: Request = Request()) -> str:  # noqa: B008
    """The tree with its rules, the decision, and the SQL it would run; parents are read as they are."""
    attempt = begin(engine, target)
    node = attempt.node
    plan = attempt.planner(node, {name: as_it_is(attempt, parent) for name, parent in node.parents.items()}).plan(
        request
    )
    return "\n\n".join([sql_name(target.name), node.view.explain(), *_parents(node), *_told(plan, engine)])


def as_it_is(attempt: Attempt, parent: Node) -> Arrival:
    """Where a parent's state stands now."""
    state = load_state(attempt.tables, parent.target.state)
    plan = Plan(Decision("noop"), state)
    return Arrival(attempt.arrival(plan, None), Outcome(sql_name(parent.target.name), "noop"))


def _parents(node: Node) -> list[str]:
    names = [sql_name(parent.target.name) for parent in node.parents.values()]
    return ["First brought to the same cut: " + ", ".join(names)] if names else []


def _told(plan: Plan, engine: Engine) -> list[str]:
    decision = plan.decision
    reason = f" ({decision.reason.word})" if decision.reason else ""
    about = f": {decision.about}" if decision.about else ""
    staging = [engine.render("stage_relation", stage=stage) + ";" for stage in plan.stages]
    return [f"Now: {decision.kind}{reason}{about}", *staging, plan.statement or "Nothing to run."]
