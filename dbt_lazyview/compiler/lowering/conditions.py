"""
Join conditions that hold subqueries.

Where a subquery reads one side only, its value becomes a column of that side. Otherwise the join is written as what it
means: the pairs that satisfy the condition, and the padded rows that are in no pair.

    L ⟕ R = σ(L × R) + pad(L ▷ R)        L ⟗ R = L ⟕ R + pad(R ▷ L)
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from dbt_lazyview.compiler.algebra import Join, Node, OuterJoin, Project, UnionAll
from dbt_lazyview.compiler.block import column, conjuncts
from dbt_lazyview.compiler.lowering.decorrelation import semi_join
from dbt_lazyview.compiler.lowering.scope import Environment, Lowered, Scope
from dbt_lazyview.compiler.lowering.subqueries import Subqueries, filter_where

LowerQuery = Callable[..., Lowered]
Relations = Mapping[str, Mapping[str, str]]


@dataclass
class OuterCondition:
    """The condition of an outer join between two nodes, over the relations that each side makes visible."""

    on: exp.Expr
    left: Node
    right: Node
    left_relations: Relations
    right_relations: Relations
    environment: Environment
    lower_query: LowerQuery

    def joined(self, is_full: bool) -> tuple[Node, dict[str, str]]:
        """The outer join, and new names of its columns where they have any."""
        parts = conjuncts(self.on)
        sides = [self._sides(part) for part in parts]
        if any(len(side) > 1 for part, side in zip(parts, sides, strict=True) if part.find(exp.Query)):
            return self._by_pairs(is_full)
        conditions = [self._over_columns(part, side) for part, side in zip(parts, sides, strict=True)]
        return OuterJoin(self.left, self.right, exp.and_(*conditions), is_full), {}

    def _sides(self, part: exp.Expr) -> set[str]:
        """Which sides a part names; a name that a subquery gives to a relation of its own may count as well."""
        tables = {each.table for each in part.find_all(exp.Column)}
        sides = {"left": self.left_relations, "right": self.right_relations}
        return {side for side, relations in sides.items() if tables & set(relations)}

    def _over_columns(self, part: exp.Expr, sides: set[str]) -> exp.Expr:
        """The part with its subqueries read from columns that are attached to the side it is about."""
        if not part.find(exp.Query):
            return self._scope().flat(part)
        side = "left" if "left" in sides else "right"
        subqueries = Subqueries(getattr(self, side), self._scope().flat, self.environment, self.lower_query)
        replaced = subqueries.replaced(part)
        setattr(self, side, subqueries.node)
        return self._scope().flat(replaced)

    def _by_pairs(self, is_full: bool) -> tuple[Node, dict[str, str]]:
        columns = (*self.left.columns, *self.right.columns)
        renamed = {name: self.environment.names.column(name) for name in columns}
        parts = [self._filtered(Join((self.left, self.right))), self._unmatched(self.left, self.right)]
        if is_full:
            parts.append(self._unmatched(self.right, self.left))
        branches = tuple(self._padded(part, columns) for part in parts)
        return UnionAll(branches, tuple(renamed.values())), renamed

    def _unmatched(self, kept: Node, other: Node) -> Node:
        return semi_join(kept, self._filtered(other), [], True, self.environment)

    def _filtered(self, node: Node) -> Node:
        return filter_where(self.on, node, self._scope().flat, self.environment, self.lower_query)

    def _padded(self, node: Node, columns: tuple[str, ...]) -> Node:
        outputs = tuple(
            (self.environment.names.column(name), column(name) if name in node.columns else exp.Null())
            for name in columns
        )
        return Project(node, outputs)

    def _scope(self) -> Scope:
        return Scope({**self.left_relations, **self.right_relations}, self.environment.outer)
