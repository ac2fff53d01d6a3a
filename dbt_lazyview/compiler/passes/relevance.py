"""Relevance: which rows of a source what is stored depends on, by the filters above it (Z 3.5)."""

from collections.abc import Iterable

from sqlglot import exp

from dbt_lazyview.compiler.algebra import (
    Aggregate,
    Filter,
    Generate,
    Join,
    Node,
    OuterJoin,
    Project,
    Scan,
    SemiJoin,
    Sort,
)
from dbt_lazyview.compiler.block import column, conjuncts, substitute

Conjuncts = tuple[exp.Expr, ...]


def relevant_rows(root: Node) -> dict[str, exp.Expr | None]:
    """For each source a predicate over its own columns that every row the root depends on fulfils; None: any row."""
    found: dict[str, list[Conjuncts]] = {}
    for scan, own in _reached(root, ()):
        found.setdefault(scan.source, []).append(own)
    return {source: _any_of(each) for source, each in found.items()}


def _reached(node: Node, above: Conjuncts) -> Iterable[tuple[Scan, Conjuncts]]:
    """Every occurrence of a source below a node, with the conditions that its rows must fulfil to matter."""
    if isinstance(node, Scan):
        yield node, tuple(_of_source(each, node) for each in above if _uses_only(each, node.columns))
    for below, conditions in _passed_down(node, above):
        yield from _reached(below, conditions)


def _passed_down(node: Node, above: Conjuncts) -> list[tuple[Node, Conjuncts]]:
    """The inputs, each with the conditions that hold for all of its rows that matter."""
    if isinstance(node, Filter):
        return [(node.input, (*above, *conjuncts(node.predicate)))]
    if isinstance(node, Project):
        outputs = dict(node.outputs)
        return [(node.input, tuple(substitute(each, outputs) for each in above if _uses_only(each, outputs)))]
    if isinstance(node, Aggregate):
        keys = dict(node.keys)  # a group that is dropped needs no rows
        return [(node.input, tuple(substitute(each, keys) for each in above if _uses_only(each, keys)))]
    if isinstance(node, Join):
        return [(member, (*above, *conjuncts(node.condition))) for member in node.members]
    if isinstance(node, (Sort, Generate)):
        return [(node.input, above)]
    if isinstance(node, SemiJoin) or (isinstance(node, OuterJoin) and not node.is_full):
        return [(node.left, above), (node.right, ())]  # a row of the right side decides about rows that pass
    return [(each, ()) for each in node.inputs]


def _of_source(condition: exp.Expr, scan: Scan) -> exp.Expr:
    return substitute(condition, {name: column(own) for name, own in scan.reads})


def _uses_only(condition: exp.Expr, names: Iterable[str]) -> bool:
    used = {each.name for each in condition.find_all(exp.Column)}
    return bool(used) and used <= set(names)


def _any_of(occurrences: list[Conjuncts]) -> exp.Expr | None:
    if not all(occurrences):
        return None
    return exp.or_(*(exp.and_(*each, copy=True) for each in occurrences), copy=True)
