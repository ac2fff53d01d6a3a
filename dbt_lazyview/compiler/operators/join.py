"""
Inner and cross join of n inputs: one term per changed occurrence i, new before i, delta at i, old after i (Z 3.3).

    D(R1 ⋈ … ⋈ Rn) = Σ_i  R1+ ⋈ … ⋈ R(i-1)+ ⋈ D(Ri) ⋈ R(i+1)- ⋈ … ⋈ Rn-
"""

from dataclasses import replace

from sqlglot import exp

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.algebra import Join, Node
from dbt_lazyview.compiler.block import Bag, Block
from dbt_lazyview.compiler.derivation import Derivation, When, is_plain
from dbt_lazyview.compiler.passes.wanted_keys import Pair, Wanted, equations


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
    delta = derivation.single_delta(node.members[changed], "input_delta")
    others = [
        (member, When.NEW if position < changed else When.OLD)
        for position, member in enumerate(node.members)
        if position != changed
    ]
    plain = [
        derivation.single(derivation.rows(member, when), member.columns, "input_rows")
        for member, when in others
        if is_plain(member)
    ]
    computed = [(member, when) for member, when in others if not is_plain(member)]
    term = _GrowingTerm(node.condition, derivation)
    term.join(delta, *plain)
    if plain and computed and derivation.options.push_keys:
        term.name("linked")
    while computed:
        found = next((each for each in computed if term.is_linked(each[0])), computed[0])
        computed.remove(found)
        term.join_computed(*found)
    return replace(term.finished(), label=delta.label)


class _GrowingTerm:
    """A delta to which the other inputs are joined one by one, under every condition as soon as it can be tested."""

    def __init__(self, condition: exp.Expr | None, derivation: Derivation) -> None:
        self.condition, self.derivation = condition, derivation
        self.rows = Block((), {})
        self._untested = sql.conjuncts(condition)
        self._before: list[Block] = []  # the rows as they were before each input that was computed

    def join(self, *inputs: Block) -> None:
        joined = sql.product([self.rows, *inputs])
        due = [each for each in self._untested if {c.name for c in each.find_all(exp.Column)} <= set(joined.columns)]
        self.rows = joined.filter(*due)
        self._untested = tuple(each for each in self._untested if each not in due)

    def name(self, name: str) -> None:
        self.rows = self.derivation.named(self.rows, name)

    def is_linked(self, member: Node) -> bool:
        return bool(self._equations(member, self.rows))

    def join_computed(self, member: Node, when: When) -> None:
        """
        Join those rows of a member that can match. Their keys are taken from as few inputs as tell as much: the keys
        are known early then, and are the same for many members.
        """
        self._before.append(self.rows)
        wanted_pairs = len(self._equations(member, self.rows))
        keys = next(each for each in self._before if len(self._equations(member, each)) == wanted_pairs)
        self.join(Wanted(keys, self.condition, "input_rows").rows(member, when, self.derivation))

    def finished(self) -> Block:
        return self.rows.filter(*self._untested)

    def _equations(self, member: Node, rows: Block) -> list[Pair]:
        return equations(self.condition, set(member.columns), set(rows.columns))


def _joined(members: list[Block], node: Join, label: str = "") -> Block:
    return sql.product(members, label).filter(*sql.conjuncts(node.condition))
