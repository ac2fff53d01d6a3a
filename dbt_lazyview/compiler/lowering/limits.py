"""LIMIT inside a query becomes a filter on row numbers."""

from dataclasses import replace

from dbt_lazyview.compiler.algebra import Join, Limit, Node, OuterJoin, SemiJoin, Sort, UnionAll
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


def with_inputs(node: Node, inputs: tuple[Node, ...]) -> Node:
    """The node over other inputs; itself where they are the same."""
    if all(old is new for old, new in zip(node.inputs, inputs, strict=True)):
        return node
    if isinstance(node, Join):
        return replace(node, members=inputs)
    if isinstance(node, UnionAll):
        return replace(node, branches=inputs)
    if isinstance(node, (OuterJoin, SemiJoin)):
        return replace(node, left=inputs[0], right=inputs[1])
    return replace(node, input=inputs[0])  # type: ignore[call-arg]
