"""What linear operators share: the same operator on new rows, old rows and delta."""

from dbt_lazyview.compiler.algebra import Node
from dbt_lazyview.compiler.block import Bag, Block
from dbt_lazyview.compiler.derivation import Derivation, When


class LinearRule:
    """An operator of one input that treats each row by itself."""

    is_linear = True

    def rows(self, node: Node, when: When, derivation: Derivation) -> Bag:
        return self._each(node, derivation.rows(node.inputs[0], when), derivation)

    def delta(self, node: Node, derivation: Derivation) -> Bag:
        return self._each(node, derivation.delta(node.inputs[0]), derivation)

    def _each(self, node: Node, bag: Bag, derivation: Derivation) -> Bag:
        return tuple(self.on(node, block, derivation) for block in bag)

    def on(self, node: Node, block: Block, derivation: Derivation) -> Block:
        raise AssertionError("a linear rule says what it does to one block")
