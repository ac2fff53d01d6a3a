"""A view explained: its tree with rules and costs, what a change of each source causes, and what will be expensive."""

from dbt_lazyview.compiler.algebra import Node, Project
from dbt_lazyview.compiler.costs import Cost, charge
from dbt_lazyview.compiler.effects import Effect
from dbt_lazyview.compiler.labels import any_of, label, short
from dbt_lazyview.compiler.state import State
from dbt_lazyview.compiler.warnings import sources_of, warnings

_WIDTH = 78  # of the tree; costs and rules stand beside it


def explained(root: Node, state: State, effects: tuple[Effect, ...]) -> str:
    """One line per operator and per source, then warnings."""
    tree = "\n".join(_lines(root, 0, state, effects))
    told = [tree, _stored(state), "\n".join(map(_told, effects)), *warnings(effects, state)]
    return "\n\n".join(part for part in told if part)


def _lines(node: Node, depth: int, state: State, effects: tuple[Effect, ...]) -> list[str]:
    while isinstance(node, Project) and isinstance(node.input, Project):
        node = node.input  # renaming over renaming says nothing new
    own = f"{'  ' * depth}{label(node)}"
    own = own if len(own) <= _WIDTH else own[: _WIDTH - 3] + "..."
    cost, rule = _cost(node, state, effects)
    line = f"{own:<{_WIDTH}}  {cost.value:<13}  {rule}"
    return [line, *(each for child in node.inputs for each in _lines(child, depth + 1, state, effects))]


def _cost(node: Node, state: State, effects: tuple[Effect, ...]) -> tuple[Cost, str]:
    sources = sources_of(node, effects)
    if sources:
        return Cost.RECOMPUTED, f"from all rows, when {any_of(sources)} changes"
    found = charge(node, state)
    return found.cost, found.rule


def _stored(state: State) -> str:
    if state.is_bag:
        return "Stored: distinct rows with their count"
    keys = ", ".join(short(each) for _, each in state.aggregate.keys)
    return f"Stored: a row for each {keys}" if keys else "Stored: one row"


def _told(effect: Effect) -> str:
    again = f"; {len(effect.recomputed)} recomputed" if effect.recomputed else ""
    count = f"{len(effect.terms)} term{'s' if len(effect.terms) != 1 else ''}"
    return f"If {effect.source} changes: {count}{again}"
