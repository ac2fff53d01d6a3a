"""
Inner and cross join of n inputs: one term per changed occurrence i, new before i, delta at i, old after i (Z 3.3).

    D(R1 ⋈ … ⋈ Rn) = Σ_i  R1+ ⋈ … ⋈ R(i-1)+ ⋈ D(Ri) ⋈ R(i+1)- ⋈ … ⋈ Rn-

Of these, terms whose rows came under fresh keys are dropped, or meet only what came with them (passes/fresh_keys.py).
What did not change is the same in all terms, and is joined once to their sum: D(R ⋈ S ⋈ U) = D(R ⋈ S) ⋈ U.
"""

from dataclasses import dataclass, replace

from sqlglot import exp

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.algebra import Join, Node
from dbt_lazyview.compiler.block import Bag, Block
from dbt_lazyview.compiler.derivation import Derivation, When, is_plain
from dbt_lazyview.compiler.passes.fresh_keys import meets_only_what_came
from dbt_lazyview.compiler.passes.shared_keys import by_shared_keys
from dbt_lazyview.compiler.passes.wanted_keys import Pair, Wanted, equations

LARGE_INPUT = 2**20  # bytes
BROADCAST_BYTES = 16 * 2**20  # on disk, and several times as much in memory


class JoinRule:
    is_linear = True

    def rows(self, node: Join, when: When, derivation: Derivation) -> Bag:
        members = [
            derivation.single(derivation.rows(each, when), each.columns, f"{when.value}_input") for each in node.members
        ]
        return (_joined(members, node),)

    def delta(self, node: Join, derivation: Derivation) -> Bag:
        changed = [position for position, member in enumerate(node.members) if derivation.changed(member)]
        inner = changed_part(node, changed) if derivation.options.join_unchanged_once else None
        if inner is not None:
            return (_with_unchanged(node, inner, self.delta(inner, derivation), derivation),)
        return by_shared_keys(node, derivation) or _terms(node, changed, derivation)


def _terms(node: Join, changed: list[int], derivation: Derivation) -> Bag:
    terms = (_term(node, position, derivation) for position in changed)
    return tuple(each for each in terms if each is not None)


def _term(node: Join, changed: int, derivation: Derivation) -> Block | None:
    """One addend; None where it is known to have no rows."""
    others = [
        (member, _when(node, changed, position, derivation))
        for position, member in enumerate(node.members)
        if position != changed
    ]
    if any(when is None for _, when in others):
        return None
    delta = derivation.single_delta(node.members[changed], "input_delta")
    share = derivation.share_of(delta, node.members[changed])
    return _joined_to(delta, [(each, when) for each, when in others if when], node.condition, share, derivation)


def _when(node: Join, changed: int, position: int, derivation: Derivation) -> When | None:
    """Which rows of an input the term of another one meets; None: none of those that it would read."""
    delta, member = node.members[changed], node.members[position]
    is_new = position < changed
    if derivation.changed(member) and meets_only_what_came(delta, member, node.condition, derivation):
        return When.CAME if is_new else None
    return When.NEW if is_new else When.OLD


def changed_part(node: Join, changed: list[int]) -> Join | None:
    """The join of what changed alone; None where that is all, or one input, or where no equations tie it together."""
    members = tuple(node.members[each] for each in changed)
    if len(members) < 2 or len(members) == len(node.members):
        return None
    columns = {name for each in members for name in each.columns}
    own = [each for each in sql.conjuncts(node.condition) if _columns(each) <= columns]
    return Join(members, exp.and_(*own)) if _are_tied(members, own) else None


def _are_tied(members: tuple[Node, ...], conditions: list[exp.Expr]) -> bool:
    """Whether equations lead from one member to all others, so that no product of two of them is computed."""
    reached, rest = set(members[0].columns), list(members[1:])
    while found := next((each for each in rest if _equate(conditions, set(each.columns), reached)), None):
        rest.remove(found)
        reached |= set(found.columns)
    return not rest


def _equate(conditions: list[exp.Expr], own: set[str], other: set[str]) -> bool:
    return any(equations(each, own, other) for each in conditions)


def _with_unchanged(node: Join, inner: Join, terms: Bag, derivation: Derivation) -> Block:
    delta = derivation.read_sum(terms, inner.columns, "joined_delta")
    others = [(member, When.NEW) for member in node.members if member not in inner.members]
    tested = sql.conjuncts(inner.condition)
    rest = [each for each in sql.conjuncts(node.condition) if each not in tested]
    return _joined_to(delta, others, exp.and_(*rest) if rest else None, None, derivation)


def _joined_to(
    delta: Block,
    others: list[tuple[Node, When]],
    condition: exp.Expr | None,
    share: float | None,
    derivation: Derivation,
) -> Block:
    """A delta with the other inputs joined to it."""
    others = _in_order(others, derivation)
    plain = [_Input.of(member, when, derivation) for member, when in others if is_plain(member)]
    computed = [(member, when) for member, when in others if not is_plain(member)]
    term = _GrowingTerm(delta, condition, derivation)
    if computed:
        term.join_linked(plain)
        term.join_computed(computed, plain)
    term.join_plain(plain, None if computed else share)
    return replace(term.finished(), label=delta.label)


