"""
Broken delta rules, each by a name: the random tests must find every one of them.

A mutation stays well formed, so that it shows as wrong rows and not as an error: a term that is left out gives no rows.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import pytest
from sqlglot import exp

from dbt_lazyview.compiler import algebra, folding
from dbt_lazyview.compiler.block import Bag, Block
from dbt_lazyview.compiler.derivation import Derivation, When, matches_some
from dbt_lazyview.compiler.operators import RULES, aggregate, join, outer_join, semi_join, window
from dbt_lazyview.compiler.passes import early_groups, literal_bounds, shared_keys, stored_before, wanted_keys
from dbt_lazyview.compiler.stability import Stability
from dbt_lazyview.names import WEIGHT
from tests.macro_rendering import MacroRenderer
from tests.property.case import Case
from tests.property.exploration import case_of, random_case

Patch = Callable[[pytest.MonkeyPatch], None]


@dataclass(frozen=True)
class Mutation:
    name: str
    shown_by: tuple[str, ...] | str  # operators, from the top down, of the random queries that show it; or a query
    apply: Patch

    def case(self, random: Random) -> Case:
        if isinstance(self.shown_by, str):
            return case_of(random, _TABLES, self.shown_by)
        return random_case(random, self.shown_by)


# A rule, and what it is told, in other words.


class _Mutant:
    """A rule with some of its parts replaced."""

    def __init__(self, rule: Any, **parts: Any) -> None:
        self._rule = rule
        self.__dict__.update(parts)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rule, name)


class _Told(_Mutant):
    """A derivation that gives other answers to the rule that is broken, and the right ones to all others."""

    def rows(self, node: algebra.Node, when: When) -> Bag:
        return self.new(node) if when is When.NEW else self.old(node)


def _rule(node: type[algebra.Node], broken: Callable[[Any], dict[str, Any]]) -> Patch:
    return lambda patch: patch.setitem(RULES, node, _Mutant(RULES[node], **broken(RULES[node])))


def _delta(change: Callable[[Bag], Bag]) -> Callable[[Any], dict[str, Any]]:
    return lambda rule: {"delta": lambda node, derivation: change(rule.delta(node, derivation))}


def _told(**answers: Callable[..., Callable[..., Any]]) -> Callable[[Any], dict[str, Any]]:
    """The rule's delta, computed with wrong answers; each is made from the derivation."""

    def broken(rule: Any) -> dict[str, Any]:
        def delta(node: algebra.Node, derivation: Derivation) -> Bag:
            told = _Told(derivation, **{name: answer(derivation) for name, answer in answers.items()})
            return rule.delta(node, told)  # type: ignore[no-any-return]

        return {"delta": delta}

    return broken


def _no_rows(block: Block) -> Block:
    return replace(block, where=(*block.where, exp.false()))


def _without(position: int) -> Callable[[Bag], Bag]:
    return lambda bag: tuple(_no_rows(each) if each is bag[position] else each for each in bag)


def _negated(bag: Bag) -> Bag:
    return tuple(block.negated() for block in bag)


def _unsigned(bag: Bag) -> Bag:
    return tuple(replace(block, weight=None) for block in bag)


def _unconsolidated(derivation: Derivation) -> Callable[..., Block]:
    return lambda bag, columns, name: replace(derivation.single(bag, columns, name), weight=None)


def _not_null_safe(block: Block, keys: Any, relation: str) -> Block:
    result = matches_some(block, keys, relation)
    last = result.where[-1].copy()
    for each in list(last.find_all(exp.NullSafeEQ)):
        each.replace(exp.EQ(this=each.this, expression=each.expression))
    return replace(result, where=(*result.where[:-1], last))


def _attribute(owner: Any, name: str, value: Any) -> Patch:
    return lambda patch: patch.setattr(owner, name, value)


def _answer(owner: Any, name: str, value: Any) -> Patch:
    """A function that always says the same."""
    return _attribute(owner, name, lambda *_: value)


def _around(owner: Any, name: str, change: Callable[[Any], Any]) -> Patch:
    """A function whose result is changed."""

    def apply(patch: pytest.MonkeyPatch) -> None:
        right = getattr(owner, name)
        patch.setattr(owner, name, lambda *arguments: change(right(*arguments)))

    return apply


