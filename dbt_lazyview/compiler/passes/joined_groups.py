"""Whether an outer join's right side is groups that are joined on all their keys, as a scalar subquery per row is."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp

from dbt_lazyview.compiler.algebra import Aggregate, Filter, Node, OuterJoin, Project
from dbt_lazyview.compiler.block import Block, conjuncts
from dbt_lazyview.compiler.passes.wanted_keys import equations


@dataclass(frozen=True)
class JoinedGroups:
    """`keys` are expressions over the left side with the group key that each must equal; `path` leads to the groups."""

    aggregate: Aggregate
    path: tuple[Project | Filter, ...]  # from the groups up
    keys: tuple[tuple[exp.Expr, str], ...]

    def finish(self, block: Block) -> Block:
        """Do to some groups what the right side does to all of them."""
        for node in self.path:
            block = block.project(node.outputs) if isinstance(node, Project) else _filtered(block, node)
        return block


def joined_groups(node: OuterJoin) -> JoinedGroups | None:
    """None where the right side is something else, or is joined on less than its keys."""
    path = tuple(_path(node.right))
    groups = path[0].input if path else node.right
    if not isinstance(groups, Aggregate) or not groups.keys:
        return None
    names = {name: name for name, _ in groups.keys}  # of the keys, on their way up
    for each in path:
        if isinstance(each, Project):
            names = {key: own for key, name in names.items() if (own := _renamed(name, each)) is not None}
    pairs = equations(node.condition, set(node.right.columns), set(node.left.columns))
    equal = {own.name: other for own, other in pairs if isinstance(own, exp.Column)}
    if len(names) < len(groups.keys) or not all(name in equal for name in names.values()):
        return None
    return JoinedGroups(groups, path, tuple((equal[name], key) for key, name in names.items()))


def _path(node: Node) -> Iterable[Project | Filter]:
    """The projections and filters at the top, lowest first."""
    found: list[Project | Filter] = []
    while isinstance(node, (Project, Filter)):
        found.append(node)
        node = node.input
    return reversed(found)


def _renamed(name: str, project: Project) -> str | None:
    return next((own for own, each in project.outputs if isinstance(each, exp.Column) and each.name == name), None)


def _filtered(block: Block, node: Filter) -> Block:
    return block.filter(*conjuncts(node.predicate))
