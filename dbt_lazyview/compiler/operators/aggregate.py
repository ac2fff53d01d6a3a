"""
Group by inside a query: groups K in D(X) are computed twice, agg(X+ where group in K) minus agg(X- where group in K).

The root of a view is folded into its state instead (folding.py).
"""

from dataclasses import replace

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.algebra import Aggregate
from dbt_lazyview.compiler.block import Bag, Block
from dbt_lazyview.compiler.derivation import Derivation, When, by_position, labels, matches_some
from dbt_lazyview.compiler.passes.shared_keys import by_shared_keys


class AggregateRule:
    is_linear = False

    def rows(self, node: Aggregate, when: When, derivation: Derivation) -> Bag:
        return (grouped(node, derivation.single(derivation.new(node.input), node.input.columns, "input"), derivation),)

    def delta(self, node: Aggregate, derivation: Derivation) -> Bag:
        return by_shared_keys(node, derivation) or self._changed_groups(node, derivation)

    def _changed_groups(self, node: Aggregate, derivation: Derivation) -> Bag:
        after, before = changed_groups(node, derivation)
        return (after, before.negated())


def changed_groups(node: Aggregate, derivation: Derivation) -> tuple[Block, Block]:
    """The affected groups, after the window and before it."""
    affected = affected_keys(node, derivation)
    new = restricted(node, derivation.new(node.input), affected)
    old = restricted(node, derivation.old(node.input), affected)
    label = labels(derivation.delta(node.input))
    after = grouped(node, derivation.single(new, node.input.columns, "input_new"), derivation, "groups_new")
    before = grouped(node, derivation.consolidated(old, node.input.columns, "input_old"), derivation, "groups_old")
    return replace(after, label=label), replace(before, label=label)


def affected_keys(node: Aggregate, derivation: Derivation) -> str | None:
    """The groups that the delta of the input touches; all of them where there are no keys to go by."""
    if not node.keys or derivation.is_volatile(node, (each for _, each in node.keys)):
        return None
    total = derivation.single(derivation.delta(node.input), node.input.columns, "input_delta")
    return derivation.derive(total.project(node.keys).query(weight=False).distinct(copy=False), "affected")


def restricted(node: Aggregate, bag: Bag, affected: str | None) -> Bag:
    """The rows of the affected groups."""
    if affected is None:
        return bag
    keys = [(each, name) for name, each in node.keys]
    return tuple(matches_some(block, keys, affected) for block in bag)


def grouped(node: Aggregate, block: Block, derivation: Derivation, name: str = "groups") -> Block:
    """The aggregate over plain rows."""
    query = block.project((*node.keys, *node.aggregates)).query(weight=False)
    query = by_position(query, len(node.keys))
    written = derivation.derive(query, name)
    return sql.read(written, written, [(each, each) for each in node.columns])
