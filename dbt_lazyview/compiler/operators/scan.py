"""Scan: the delta is the condensed change feed of the window; E- is E+ minus it (V, expression 12)."""

from dataclasses import replace

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.algebra import Scan
from dbt_lazyview.compiler.block import Bag
from dbt_lazyview.compiler.derivation import Derivation, When
from dbt_lazyview.names import WEIGHT


class ScanRule:
    is_linear = True

    def rows(self, node: Scan, when: When, derivation: Derivation) -> Bag:
        block = sql.read(derivation.source(node, when.value), node.occurrence, node.reads)
        return (block if when is When.NEW else replace(block, weight=sql.column(WEIGHT, node.occurrence)),)

    def delta(self, node: Scan, derivation: Derivation) -> Bag:
        block = sql.read(derivation.source(node, "delta"), node.occurrence, node.reads, label=node.occurrence)
        if derivation.insert_only(node):
            return (block,)
        return (replace(block, weight=sql.column(WEIGHT, node.occurrence)),)
