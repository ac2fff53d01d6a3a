"""Certain matches: a left join to what is always one row (a scalar subquery over all rows) is a cross join."""

from sqlglot import exp

from dbt_lazyview.compiler.algebra import Aggregate, Join, Node, OuterJoin, Project, with_inputs


def with_certain_matches(root: Node) -> Node:
    """The same tree with inner joins where an outer one always finds its match."""
    return _rewritten(root, {})


def _rewritten(node: Node, done: dict[int, Node]) -> Node:
    if id(node) not in done:
        same = with_inputs(node, tuple(_rewritten(each, done) for each in node.inputs))
        done[id(node)] = Join((same.left, same.right)) if _always_matches(same) else same  # type: ignore[attr-defined]
    return done[id(node)]


def _always_matches(node: Node) -> bool:
    return isinstance(node, OuterJoin) and not node.is_full and node.condition == exp.true() and _is_one_row(node.right)


def _is_one_row(node: Node) -> bool:
    if isinstance(node, Project):
        return _is_one_row(node.input)
    return isinstance(node, Aggregate) and node.is_global
