"""Generate (LATERAL VIEW, explode): linear, the same generator on the delta."""

from dataclasses import replace

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.algebra import Generate, Node
from dbt_lazyview.compiler.block import Block, Lateral
from dbt_lazyview.compiler.derivation import Derivation
from dbt_lazyview.compiler.operators.linear import LinearRule


class GenerateRule(LinearRule):
    def on(self, node: Node, block: Block, derivation: Derivation) -> Block:
        assert isinstance(node, Generate)
        alias = sql.fresh("generated", sql.aliases(block))
        lateral = Lateral(sql.substitute(node.generator, block.columns), alias, node.names, node.outer)
        columns = {**block.columns, **{name: sql.column(name, alias) for name in node.names}}
        return replace(block, laterals=(*block.laterals, lateral), columns=columns)