def _text(pattern: str, other: str) -> Patch:
    """A macro that says something else."""

    def apply(patch: pytest.MonkeyPatch) -> None:
        right = MacroRenderer.render
        patch.setattr(
            MacroRenderer, "render", lambda *names, **given: re.sub(pattern, other, right(*names, **given), flags=re.S)
        )

    return apply


def _inner(select: exp.Select) -> exp.Select:
    select.args["joins"][0].set("side", None)
    return select


def _of_some_weight(select: exp.Select) -> exp.Select:
    return select.having(f"sum({WEIGHT}) <> 0")


def _no_rows_if_any(term: Block | None) -> Block | None:
    return _no_rows(term) if term else None


def _of_some(found: list[literal_bounds.Origins | None]) -> literal_bounds.Origins | None:
    return frozenset().union(*(each for each in found if each is not None))


def _nothing_came(when: When | None) -> When | None:
    return When.OLD if when is When.CAME else when


def _new_rows_only(rule: Any) -> dict[str, Any]:
    return {"rows": lambda node, _, derivation: rule.rows(node, When.NEW, derivation)}


def _stored_rows_stay(patch: pytest.MonkeyPatch) -> None:
    right = folding._difference
    patch.setattr(folding, "_difference", lambda state, fresh, kept, *rest: right(state, fresh, _no_rows(kept), *rest))


def _changing_constants(patch: pytest.MonkeyPatch) -> None:
    right = Derivation.changed
    patch.setattr(Derivation, "changed", lambda self, node: isinstance(node, algebra.Values) or right(self, node))
    rows = RULES[algebra.Values].rows
    _rule(algebra.Values, lambda _: {"delta": lambda node, derivation: rows(node, When.NEW, derivation)})(patch)


def _first_changed_only(patch: pytest.MonkeyPatch) -> None:
    right = shared_keys._touched_keys
    patch.setattr(shared_keys, "_touched_keys", lambda keys, changed, *rest: right(keys, changed[:1], *rest))


