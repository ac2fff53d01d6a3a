"""
Inner and cross join of n inputs: one term per changed occurrence i, new before i, delta at i, old after i (Z 3.3).

    D(R1 ⋈ … ⋈ Rn) = Σ_i  R1+ ⋈ … ⋈ R(i-1)+ ⋈ D(Ri) ⋈ R(i+1)- ⋈ … ⋈ Rn-
"""

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.algebra import Join
from dbt_lazyview.compiler.block import Bag, Block
from dbt_lazyview.compiler.derivation import Derivation, When


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
        derivation.single(
            derivation.rows(member, When.NEW if position < changed else When.OLD), member.columns, "input_rows"
        )
        for position, member in enumerate(node.members)
        if position != changed
    ]
    return _joined([delta, *others], node, label=delta.label)


def _joined(members: list[Block], node: Join, label: str = "") -> Block:
    return sql.product(members, label).filter(*sql.conjuncts(node.condition))
