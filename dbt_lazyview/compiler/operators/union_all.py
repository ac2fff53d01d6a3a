"""Union all: linear, the sum of the branches' deltas."""

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.algebra import Node, UnionAll
from dbt_lazyview.compiler.block import Bag
from dbt_lazyview.compiler.derivation import Derivation, When


class UnionAllRule:
    is_linear = True

    def rows(self, node: UnionAll, when: When, derivation: Derivation) -> Bag:
        return tuple(each for branch in node.branches for each in _renamed(node, branch, derivation.rows(branch, when)))

    def delta(self, node: UnionAll, derivation: Derivation) -> Bag:
        return tuple(each for branch in node.branches for each in _renamed(node, branch, derivation.delta(branch)))


def _renamed(node: UnionAll, branch: Node, bag: Bag) -> Bag:
    outputs = [(name, sql.column(own)) for name, own in zip(node.names, branch.columns, strict=True)]
    return tuple(block.project(outputs) for block in bag)
