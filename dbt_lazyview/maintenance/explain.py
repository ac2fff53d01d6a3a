"""Explain: the plan a refresh would carry out now, printed instead of run."""

from dbt_lazyview.maintenance.amounts import counted
from dbt_lazyview.maintenance.engine import Engine
from dbt_lazyview.maintenance.plan import Plan, Request
from dbt_lazyview.maintenance.refresh import begin
from dbt_lazyview.maintenance.state import load_state
from dbt_lazyview.maintenance.tables import sql_name
from dbt_lazyview.maintenance.tree import Node, Target


def explain(engine: Engine, target: Target, request: Request = Request()) -> str:  # noqa: B008
    """The tree with its rules, the decision, and the SQL it would run; parents are read as they are."""
    attempt = begin(engine, target, captures=False)
    node = attempt.node
    states = {name: load_state(attempt.tables, name) for name in node.parents}
    parents = {name: attempt.standing(parent, states[name]) for name, parent in node.parents.items()}
    plan = attempt.planner(node, parents).plan(request)
    return "\n\n".join([sql_name(target.name), node.view.explain(), *_parents(node), *_told(plan, engine)])


def _parents(node: Node) -> list[str]:
    names = [sql_name(parent.target.name) for parent in node.parent_views if not parent.is_snapshot]
    return ["First brought to the same cut: " + ", ".join(names)] if names else []


def _told(plan: Plan, engine: Engine) -> list[str]:
    decision = plan.decision
    reason = f" ({decision.reason.word})" if decision.reason else ""
    about = f": {decision.about}" if decision.about else ""
    staging = [engine.render("stage_relation", stage=stage) + ";" for stage in plan.stages]
    return [f"Now: {decision.kind}{reason}{about}", *staging, *_written(plan), plan.statement or "Nothing to run."]


def _written(plan: Plan) -> list[str]:
    """Where what is run is a query: what becomes of its rows."""
    if plan.affected is None:
        return []
    if not plan.affected.files:
        return ["Added to the state, which has no row with such keys:"]
    files = f"{plan.affected.files} of {counted(plan.affected.of, 'file')}"
    return [f"Written instead of {files} of the state, and to its change feed what changed:"]
