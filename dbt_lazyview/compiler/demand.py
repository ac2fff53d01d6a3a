"""
Which inner groups a refresh needs in full, told from the tree alone.

A change reaches the groups beside it by equations: only the groups with its keys are computed then. Groups that stand
in a product with something that changes, under an aggregate without keys, or under one whose keys are none of theirs,
are all needed.
"""

from collections.abc import Callable, Iterable, Iterator

from sqlglot import exp

from dbt_lazyview.compiler.algebra import (
    Aggregate,
    Filter,
    Join,
    Node,
    OuterJoin,
    Project,
    SemiJoin,
    UnionAll,
    Window,
    walk,
)
from dbt_lazyview.compiler.block import conjuncts


def needed_in_full(node: Node, all_rows: bool, is_cheap: Callable[[Aggregate], bool]) -> list[Aggregate]:
    """
    The aggregates in a tree that are computed from all their rows, each after those below it; below one that would be
    cheap to keep, only those that its own upkeep needs in full. `all_rows`: whether the tree itself is needed in full.
    """
    found: set[int] = set()
    seen: set[tuple[int, bool]] = set()

    def visit(node: Node, all_rows: bool) -> None:
        if (id(node), all_rows) in seen:
            return
        seen.add((id(node), all_rows))
        in_full = all_rows or _has_no_keys(node)
        if in_full and isinstance(node, Aggregate) and is_cheap(node):
            found.add(id(node))
            in_full = False
        for child in node.inputs:
            visit(child, in_full or not _is_tied(node) or not _leads_on(node))

    visit(node, all_rows)
    return [each for each in _from_below(node) if isinstance(each, Aggregate) and id(each) in found]


def _from_below(root: Node) -> list[Node]:
    """All nodes of a tree, each once, after its inputs."""
    ordered: dict[int, Node] = {}

    def visit(node: Node) -> None:
        if id(node) not in ordered:
            for child in node.inputs:
                visit(child)
            ordered[id(node)] = node

    visit(root)
    return list(ordered.values())


def _has_no_keys(node: Node) -> bool:
    return (isinstance(node, Aggregate) and not node.keys) or (isinstance(node, Window) and not node.partition)


def _is_tied(node: Node) -> bool:
    """Whether a change in one input of a join leads to the rows of all the others by equations."""
    if not isinstance(node, (Join, OuterJoin, SemiJoin)) or len(node.inputs) < 2:
        return True
    owner = {name: number for number, each in enumerate(node.inputs) for name in each.columns}
    together = {0}
    ties = [{owner[name] for name in names} for names in _equated(node.condition, owner)]
    while more := {number for tie in ties if tie & together for number in tie} - together:
        together |= more
    return len(together) == len(node.inputs)


def _leads_on(node: Node) -> bool:
    """Whether the keys of groups, or of partitions, lead to few of the groups below them."""
    if isinstance(node, Aggregate):
        return not node.keys or _confines(node.input, _columns(each for _, each in node.keys))
    return not isinstance(node, Window) or _confines(node.input, _columns(node.partition))


def _confines(node: Node, columns: set[str]) -> bool:
    """Whether values of some columns of a node tell which of the groups below are meant; a constant tells nothing."""
    if not any(isinstance(each, Aggregate) for each in walk(node)):
        return True
    if not columns:
        return False
    if isinstance(node, Aggregate):
        return any(name in columns for name, _ in node.keys)
    if isinstance(node, Project):
        return _confines(node.input, _columns(each for name, each in node.outputs if name in columns))
    if isinstance(node, UnionAll):
        places = [place for place, name in enumerate(node.names) if name in columns]
        return all(_confines(each, {each.columns[place] for place in places}) for each in node.branches)
    return not isinstance(node, Filter) or _confines(node.input, columns)


def _columns(expressions: Iterable[exp.Expr]) -> set[str]:
    return {column.name for each in expressions for column in each.find_all(exp.Column)}


def _equated(condition: exp.Expr | None, known: Iterable[str]) -> Iterator[set[str]]:
    """The columns that each equation between two sides speaks of."""
    for each in conjuncts(condition):
        predicate = each.unnest()
        if isinstance(predicate, exp.Coalesce):  # NOT IN: equal, or unknown because of a NULL
            predicate = predicate.this.unnest()
        if isinstance(predicate, exp.EQ | exp.NullSafeEQ):
            both = (predicate.left, predicate.right)
            sides = [{column.name for column in side.find_all(exp.Column)} for side in both]
            if all(sides):
                yield (sides[0] | sides[1]) & set(known)
