"""
Early groups: a delta that is not known to be small is grouped before it is joined.

    Σ over g of (D(R) ⋈ S)  =  Σ over g of ((Σ over k of D(R)) ⋈ S)

where all that is summed comes from R, and k are the columns of R that the join and the groups need. Changed rows that
agree in k, such as the new orders of a customer, are one row in the join.
"""

from collections.abc import Iterable
from dataclasses import replace

from sqlglot import exp

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.block import Bag, Block
from dbt_lazyview.compiler.derivation import Derivation, by_position
from dbt_lazyview.compiler.functions import arguments
from dbt_lazyview.compiler.partials import Partial
from dbt_lazyview.compiler.plan import CaptureDelta, Sum
from dbt_lazyview.names import WEIGHT


def grouped_early(terms: Bag, keys: tuple[str, ...], partials: Iterable[Partial], derivation: Derivation) -> Bag | None:
    """
    The terms with what each row contributes to every partial instead of the partials' arguments, grouped where that
    pays; nothing where it pays for none of them.
    """
    if not derivation.options.group_early:
        return None
    stored = tuple(partials)
    grouped = [_grouped(each, keys, stored, derivation) for each in terms]
    if not any(grouped):
        return None
    return tuple(early or _contributing(term, keys, stored) for early, term in zip(grouped, terms, strict=True))


def _contributing(term: Block, keys: tuple[str, ...], partials: tuple[Partial, ...]) -> Block:
    """What a row adds to each partial."""
    contributions = {name: _of_one_row(each) for name, each in _changes(term, partials).items()}
    return replace(term, columns={**{key: term.columns[key] for key in keys}, **contributions})


def _of_one_row(change: exp.Expr) -> exp.Expr:
    """
    What a change over rows is for a single one.

    Example:
        >>> from sqlglot import parse_one
        >>> _of_one_row(parse_one("sum(a * w)")).sql()
        'a * w'
        >>> _of_one_row(parse_one("case when count(a) > 0 and sum(a) is null then raise_error() else sum(a) end")).sql()
        'CASE WHEN CASE WHEN a IS NULL THEN 0 ELSE 1 END > 0 AND a IS NULL THEN RAISE_ERROR() ELSE a END'
    """

    def alone(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Count):
            return sql.case_when(sql.is_null(node.this), exp.Literal.number(0), exp.Literal.number(1))
        return sql.as_factor(arguments(node)[0]) if isinstance(node, exp.AggFunc) else node

    return change.transform(alone).unnest()


def _grouped(term: Block, keys: tuple[str, ...], partials: tuple[Partial, ...], derivation: Derivation) -> Block | None:
    delta = _delta_of(term, derivation)
    if delta is None or derivation.is_small(delta.relation) or derivation.follows_few_changes:
        return None
    changes = _changes(term, partials)
    own = [each for each in term.where if _reads_only(each, delta.alias)]
    rest = [each for each in term.where if each not in own]
    by = _columns([*(term.columns[key] for key in keys), *rest], delta.alias)
    used = _columns([*changes.values(), *own], delta.alias)
    if not by or used <= by or not all(_reads_only(each, delta.alias) for each in changes.values()):
        return None
    sums = {WEIGHT: exp.Sum(this=sql.weight_of(term)), **changes}
    columns = {name: sql.column(name, delta.alias) for name in sorted(by)}
    groups = Block((delta,), {**columns, **sums}, tuple(own)).query(weight=False)
    relation = derivation.derive(by_position(groups, len(by)), "grouped_delta")
    items = tuple(replace(item, relation=relation) if item is delta else item for item in term.items)
    passed = {**{key: term.columns[key] for key in keys}, **{name: sql.column(name, delta.alias) for name in changes}}
    return Block(items, passed, tuple(rest), sql.column(WEIGHT, delta.alias), label=term.label)


def _delta_of(term: Block, derivation: Derivation) -> sql.Item | None:
    """
    The delta that is joined with others, of a source or of what changed together, where rows have no weights but those
    it gives them.
    """
    deltas = [item for item in term.items if isinstance(derivation.steps.get(item.relation), CaptureDelta | Sum)]
    if len(deltas) != 1 or len(term.items) < 2 or term.laterals:
        return None
    is_own = term.weight is None or term.weight == sql.column(WEIGHT, deltas[0].alias)
    return deltas[0] if is_own else None


def _changes(term: Block, partials: tuple[Partial, ...]) -> dict[str, exp.Expr]:
    """What weighted rows add up to, for each partial."""
    columns = {**term.columns, WEIGHT: sql.weight_of(term)}
    return {each.name: sql.substitute(each.change, columns) for each in partials if each.change is not None}


def _reads_only(expression: exp.Expr, alias: str) -> bool:
    is_plain = expression.find(exp.Query) is None
    return is_plain and all(each.table == alias for each in expression.find_all(exp.Column))


def _columns(expressions: Iterable[exp.Expr], alias: str) -> set[str]:
    found = (each for expression in expressions for each in expression.find_all(exp.Column))
    return {each.name for each in found if each.table == alias and each.name != WEIGHT}