@dataclass(frozen=True)
class _Input:
    """An input that is only read."""

    rows: Block
    bytes: int  # of its sources

    @staticmethod
    def of(member: Node, when: When, derivation: Derivation) -> "_Input":
        if when is When.CAME:
            return _Input(derivation.single_delta(member, "input_delta"), bytes=0)
        rows = derivation.single(derivation.rows(member, when), member.columns, "input_rows")
        return _Input(rows, derivation.bytes_of(member))


def _in_order(others: list[tuple[Node, When]], derivation: Derivation) -> list[tuple[Node, When]]:
    """
    The other inputs of a term, what came first and then the largest: Spark joins in the order of FROM, as far as
    conditions allow, and has no idea how small what comes of a small delta is. The delta itself it is told to
    broadcast.
    """
    if not derivation.options.largest_first:
        return others
    return sorted(others, key=lambda each: (each[1] is not When.CAME, -derivation.bytes_of(each[0])))


class _GrowingTerm:
    """A delta to which the other inputs are joined one by one, under every condition as soon as it can be tested."""

    def __init__(self, delta: Block, condition: exp.Expr | None, derivation: Derivation) -> None:
        self.rows, self.condition, self.derivation = delta, condition, derivation
        self._untested = sql.conjuncts(condition)
        self._before: list[Block] = []  # the rows as they were before each input that was computed
        self.join()

    def join(self, *inputs: Block) -> None:
        self.rows = sql.product([self.rows, *inputs])
        due = [each for each in self._untested if _columns(each) <= set(self.rows.columns)]
        self.rows = self.rows.filter(*due)
        self._untested = tuple(each for each in self._untested if each not in due)

    def join_plain(self, plain: list[_Input], share: float | None) -> None:
        """
        Join what is only read, what is tied by equations first: under hints Spark keeps the order that it is given, and
        would multiply what is not tied yet. Of very few changes, what they meet by equations is about their share of
        it: where that is little, it is named, and so broadcast to the next large input, which Spark would shuffle
        otherwise.
        """
        met = 0.0
        while next_one := self._next(plain):
            plain.remove(next_one)
            share = share if self._is_equated(next_one.rows) else None
            if share is not None:
                if 0 < met <= BROADCAST_BYTES and next_one.bytes >= LARGE_INPUT:
                    self.rows = self.derivation.named(self.rows, "met", few=True)
                met = max(met, next_one.bytes * share)
            self.join(next_one.rows)

    def _next(self, plain: list[_Input]) -> _Input | None:
        """The input to join next: tied by an equation, or else by some condition, or else the first."""
        equated = (each for each in plain if self._is_equated(each.rows))
        tied = (each for each in plain if self._ties(each.rows))
        return next(equated, None) or next(tied, None) or next(iter(plain), None)

    def join_linked(self, plain: list[_Input]) -> None:
        """Join what is only read and has a condition: it knows the keys for which the rest has to be computed."""
        before = len(plain)
        self._join_touched(plain)
        if len(plain) < before and self.derivation.options.push_keys:
            self.rows = self.derivation.named(self.rows, "linked")

    def join_computed(self, computed: list[tuple[Node, When]], plain: list[_Input]) -> None:
        """Join what has to be computed, as far as possible for known keys only."""
        while computed:
            member, when = next((each for each in computed if self._equations(each[0], self.rows)), computed[0])
            computed.remove((member, when))
            self._before.append(self.rows)
            self.join(Wanted(self._keys_of(member), self.condition, "input_rows").rows(member, when, self.derivation))
            self._join_touched(plain)

    def finished(self) -> Block:
        return self.rows.filter(*self._untested)

    def _join_touched(self, plain: list[_Input]) -> None:
        while touched := next((each for each in plain if self._ties(each.rows)), None):
            plain.remove(touched)
            self.join(touched.rows)

    def _is_equated(self, block: Block) -> bool:
        return any(isinstance(each.unnest(), exp.EQ | exp.NullSafeEQ) for each in self._ties(block))

    def _ties(self, block: Block) -> list[exp.Expr]:
        """The conditions that tie a block to the rows joined so far."""
        own, known = set(block.columns), set(self.rows.columns)
        return [
            each
            for each in self._untested
            if _columns(each) <= own | known and _columns(each) & own and _columns(each) & known
        ]

    def _keys_of(self, member: Node) -> Block:
        """
        The rows that tell which keys of a member are wanted: of as few inputs as tell as much as all of them. Such keys
        are known early, and are the same for many members.
        """
        most = len(self._equations(member, self.rows))
        return next(each for each in self._before if len(self._equations(member, each)) == most)

    def _equations(self, member: Node, rows: Block) -> list[Pair]:
        return equations(self.condition, set(member.columns), set(rows.columns))


def _columns(expression: exp.Expr) -> set[str]:
    return {column.name for column in expression.find_all(exp.Column)}


def _joined(members: list[Block], node: Join, label: str = "") -> Block:
    return sql.product(members, label).filter(*sql.conjuncts(node.condition))
