"""
Constraints of a contract: a refresh that breaks one writes nothing. Delta keeps them on the state; what goes to a view
delta is looked at before.
"""

from collections.abc import Iterator, Mapping

from dbt_lazyview.maintenance.engine import Engine, EngineError
from dbt_lazyview.maintenance.failures import BROKEN
from dbt_lazyview.maintenance.plan import Plan
from dbt_lazyview.maintenance.public import run
from dbt_lazyview.maintenance.state import State
from dbt_lazyview.maintenance.storage import checked_conditions
from dbt_lazyview.maintenance.tables import sql_name
from dbt_lazyview.maintenance.tree import Node
from dbt_lazyview.names import quoted

PROPERTY = "delta.constraints."  # and the name in lower case


def follow_constraints(engine: Engine, node: Node, plan: Plan) -> int:
    """
    Let the state have the constraints of its definition. A new table has none yet: they are added before the view
    shows it, so that rows which break one are never shown.
    """
    return sum(run(engine, statement) for statement in _statements(engine, node, plan))


def has_other_constraints(plan: Plan, node: Node) -> bool:
    """Whether the state does not have the constraints of its definition yet."""
    stored = plan.state.definition
    return stored is None or stored.constraints != node.target.definition.constraints


def check_constraints(engine: Engine, plan: Plan) -> None:
    """Refuse what would break a constraint; every version that is read is pinned, so it is what would be written."""
    if plan.check is None:
        return
    (found,) = engine.query(plan.check.query)
    for number, name in enumerate(plan.check.constraints):
        if found[f"broken_{number}"]:
            raise EngineError(f"[{BROKEN}] {name}: {found[f'broken_{number}']} rows, {found[f'such_as_{number}']}")


def _statements(engine: Engine, node: Node, plan: Plan) -> Iterator[str]:
    state, wanted = sql_name(node.target.state), checked_conditions(node.target.definition, node.view)
    present = {} if plan.replaces_state else _present(plan.state)
    are_others = has_other_constraints(plan, node)
    stale = [name for name in present if name not in wanted or are_others]
    for name in stale:
        yield engine.render("drop_constraint", relation=state, constraint=quoted(name))
    for name, condition in wanted.items():
        if name not in present or name in stale:
            yield engine.render("add_constraint", relation=state, constraint=quoted(name), condition=condition)


def _present(state: State) -> Mapping[str, str]:
    properties = state.detail.properties if state.detail else {}
    return {key.removeprefix(PROPERTY): value for key, value in properties.items() if key.startswith(PROPERTY)}
