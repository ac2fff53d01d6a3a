"""LIMIT inside a query becomes a filter on row numbers."""

from dbt_lazyview.compiler.algebra import Limit, Node, rewritten
from dbt_lazyview.compiler.lowering.scope import Environment
from dbt_lazyview.compiler.lowering.windows import rank_limits


def replace_limits(root: Node, kept: set[int], environment: Environment) -> Node:
    """The same tree with every LIMIT ranked, except the nodes to keep."""

    def ranked(node: Node, rebuilt: Node) -> Node:
        return rank_limits(rebuilt, environment) if isinstance(rebuilt, Limit) and id(node) not in kept else rebuilt

    return rewritten(root, ranked)
