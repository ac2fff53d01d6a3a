"""Filter: linear, the same predicate on the delta."""

from dbt_lazyview.compiler.algebra import Filter, Node
from dbt_lazyview.compiler.block import Block, conjuncts
from dbt_lazyview.compiler.derivation import Derivation
from dbt_lazyview.compiler.operators.linear import LinearRule


class FilterRule(LinearRule):
    def on(self, node: Node, block: Block, derivation: Derivation) -> Block:
        assert isinstance(node, Filter)
        return block.filter(*conjuncts(node.predicate))
