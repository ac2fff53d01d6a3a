"""What it costs to maintain each operator of a view: a class, and the rule in words."""

from dataclasses import dataclass
from enum import Enum

from dbt_lazyview.compiler import algebra
from dbt_lazyview.compiler.algebra import Node
from dbt_lazyview.compiler.partials import Additive
from dbt_lazyview.compiler.state import State


class Cost(Enum):
    """What the work of an operator goes with, apart from the size of its delta."""

    FREE = "free"  # nothing to maintain
    LINEAR = "linear"  # the delta of its inputs
    PER_KEY = "per key"  # the rows with a key in the delta
    PER_PARTITION = "per partition"  # the rows of the partitions in the delta
    RECOMPUTED = "recomputed"  # all rows


@dataclass(frozen=True)
class Charge:
    """The cost of one operator, and the rule that causes it."""

    cost: Cost
    rule: str


_IN_PUBLIC_VIEW = Charge(Cost.FREE, "done when the view is read")
_SAME = Charge(Cost.LINEAR, "the same, on the changes")
_CHARGES = {
    algebra.Scan: Charge(Cost.LINEAR, "its net changes"),
    algebra.Values: Charge(Cost.FREE, "never changes"),
    algebra.Filter: _SAME,
    algebra.Project: _SAME,
    algebra.Generate: _SAME,
    algebra.UnionAll: _SAME,
    algebra.Join: Charge(Cost.LINEAR, "changes joined with the other inputs"),
    algebra.OuterJoin: Charge(Cost.PER_KEY, "joined; rows that gain or lose a match"),
    algebra.SemiJoin: Charge(Cost.PER_KEY, "rows that gain or lose their match"),
    algebra.Window: Charge(Cost.PER_PARTITION, "partitions with changes, computed again"),
    algebra.Aggregate: Charge(Cost.PER_KEY, "groups with changes, computed again"),
    algebra.Sort: _IN_PUBLIC_VIEW,
    algebra.Limit: _IN_PUBLIC_VIEW,
}


def charge(node: Node, state: State) -> Charge:
    """What a node costs by its rule, wherever the changes come from."""
    if any(node is each for each in state.on_top):
        return _IN_PUBLIC_VIEW
    if node is state.aggregate:
        return _stored_groups(state)
    return _CHARGES[type(node)]


def _stored_groups(state: State) -> Charge:
    additive = {partial.additive for partial in state.partials.stored.values()}
    if Additive.NEVER in additive:
        return _CHARGES[algebra.Aggregate]
    if Additive.INSERT_ONLY in additive:
        return Charge(Cost.PER_KEY, "added; groups that lose rows again")
    return Charge(Cost.LINEAR, "added to the stored groups")
