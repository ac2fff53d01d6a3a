"""LIMIT inside a query becomes a filter on row numbers."""

from dbt_lazyview.compiler.algebra import Limit, Node, Sort, with_inputs
from dbt_lazyview.compiler.lowering.scope import Environment
from dbt_lazyview.compiler.lowering.windows import rank_limits


def replace_limits(root: Node, kept: set[int], environment: Environment) -> Node:
    """The same tree with every LIMIT ranked and every leftover ORDER BY dropped, except the nodes to keep."""
    done: dict[int, Node] = {}

    def visit(node: Node) -> Node:
        if id(node) not in done:
            done[id(node)] = _replaced(node, tuple(visit(each) for each in node.inputs), id(node) in kept, environment)
        return done[id(node)]

    return visit(root)


def _replaced(node: Node, inputs: tuple[Node, ...], is_kept: bool, environment: Environment) -> Node:
    rebuilt = with_inputs(node, inputs)
    if is_kept or not isinstance(node, (Limit, Sort)):
        return rebuilt
    return rank_limits(rebuilt, environment) if isinstance(rebuilt, Limit) else rebuilt
