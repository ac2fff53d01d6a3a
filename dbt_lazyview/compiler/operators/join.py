"""
Inner and cross join of n inputs: one term per changed occurrence i, new before i, delta at i, old after i (Z 3.3).

    D(R1 ⋈ … ⋈ Rn) = Σ_i  R1+ ⋈ … ⋈ R(i-1)+ ⋈ D(Ri) ⋈ R(i+1)- ⋈ … ⋈ Rn-
"""

from dataclasses import replace

from sqlglot import exp

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.algebra import Join
from dbt_lazyview.compiler.block import Bag, Block
from dbt_lazyview.compiler.derivation import Derivation, When, is_plain
from dbt_lazyview.compiler.passes.wanted_keys import wanted


class JoinRule:
    is_linear = True

    def rows(self, node: Join, when: When, derivation: Derivation) -> Bag:
        members = [
            derivation.single(derivation.rows(each, when), each.columns, f"{when.value}_input") for each in node.members
        ]
        return (_joined(members, node),)

    def delta(self, node: Join, derivation: Derivation) -> Bag:
        return tuple(
            _term(node, position, derivation)
            for position, member in enumerate(node.members)
            if derivation.changed(member)
        )


def _term(node: Join, changed: int, derivation: Derivation) -> Block:
    delta = derivation.single(derivation.delta(node.members[changed]), node.members[changed].columns, "input_delta")
    others = [
        (member, derivation.rows(member, When.NEW if position < changed else When.OLD))
        for position, member in enumerate(node.members)
        if position != changed
    ]
    plain = [derivation.single(bag, member.columns, "input_rows") for member, bag in others if is_plain(member)]
    computed = [(member, bag) for member, bag in others if not is_plain(member)]
    linked = _linked(delta, plain, node, derivation) if plain and computed else sql.product([delta, *plain])
    for member, bag in computed:
        rows = wanted(member, bag, linked, node.condition, derivation)
        linked = sql.product([linked, derivation.single(rows, member.columns, "input_rows")])
    return replace(linked, label=delta.label).filter(*sql.conjuncts(node.condition))


def _linked(delta: Block, plain: list[Block], node: Join, derivation: Derivation) -> Block:
    """The delta joined with what is only read: it knows the keys for which the rest has to be computed."""
    if not derivation.options.push_keys:
        return sql.product([delta, *plain])
    joined = sql.product([delta, *plain])
    known = set(joined.columns)
    own = [each for each in sql.conjuncts(node.condition) if {c.name for c in each.find_all(exp.Column)} <= known]
    return derivation.named(joined.filter(*own), "linked")


def _joined(members: list[Block], node: Join, label: str = "") -> Block:
    return sql.product(members, label).filter(*sql.conjuncts(node.condition))
