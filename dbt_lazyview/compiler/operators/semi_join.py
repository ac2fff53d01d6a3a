"""
Semi and anti join (EXISTS, IN, NOT EXISTS, NOT IN).

    D(L ⋉ R) = D(L) ⋉ R+  +  those rows of L- whose match with R came or went

Whether a match came or went is counted: matches now, and matches now minus those of D(R). So the old side of R is
never rebuilt. For the anti join the second part changes its sign.
"""

from dataclasses import replace

from sqlglot import exp

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.algebra import Node, SemiJoin
from dbt_lazyview.compiler.block import Bag, Block
from dbt_lazyview.compiler.derivation import Derivation, When, by_position
from dbt_lazyview.compiler.passes.shared_keys import by_shared_keys
from dbt_lazyview.compiler.passes.wanted_keys import Wanted
from dbt_lazyview.names import WEIGHT


class SemiJoinRule:
    is_linear = False

    def rows(self, node: SemiJoin, when: When, derivation: Derivation) -> Bag:
        return tuple(self._kept(node, block, derivation) for block in derivation.new(node.left))

    def delta(self, node: SemiJoin, derivation: Derivation) -> Bag:
        return by_shared_keys(node, derivation) or self._changed_matches(node, derivation)

    def _changed_matches(self, node: SemiJoin, derivation: Derivation) -> Bag:
        own = tuple(self._kept(node, block, derivation, is_delta=True) for block in derivation.delta(node.left))
        if not derivation.changed(node.right):
            return own
        flipped = flipped_matches(node.left, node.right, node.condition, derivation)
        return (*own, flipped.negated() if node.is_anti else flipped)

    def _kept(self, node: SemiJoin, block: Block, derivation: Derivation, is_delta: bool = False) -> Block:
        if is_delta:
            right = Wanted(block, node.condition, "right_new").rows(node.right, When.NEW, derivation)
        else:
            right = derivation.single(derivation.new(node.right), node.right.columns, "right_new")
        found = exists(block, right, node.condition)
        return replace(block, where=(*block.where, exp.Not(this=found) if node.is_anti else found))


def exists(block: Block, right: Block, condition: exp.Expr) -> exp.Expr:
    """EXISTS a row of `right` that satisfies the condition with the block's row."""
    apart = sql.with_fresh_aliases(right, sql.aliases(block))
    both = {**block.columns, **apart.columns}
    conditions = tuple(sql.substitute(each, both) for each in sql.conjuncts(condition))
    inner = replace(apart, columns={"lv_found": exp.Literal.number(1)}, where=(*apart.where, *conditions), weight=None)
    return exp.Exists(this=inner.query(weight=False))


def flipped_matches(left: Node, right: Node, condition: exp.Expr, derivation: Derivation) -> Block:
    """Rows of L- that match now and did not (+), or did and do not (-), because of D(R)."""
    delta = derivation.single_delta(right, "right_delta")
    touched = tuple(
        replace(block, where=(*block.where, exists(block, delta, condition))) for block in derivation.old(left)
    )
    affected = _net(touched, left.columns, derivation)
    now = Wanted(affected, condition, "right_new").rows(right, When.NEW, derivation)
    matches = (
        _matches(affected, now, condition, exp.Literal.number(1), exp.Literal.number(0)),
        _matches(affected, delta, condition, exp.Literal.number(0), sql.weight_of(delta)),
    )
    counted = derivation.derive(_counted(matches, left.columns, derivation), "match_counts")
    return _flips(sql.read(counted, counted, [(each, each) for each in left.columns], label=delta.label), counted)


def _net(bag: Bag, columns: tuple[str, ...], derivation: Derivation) -> Block:
    """Distinct rows with their net weight."""
    total = derivation.read_sum(bag, columns, "touched")
    weight = exp.Sum(this=sql.weight_of(total))
    query = by_position(total.query(weight=False), len(columns))
    query = query.select(sql.named(weight, WEIGHT), copy=False)
    query = query.having(exp.NEQ(this=weight.copy(), expression=exp.Literal.number(0)), copy=False)
    name = derivation.derive(query, "touched_net")
    return sql.read(name, name, [*((each, each) for each in columns), (WEIGHT, WEIGHT)])


def _matches(affected: Block, right: Block, condition: exp.Expr, now: exp.Expr, change: exp.Expr) -> Block:
    apart = sql.with_fresh_aliases(right, sql.aliases(affected))
    moved = sql.requalified_like(change, right, apart)
    joined = sql.product([affected, replace(apart, weight=None)]).filter(*sql.conjuncts(condition))
    columns = {each: joined.columns[each] for each in affected.columns}
    return replace(joined, columns={**columns, "lv_now": now, "lv_change": moved})


def _counted(matches: Bag, columns: tuple[str, ...], derivation: Derivation) -> exp.Select:
    names = (*columns, WEIGHT)
    relation = derivation.derive(exp.union(*(each.query(weight=False) for each in matches), distinct=False), "matches")
    rows = sql.read(relation, relation, [(each, each) for each in names])
    query = by_position(rows.query(weight=False), len(names))
    for each in ("lv_now", "lv_change"):
        query = query.select(sql.named(exp.Sum(this=sql.column(each, relation)), each), copy=False)
    return query


def _flips(rows: Block, relation: str) -> Block:
    now, change = sql.column("lv_now", relation), sql.column("lv_change", relation)
    before = exp.Sub(this=now.copy(), expression=change)
    came = exp.and_(_positive(now), exp.Not(this=exp.Paren(this=_positive(before))))
    differs = exp.NEQ(this=exp.Paren(this=_positive(now)), expression=exp.Paren(this=_positive(before)))
    sign = sql.case_when(came, exp.Literal.number(1), exp.Neg(this=exp.Literal.number(1)))
    return replace(
        rows, where=(*rows.where, differs), weight=exp.Mul(this=sql.column(WEIGHT, relation), expression=sign)
    )


def _positive(expression: exp.Expr) -> exp.Expr:
    return exp.GT(this=expression.copy(), expression=exp.Literal.number(0))
