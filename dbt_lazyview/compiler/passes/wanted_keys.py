"""
Wanted keys: an input that has to be computed (groups, windows, outer joins) is computed only for the keys the delta
joins with, not for all rows. Spark moves the semi join down to the rows behind the groups.
"""

from dataclasses import dataclass, replace

from sqlglot import exp

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.algebra import Node, Project
from dbt_lazyview.compiler.block import Bag, Block
from dbt_lazyview.compiler.derivation import Derivation, When, is_plain, matches_some

Pair = tuple[exp.Expr, exp.Expr]  # equal expressions: over the node's columns, over the delta's


@dataclass(frozen=True)
class Wanted:
    """The rows of an input that are joined with a delta under a condition, to be written under a name."""

    delta: Block
    condition: exp.Expr | None
    name: str

    def rows(self, node: Node, when: When, derivation: Derivation) -> Block:
        """
        Those rows of a node that may join with the delta; all of them where no equation says which. What several places
        read under names of their own is restricted first and renamed then: it is the same relation for all.
        """
        if derivation.is_reference(node):
            below = replace(self, condition=_over_input(self.condition, node))
            return below.rows(node.input, when, derivation).project(node.outputs)
        pairs = equations(self.condition, set(node.columns), set(self.delta.columns))
        rows = derivation.rows(node, when)
        if pairs and derivation.options.push_keys and not is_plain(node):
            rows = _matching(rows, pairs, self.delta, derivation)
        return derivation.single(rows, node.columns, self.name)


def _over_input(condition: exp.Expr | None, node: Project) -> exp.Expr | None:
    return None if condition is None else sql.substitute(condition, dict(node.outputs))


def _matching(rows: Bag, pairs: list[Pair], delta: Block, derivation: Derivation) -> Bag:
    names = [f"lv_key_{number}" for number in range(len(pairs))]
    keys = delta.project([(name, other) for name, (_, other) in zip(names, pairs, strict=True)])
    relation = derivation.derive(keys.query(weight=False).distinct(copy=False), "wanted_keys")
    own = [(each, name) for name, (each, _) in zip(names, pairs, strict=True)]
    return tuple(matches_some(block, own, relation) for block in rows)


def equations(condition: exp.Expr | None, own: set[str], other: set[str]) -> list[Pair]:
    """
    The equations of a condition that have the node's columns on one side and the delta's on the other.

    Example:
        >>> from sqlglot import parse_one
        >>> [str(pair[0]) for pair in equations(parse_one("a = x and b > y and x + 1 = b"), {"a", "b"}, {"x", "y"})]
        ['a', 'b']
    """
    found = []
    for each in sql.conjuncts(condition):
        if isinstance(each, exp.EQ | exp.NullSafeEQ):
            left, right = _columns(each.left), _columns(each.right)
            if left and right and left <= own and right <= other:
                found.append((each.left, each.right))
            elif left and right and right <= own and left <= other:
                found.append((each.right, each.left))
    return found


def _columns(expression: exp.Expr) -> set[str]:
    return {column.name for column in expression.find_all(exp.Column)}
