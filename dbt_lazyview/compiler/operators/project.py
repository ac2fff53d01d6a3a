"""Project: linear, the same expressions on the delta."""

from sqlglot import exp

from dbt_lazyview.compiler.algebra import Node, Project
from dbt_lazyview.compiler.block import Block
from dbt_lazyview.compiler.derivation import Derivation
from dbt_lazyview.compiler.operators.linear import LinearRule

_LARGE = 200  # nodes of an expression, beyond which it is named instead of repeated


class ProjectRule(LinearRule):
    def on(self, node: Node, block: Block, derivation: Derivation) -> Block:
        assert isinstance(node, Project)
        return _small(block, node, derivation).project(node.outputs)


def _small(block: Block, node: Project, derivation: Derivation) -> Block:
    """Name the block first where inlining its expressions would make the text explode."""
    sizes = {name: sum(1 for _ in each.walk()) for name, each in block.columns.items()}
    total = sum(sizes.get(used.name, 1) for _, each in node.outputs for used in each.find_all(exp.Column))
    if total < _LARGE * max(1, len(node.outputs)):
        return block
    return derivation.named(block, "projected")