def _old_rows_touched_as_new(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(shared_keys._Touched, "before", shared_keys._Touched.now)


def _keys_of_right_sides(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(shared_keys.SharedKeys, "_beside", shared_keys.SharedKeys._below)


def _keys_of_matches(patch: pytest.MonkeyPatch) -> None:
    right = shared_keys._tied
    patch.setattr(shared_keys, "_tied", lambda keys, condition, apart=False: right(keys, condition))


def _keys_of_some_readers(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(shared_keys, "_leading_everywhere", lambda keys, _: keys)


def _anti_as_semi(rule: Any) -> dict[str, Any]:
    """The rows whose match came or went, with the sign they have in a semi join."""

    def delta(node: algebra.SemiJoin, derivation: Derivation) -> Bag:
        own, *flipped = rule.delta(node, derivation)
        return (own, *(_negated(tuple(flipped)) if node.is_anti else flipped))

    return {"delta": delta}


def _never_full(rule: Any) -> dict[str, Any]:
    return {"delta": lambda node, derivation: rule.delta(replace(node, is_full=False), derivation)}


_NULLS_DIFFER = ("matches_some", _not_null_safe)
_NO_FLIPS = ("flipped_matches", _no_rows)
_old_as_new = _told(old=lambda derivation: derivation.new)
_new_as_old = _told(new=lambda derivation: derivation.old)

# Where the effects of a rule show, and where its old rows do.
_DELTA_SHOWN_BY: dict[type[algebra.Node], tuple[str, ...]] = {
    algebra.Aggregate: ("join", "aggregate"),
    algebra.Filter: ("filter",),
    algebra.Generate: ("generate",),
    algebra.Join: ("join",),
    algebra.OuterJoin: ("outer_join",),
    algebra.Project: ("project",),
    algebra.Scan: ("filter",),
    algebra.SemiJoin: ("semi_join",),
    algebra.UnionAll: ("grouping_sets",),
    algebra.Window: ("window",),
}
_OLD_ROWS_SHOWN_BY: dict[type[algebra.Node], tuple[str, ...]] = {
    node: operators if len(operators) > 1 else ("outer_join", *operators) for node, operators in _DELTA_SHOWN_BY.items()
}
# A float total beside steady columns, and a choice of rows by one below a set operation.
_TABLES = {"r": [("a", "int"), ("b", "int"), ("f", "double")], "t": [("a", "int"), ("c", "int")]}
_VOLATILE_VALUE = (  # of many addends, whose order shows
    "select t.c, x.a, x.s from t join (select r.a, sum(r.f * p.f / 3) as s from r cross join r as p group by r.a) x "
    "on x.a <=> t.a"
)
_VOLATILE_ROWS = (
    "select a from t except all select a from (select a, b, sum(f) as s from r group by a, b) where s > 0.8437"
)
_NULL_SAFE_JOIN = "select t.c, x.n from t join (select a, count(*) as n from r group by a) x on x.a <=> t.a"
_CONSTANTS = "select v.n, t.c from (values (1), (2)) as v(n) join t on t.a = v.n"

_KEYS_OF_TWO = "select x.c, r.b, y.a from t x join r on r.a = x.a join t y on y.c = r.b"
_EARLY_GROUPS = "select t.c, count(*) as n, sum(r.b) as s from t join r on r.a = t.a group by t.c"

_PARTITIONS = "select a, b, row_number() over (partition by a order by b) as n from r"
_ROWS_WITH_GROUPS = "select t.a, t.c, x.n from t left join (select a, count(*) as n from r group by a) x on x.a = t.a"

_SOME_MATCH = "select a, c from t where exists (select 1 from r where r.a = t.a)"
_WITH_MATCHES = "select t.a, t.c, r.b from t left join r on r.a = t.a"
_GROUPS_MATCHED_BY_COUNT = (
    "select t.c, x.b, x.n from t left join (select b, count(*) as n from r group by b) x on x.n = t.a"
)
_MATCHED_BY_TWO = "select x.c, y.c as d, r.b from t x cross join t y left join r on r.a = x.a and r.a = y.a"
_READ_TWICE = (
    "with v as (select r.a, r.b, count(t.c) as n from r left join t on t.a = r.a group by r.a, r.b) "
    "select p.a, q.b, q.n from v p join v q on q.n = p.n"
)

_LINEAR = [node for node, rule in RULES.items() if rule.is_linear and node is not algebra.Values]
_OTHERS = [node for node, rule in RULES.items() if not rule.is_linear]


def _each(nodes: list[type[algebra.Node]], name: str, broken: Callable[[Any], dict[str, Any]]) -> list[Mutation]:
    return [Mutation(f"{each.__name__}: {name}", _DELTA_SHOWN_BY[each], _rule(each, broken)) for each in nodes]


def _each_old(nodes: list[type[algebra.Node]], name: str, broken: Callable[[Any], dict[str, Any]]) -> list[Mutation]:
    return [Mutation(f"{each.__name__}: {name}", _OLD_ROWS_SHOWN_BY[each], _rule(each, broken)) for each in nodes]


MUTATIONS: list[Mutation] = [
    *_each([*_LINEAR, *_OTHERS], "wrong sign", _delta(_negated)),
    *_each([*_LINEAR, *_OTHERS], "first term left out", _delta(_without(0))),
    *_each([algebra.Join, algebra.UnionAll, *_OTHERS], "last term left out", _delta(_without(-1))),
    *_each_old(_LINEAR, "old rows are the new ones", _new_rows_only),
    *_each_old(_OTHERS, "taken for linear", lambda _: {"is_linear": True}),
    *_each([algebra.Join, algebra.OuterJoin, algebra.Aggregate, algebra.Window], "new instead of old", _old_as_new),
    *_each([algebra.Join, algebra.OuterJoin, algebra.SemiJoin, algebra.Aggregate], "old instead of new", _new_as_old),
    *_each([algebra.Aggregate, algebra.Window], "old rows not consolidated", _told(consolidated=_unconsolidated)),
    *_each([algebra.Scan], "deletes count as inserts", _delta(_unsigned)),
    *_each([algebra.OuterJoin], "full join as left join", _never_full),
    *_each([algebra.SemiJoin], "anti join as semi join", _anti_as_semi),
    Mutation("Values: constants come again", _CONSTANTS, _changing_constants),
    Mutation("OuterJoin: padded rows neither come nor go", ("outer_join",), _around(outer_join, *_NO_FLIPS)),
    Mutation("SemiJoin: matches neither come nor go", ("semi_join",), _around(semi_join, *_NO_FLIPS)),
    Mutation("Aggregate: keys not null-safe", _NULL_SAFE_JOIN, _attribute(aggregate, *_NULLS_DIFFER)),
    Mutation("Window: keys not null-safe", ("window",), _attribute(window, *_NULLS_DIFFER)),
    Mutation("Wanted keys: not null-safe", _NULL_SAFE_JOIN, _attribute(wanted_keys, *_NULLS_DIFFER)),
    Mutation("Volatile rows: keys not null-safe", _VOLATILE_VALUE, _attribute(folding, *_NULLS_DIFFER)),
    Mutation("Volatile rows: stored ones stay", _VOLATILE_VALUE, _stored_rows_stay),
    Mutation("Volatile rows: taken for simple", _VOLATILE_ROWS, _answer(Stability, "has_entangled_rows", False)),
    Mutation("Volatile values: taken for steady", _VOLATILE_VALUE, _answer(Stability, "_calls", frozenset())),
    Mutation("Fold: everything is additive", ("aggregate",), _answer(folding, "_is_additive", True)),
    Mutation("Fold: every window only adds", ("aggregate",), _answer(Derivation, "insert_only", True)),
    Mutation("Fold: groups that are gone stay", ("aggregate",), _around(folding, "_all_affected", _inner)),
    Mutation("Early groups: weight 0 is nothing", _EARLY_GROUPS, _around(early_groups, "by_position", _of_some_weight)),
    Mutation("Early groups: all are gone", _EARLY_GROUPS, _around(early_groups, "_grouped", _no_rows_if_any)),
    Mutation("Stored before: keys not null-safe", _PARTITIONS, _attribute(stored_before, *_NULLS_DIFFER)),
    Mutation("Stored before: stored rows stay", _PARTITIONS, _stored_rows_stay),
    Mutation("Stored before: only groups touch", _ROWS_WITH_GROUPS, _answer(stored_before._Plain, "touched", ())),
    Mutation("Shared keys: of one source only", _SOME_MATCH, _first_changed_only),
    Mutation("Shared keys: not null-safe", _WITH_MATCHES, _attribute(shared_keys, *_NULLS_DIFFER)),
    Mutation("Shared keys: old rows are the new ones", _SOME_MATCH, _old_rows_touched_as_new),
    Mutation("Shared keys: of right sides alone", _GROUPS_MATCHED_BY_COUNT, _keys_of_right_sides),
    Mutation("Shared keys: left rows without a match have them, too", _MATCHED_BY_TWO, _keys_of_matches),
    Mutation("Shared keys: of one of two readers", _READ_TWICE, _keys_of_some_readers),
    Mutation("Fresh keys: all are", ("join",), _answer(join, "meets_only_what_came", True)),
    Mutation("Fresh keys: new ones do not meet", _EARLY_GROUPS, _around(join, "_when", _nothing_came)),
    Mutation("Bounds: of some readers", _KEYS_OF_TWO, _attribute(literal_bounds, "_all", _of_some)),
    Mutation("Bounds: NULL is none", _NULL_SAFE_JOIN, _text(r" or \S+ is null\)$", ")")),
    Mutation("Merge: groups of count 0 stay", ("distinct",), _text(r"when matched and [^\n]* then delete", "")),
    Mutation("Merge: keys not null-safe", ("distinct",), _text(r"(?<=t\.)(`\w+`) <=> d\.", r"\1 = d.")),
    Mutation("Overwrite: groups of count 0 stay", ("distinct",), _text(r"having sum\(lv_count\) <> 0", "")),
    Mutation("Overwrite: replaced groups stay", ("aggregate",), _text(r"lv_is_change = lv_newest and ", "")),
    Mutation("Rewrite: groups of count 0 stay", ("distinct",), _text(r"when lv_left = 0 then array\('delete'\)", "")),
    Mutation("Rewrite: new rows are not told", ("filter",), _text(r", 'insert'\)", ")")),
    Mutation("Rewrite: rows before are told as after", ("aggregate",), _text("'update_preimage', 'del", "'del")),
    Mutation("Rewrite: rows beyond the bounds go", ("distinct",), _text(r"\) is not true", ") is null")),
    Mutation("Condense: deletes are lost", ("filter",), _text(r"(?<=having sum\(lv_weight\)) <> 0", " > 0")),
    Mutation("Source before: delta not negated", ("join",), _text(r"-lv_weight as lv_weight", "lv_weight")),
]  # fmt: skip
