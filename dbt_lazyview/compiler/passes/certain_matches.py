"""Certain matches: a left join to what is always one row (a scalar subquery over all rows) is a cross join."""

from sqlglot import exp

from dbt_lazyview.compiler.algebra import Aggregate, Join, Node, OuterJoin, Project, rewritten


def with_certain_matches(root: Node) -> Node:
    """The same tree with inner joins where an outer one always finds its match."""
    return rewritten(root, lambda _, node: _joined(node))


def _joined(node: Node) -> Node:
    return Join((node.left, node.right)) if _always_matches(node) else node  # type: ignore[attr-defined]


def _always_matches(node: Node) -> bool:
    return isinstance(node, OuterJoin) and not node.is_full and node.condition == exp.true() and _is_one_row(node.right)


def _is_one_row(node: Node) -> bool:
    if isinstance(node, Project):
        return _is_one_row(node.input)
    return isinstance(node, Aggregate) and node.is_global
