"""Which policies may read which, what a group may hold: the rules of C 2.3, checked on what will be refreshed."""

from collections.abc import Sequence

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.reasons import ModelError, Problem, Reason
from dbt_lazyview.maintenance.definition import LIVE
from dbt_lazyview.maintenance.policies import DEFERRED, IMMEDIATE, SNAPSHOT
from dbt_lazyview.maintenance.tables import sql_name
from dbt_lazyview.maintenance.tree import Node

BASE: Name = ()  # the group of all tables, and of the views that follow them


def check_mixing(node: Node) -> None:
    """Refuse a view whose rows would belong to no one moment, or whose policy promises what its parents do not keep."""
    for parent in node.parent_views:
        check_mixing(parent)
    own = [_of_groups(node), _of_name(node), _live_in_group(node)]
    if found := tuple(filter(None, [*(_of_parent(node, parent) for parent in node.parent_views), *own])):
        raise ModelError(found)


def check_group(group: str, members: Sequence[Node]) -> None:
    """Refuse a group whose views could not stand for one moment."""
    for member in members:
        check_mixing(member)
    if found := tuple(filter(None, [_follows_and_stays(group, members), _derived_from_two(group, members)])):
        raise ModelError(found)


def group_of(node: Node) -> Name:
    """The group a view shows one cut with: a snapshot's is named or its own, that of other views is their sources'."""
    if _policy(node) == SNAPSHOT:
        return (node.group,) if node.group else node.target.name
    return next(iter(groups_read(node)), BASE)


def groups_read(node: Node) -> dict[Name, str]:
    """The groups of a view's sources, each with a source of that group."""
    tables = [(BASE, sql_name(name)) for name in node.tables]
    views = [(group_of(parent), sql_name(parent.target.name)) for parent in node.parent_views]
    return dict([*tables, *views])


def _of_parent(node: Node, parent: Node) -> Problem | None:
    own, other = _policy(node), _policy(parent)
    if own == IMMEDIATE and other != IMMEDIATE:
        return _conflict(
            node, parent, "rule 7: an immediate view cannot read a deferred view or a snapshot",
            f"Make {_name(parent)} immediate, or {_name(node)} deferred.",
        )  # fmt: skip
    if own == SNAPSHOT and other == DEFERRED:
        return _conflict(
            node, parent, "rule 8: a snapshot cannot read a deferred view",
            f"Make {_name(parent)} immediate or a snapshot, or let {_name(node)} read the tables behind it.",
        )  # fmt: skip
    return None


def _of_groups(node: Node) -> Problem | None:
    groups = _others_read(node)
    if len(groups) < 2:
        return None
    rule = (
        "rule 5: a snapshot reads one group only"
        if _policy(node) == SNAPSHOT
        else "rule 2: a view that follows its sources belongs to the group of all of them"
    )
    sources = ", ".join(groups.values())
    return Problem(
        Reason.POLICY_CONFLICT, f"{_name(node)} ({_policy(node)}) reads {sources}.",
        f"These stand for different moments: a snapshot stays where it is, the others go on (C 2.3, {rule}).",
        "Make the snapshots among them deferred, put them into one view_group, or let the view read the tables behind.",
    )  # fmt: skip


def _of_name(node: Node) -> Problem | None:
    """A view that follows snapshots cannot be put into another group than theirs."""
    group, source = next(iter(groups_read(node).items()), (BASE, ""))
    if _policy(node) == SNAPSHOT or node.group is None or group in (BASE, (node.group,)):
        return None
    return Problem(
        Reason.POLICY_CONFLICT, f"{_name(node)} ({_policy(node)}, view_group: {node.group}) reads {source}.",
        "That one is in another group (C 2.3, rule 2: a view that follows its sources belongs to their group).",
        f"Leave out view_group, or put {source} into {node.group}, or make {_name(node)} a snapshot.",
    )  # fmt: skip


def _live_in_group(node: Node) -> Problem | None:
    if node.group is None or node.target.definition.read != LIVE:
        return None
    return Problem(
        Reason.POLICY_CONFLICT, f"{_name(node)} is read live, and in the view group {node.group}.",
        "The views of a group show one cut (C 2.2, property 9), a live one shows its sources as they are now.",
        f"Leave out read: {LIVE}, or let {_name(node)} read what is in no group.",
    )  # fmt: skip


def _follows_and_stays(group: str, members: Sequence[Node]) -> Problem | None:
    stays = next((each for each in members if each.rests_on_snapshot), None)
    follows = next((each for each in members if not each.rests_on_snapshot), None)
    if stays is None or follows is None:
        return None
    return Problem(
        Reason.POLICY_CONFLICT,
        f"The view group {group} holds {_name(stays)} ({_policy(stays)}) and {_name(follows)} ({_policy(follows)}).",
        "The second one follows its tables, and belongs to their group (C 2.3, rule 4: no snapshots in the group of "
        "base tables).",
        f"Make {_name(follows)} a snapshot too, or make all views of {group} deferred or immediate, or take one out.",
    )  # fmt: skip


def _derived_from_two(group: str, members: Sequence[Node]) -> Problem | None:
    """Snapshots of one group must be taken from one other group: two stand for two moments."""
    found = {
        other: (each, source)
        for each in members
        if each.is_snapshot
        for other, source in _others_read(each).items()
    }  # fmt: skip
    if len(found) < 2:
        return None
    (one, its_source), (two, other_source) = list(found.values())[:2]
    return Problem(
        Reason.POLICY_CONFLICT,
        f"In the view group {group}, {_name(one)} reads {its_source}, and {_name(two)} reads {other_source}.",
        "These stand for different moments (C 2.3, rule 5: a group is derived from at most one other group).",
        "Let both read tables, or views of one group; or put them into groups of their own.",
    )  # fmt: skip


def _others_read(node: Node) -> dict[Name, str]:
    """The groups a view reads; a snapshot is at one cut with what it reads in its own."""
    own = group_of(node) if _policy(node) == SNAPSHOT else None
    return {group: source for group, source in groups_read(node).items() if group != own}


def _conflict(node: Node, parent: Node, rule: str, remedy: str) -> Problem:
    what = f"{_name(node)} ({_policy(node)}) reads {_name(parent)} ({_policy(parent)})."
    return Problem(Reason.POLICY_CONFLICT, what, f"These policies do not go together (C 2.3, {rule}).", remedy)


def _name(node: Node) -> str:
    return sql_name(node.target.name)


def _policy(node: Node) -> str:
    return node.target.definition.policy
