"""
Left and full join: the inner join plus the padded anti join.

    L ⟕ R = L ⋈ R + pad(L ▷ R)        L ⟗ R = L ⟕ R + pad(R ▷ L)
    D(L ⟕ R) = D(L) ⟕ R+  +  L- ⋈ D(R)  +  pad(rows of L- whose match with R came or went, negated)

Where R is groups, joined on all their keys K, the affected groups are known as a whole before and after:

    D(L ⟕ R) = D(L) ⟕ R+  +  (L- where key in K(D(R))) ⟕ (R+ of K)  -  the same ⟕ (R- of K)
"""

from dataclasses import replace

from sqlglot import exp

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.algebra import OuterJoin, SemiJoin
from dbt_lazyview.compiler.block import Bag, Block
from dbt_lazyview.compiler.derivation import Derivation, When, matches_some
from dbt_lazyview.compiler.operators.aggregate import affected_keys, changed_groups
from dbt_lazyview.compiler.operators.semi_join import SemiJoinRule, flipped_matches
from dbt_lazyview.compiler.passes.joined_groups import JoinedGroups, joined_groups
from dbt_lazyview.compiler.passes.shared_keys import by_shared_keys
from dbt_lazyview.compiler.passes.wanted_keys import Wanted
from dbt_lazyview.names import WEIGHT


class OuterJoinRule:
    is_linear = False

    def rows(self, node: OuterJoin, when: When, derivation: Derivation) -> Bag:
        left = derivation.single(derivation.new(node.left), node.left.columns, "left_new")
        right = derivation.single(derivation.new(node.right), node.right.columns, "right_new")
        return (native_join(node, replace(left, weight=None), right, "FULL" if node.is_full else "LEFT", derivation),)

    def delta(self, node: OuterJoin, derivation: Derivation) -> Bag:
        return by_shared_keys(node, derivation) or self._changed_matches(node, derivation)

    def _changed_matches(self, node: OuterJoin, derivation: Derivation) -> Bag:
        parts = (*self._left_changes(node, derivation), *self._right_changes(node, derivation))
        if not node.is_full:
            return parts
        unmatched = SemiJoin(node.right, node.left, node.condition, is_anti=True)
        return (*parts, *_padded(SemiJoinRule().delta(unmatched, derivation), node.columns))

    def _left_changes(self, node: OuterJoin, derivation: Derivation) -> Bag:
        if not derivation.changed(node.left):
            return ()
        delta = derivation.single_delta(node.left, "left_delta")
        right = Wanted(delta, node.condition, "right_new").rows(node.right, When.NEW, derivation)
        return (native_join(node, delta, right, "LEFT", derivation),)

    def _right_changes(self, node: OuterJoin, derivation: Derivation) -> Bag:
        if not derivation.changed(node.right):
            return ()
        groups = joined_groups(node)
        if groups is not None and (affected := affected_keys(groups.aggregate, derivation)) is not None:
            return _regrouped(node, groups, affected, derivation)
        delta = derivation.single_delta(node.right, "right_delta")
        left = Wanted(delta, node.condition, "left_old").rows(node.left, When.OLD, derivation)
        matched = sql.product([delta, left], label=delta.label).filter(*sql.conjuncts(node.condition))
        flipped = flipped_matches(node.left, node.right, node.condition, derivation).negated()
        return (matched, *_padded((flipped,), node.columns))


def _regrouped(node: OuterJoin, groups: JoinedGroups, affected: str, derivation: Derivation) -> Bag:
    """Rows of L- with an affected group: joined with it as it is now, minus as it was."""
    rows = tuple(matches_some(block, groups.keys, affected) for block in derivation.old(node.left))
    left = derivation.single(rows, node.left.columns, "left_old")
    after, before = (groups.finish(each) for each in changed_groups(groups.aggregate, derivation))
    now, then = (native_join(node, left, each, "LEFT", derivation) for each in (after, before))
    return (replace(now, label=after.label), replace(then.negated(), label=before.label))


def native_join(node: OuterJoin, left: Block, right: Block, side: str, derivation: Derivation) -> Block:
    """The engine's own outer join; the weight is that of the left side."""
    l_rows = derivation.named(left, "left_rows")
    r_rows = sql.with_fresh_aliases(derivation.named(replace(right, weight=None), "right_rows"), sql.aliases(l_rows))
    columns = {**l_rows.columns, **r_rows.columns}
    select = replace(l_rows, columns=columns).query()
    item = r_rows.items[0]
    table = exp.Table(this=sql.identifier(item.relation), alias=exp.TableAlias(this=sql.identifier(item.alias)))
    select = select.join(table, on=sql.substitute(node.condition, columns), join_type=side, copy=False)
    name = derivation.derive(select, "outer_join")
    weight = sql.column(WEIGHT, name) if l_rows.weight is not None else None
    return sql.read(name, name, [(each, each) for each in node.columns], weight=weight, label=left.label)


def _padded(bag: Bag, columns: tuple[str, ...]) -> Bag:
    """Missing columns are NULL."""
    return tuple(
        replace(block, columns={each: block.columns.get(each, exp.Null()) for each in columns}) for block in bag
    )
