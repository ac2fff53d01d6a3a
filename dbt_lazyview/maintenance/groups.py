"""View groups: who is brought to one cut together, and shows it together (C 2)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.reasons import ModelError, Problem, Reason
from dbt_lazyview.maintenance.mixing import check_group
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import Node, Target, resolve

Members = Callable[[str], Sequence[Target]]  # the views of a group that are built, by its name
Elsewhere = Callable[[Target], bool]  # whether a view belongs to another environment, and is not ours to refresh


def no_members(_group: str) -> Sequence[Target]:
    """For views outside of groups."""
    return ()


def none_elsewhere(_view: Target) -> bool:
    """For an environment that reads nothing but its own views."""
    return False


@dataclass(frozen=True)
class Convoy:
    """A view, and the groups that are brought to a new cut with it: its own, and those of the views it reads."""

    root: Node
    groups: Mapping[str, tuple[Node, ...]] = field(default_factory=dict)
    elsewhere: Elsewhere = none_elsewhere

    def moves(self, parent: Node) -> bool:
        """Whether a view that others read is brought to the cut first; otherwise it is read as it is shown."""
        if self.elsewhere(parent.target):
            return False
        return parent.group in self.groups if parent.group else not parent.is_snapshot

    @property
    def read_elsewhere(self) -> tuple[Node, ...]:
        """The views of other environments that are read on the way."""
        reached = [self.root, *self.members]
        for node in reached:
            reached += [each for each in node.parents.values() if self.moves(each) or each.target.is_auxiliary]
        parents = {each.target.name: each for node in reached for each in node.parents.values()}
        return tuple(each for each in parents.values() if self.elsewhere(each.target))

    @property
    def root_moves(self) -> bool:
        return self.root.group is None or self.root.group in self.groups

    @property
    def bases(self) -> tuple[Name, ...]:
        """Every base table of which one version is chosen."""
        return tuple(dict.fromkeys(name for node in (self.root, *self.members) for name in self.bases_of(node)))

    @property
    def members(self) -> tuple[Node, ...]:
        """The views of all groups that move."""
        return tuple(node for group in self.groups.values() for node in group)

    def bases_of(self, node: Node) -> tuple[Name, ...]:
        """The base tables of a view, those of parents that move with it too."""
        moving = [parent for parent in node.parents.values() if self.moves(parent)]
        return (*node.tables, *(name for parent in moving for name in self.bases_of(parent)))


def gather(tables: Tables, root: Node, members: Members, is_due: bool, elsewhere: Elsewhere = none_elsewhere) -> Convoy:
    """
    Find the groups that go along. One that rests on snapshots moves only if one of its own views was asked for by name:
    its readers find it as it is.
    """

    def moves(node: Node) -> bool:
        if elsewhere(node.target):
            return False
        if node.group is None:
            return not node.is_snapshot
        return not node.rests_on_snapshot or (is_due and node.group == root.group)

    groups: dict[str, tuple[Node, ...]] = {}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.group and node.group not in groups and moves(node):
            groups[node.group] = _resolved(tables, node.group, root if root.group == node.group else node, members)
            waiting += groups[node.group]
        waiting += [parent for parent in node.parents.values() if moves(parent)]
    return Convoy(root, groups, elsewhere)


def _resolved(tables: Tables, group: str, first: Node, members: Members) -> tuple[Node, ...]:
    """The views of a group, the one that was asked for first: its definition may be a new one."""
    others = [target for target in members(group) if target.name != first.target.name]
    found = (first, *(_member(tables, group, target) for target in others))
    check_group(group, found)
    return found


def _member(tables: Tables, group: str, target: Target) -> Node:
    try:
        return resolve(tables, target)
    except ModelError as problem:
        raise ModelError((group_waits(group, target.name), *problem.problems)) from problem


def is_read_by(node: Node, state: Name) -> bool:
    """Whether a view reads the rows of a state, directly or through other views."""
    return any(name == state or is_read_by(parent, state) for name, parent in node.parents.items())


def group_waits(group: str, view: Name) -> Problem:
    return Problem(
        Reason.GROUP_STAYS, f"The view group {group} stays where it is: {sql_name(view)} cannot be refreshed.",
        "The views of a group show one cut, so all of them wait for this one.",
        "Mend that view as told below, or take it out of the group.",
    )  # fmt: skip
