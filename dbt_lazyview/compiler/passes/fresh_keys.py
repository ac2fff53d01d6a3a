"""
Fresh keys: rows that came under keys that no row of another input had before meet nothing but rows that came with them.

    D(R) ⋈ S- = ∅    and so    D(R) ⋈ S+ = D(R) ⋈ D(S)        where the keys of D(R) lie apart from those of S-

New orders with their lines are the usual case: of three ways to meet (new with old, old with new, new with new) only
the last one is left, and neither table is read. It is not taken on trust from a declared foreign key, but proved by the
least and the greatest value of both columns, as the statistics of files tell them.
"""

from collections.abc import Iterator

from sqlglot import exp

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.algebra import Filter, Join, Node, Project, Scan, walk
from dbt_lazyview.compiler.derivation import Derivation
from dbt_lazyview.compiler.plan import Extent

Origin = tuple[str, str]  # the alias of a source, and a column of it


def meets_only_what_came(delta: Node, other: Node, condition: exp.Expr | None, derivation: Derivation) -> bool:
    """Whether no row of the delta of one input of a join matches a row that another input had before."""
    if not derivation.options.fresh_keys or not _is_of_one_scan(delta):
        return False
    return any(
        _are_apart(_extent_came(came, derivation), _extent_before(before, derivation))
        for came, before in _compared(condition, delta, other)
    )


def compared_columns(root: Node) -> set[Origin]:
    """The columns of sources that some join compares with each other."""
    return {
        each
        for node in walk(root)
        if isinstance(node, Join)
        for one in node.members
        for other in node.members
        if one is not other
        for pair in _compared(node.condition, one, other)
        for each in pair
    }


def _compared(condition: exp.Expr | None, one: Node, other: Node) -> Iterator[tuple[Origin, Origin]]:
    """Columns of sources that a condition equates; NULLs, which have no place in an extent, equal nothing there."""
    for each in sql.conjuncts(condition):
        if isinstance(each, exp.EQ) and isinstance(each.left, exp.Column) and isinstance(each.right, exp.Column):
            for own, its in ((each.left.name, each.right.name), (each.right.name, each.left.name)):
                pair = (_origin(one, own), _origin(other, its))
                if pair[0] and pair[1]:
                    yield pair[0], pair[1]


def _origin(node: Node, name: str) -> Origin | None:
    """The column of a source that a column of a node is as it is; None where it is none, or computed."""
    if name not in node.columns:
        return None
    if isinstance(node, Scan):
        return node.source, dict(node.reads)[name]
    if isinstance(node, Project):
        below = dict(node.outputs)[name]
        return _origin(node.input, below.name) if isinstance(below, exp.Column) else None
    if isinstance(node, Filter):
        return _origin(node.input, name)
    if isinstance(node, Join):
        return next(_origin(each, name) for each in node.members if name in each.columns)
    return None


def _is_of_one_scan(node: Node) -> bool:
    """Whether a node's delta has no rows but such that come from the delta of one scan."""
    return isinstance(node, Scan) or (isinstance(node, Project | Filter) and _is_of_one_scan(node.input))


def _extent_came(column: Origin, derivation: Derivation) -> Extent | None:
    return _of_column(derivation.windows[column[0]].came, column[1])


def _extent_before(column: Origin, derivation: Derivation) -> Extent | None:
    return _of_column(derivation.windows[column[0]].before, column[1])


def _of_column(extents: tuple[Extent, ...], column: str) -> Extent | None:
    return next((each for each in extents if each.column == column), None)


def _are_apart(one: Extent | None, other: Extent | None) -> bool:
    return one is not None and other is not None and one.is_apart_from(other)
