"""Which policies may read which: the design rules of C 2.3, checked on the tree a refresh is about to bring along."""

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.reasons import ModelError, Problem, Reason
from dbt_lazyview.maintenance.policies import DEFERRED, IMMEDIATE, SNAPSHOT
from dbt_lazyview.maintenance.tables import sql_name
from dbt_lazyview.maintenance.tree import Node

BASE: Name = ()  # the group of all tables, and of the views that follow them


def check_mixing(node: Node) -> None:
    """Refuse a view whose rows would belong to no one moment, or whose policy promises what its parents do not keep."""
    for parent in node.parents.values():
        check_mixing(parent)
    problems = [*(_of_parent(node, parent) for parent in node.parents.values()), _of_groups(node)]
    if found := tuple(filter(None, problems)):
        raise ModelError(found)


def group_of(node: Node) -> Name:
    """The group a view shows one cut with: a snapshot is one of its own, other views belong to their sources'."""
    if _policy(node) == SNAPSHOT:
        return node.target.name
    return next(iter(groups_read(node)), BASE)


def groups_read(node: Node) -> dict[Name, str]:
    """The groups of a view's sources, each with a source of that group."""
    tables = [(BASE, sql_name(name)) for name in node.details if name not in node.parents]
    views = [(group_of(parent), sql_name(parent.target.name)) for parent in node.parents.values()]
    return dict([*tables, *views])


def _of_parent(node: Node, parent: Node) -> Problem | None:
    own, other = _policy(node), _policy(parent)
    if own == IMMEDIATE and other != IMMEDIATE:
        return _conflict(
            node, parent, "rule 7: an immediate view cannot read a deferred view or a snapshot",
            f"Make {sql_name(parent.target.name)} immediate, or {sql_name(node.target.name)} deferred.",
        )  # fmt: skip
    if own == SNAPSHOT and other == DEFERRED:
        return _conflict(
            node, parent, "rule 8: a snapshot cannot read a deferred view",
            f"Make {sql_name(parent.target.name)} immediate or a snapshot, or let {sql_name(node.target.name)} read "
            "the tables behind it.",
        )  # fmt: skip
    return None


def _of_groups(node: Node) -> Problem | None:
    groups = groups_read(node)
    if len(groups) < 2:
        return None
    rule = (
        "rule 5: a snapshot reads one group only"
        if _policy(node) == SNAPSHOT
        else "rule 2: a view that follows its sources belongs to the group of all of them"
    )
    sources = ", ".join(groups.values())
    return Problem(
        Reason.POLICY_CONFLICT, f"{sql_name(node.target.name)} ({_policy(node)}) reads {sources}.",
        f"These stand for different moments: a snapshot stays where it is, the others go on (C 2.3, {rule}).",
        "Make the snapshots among them deferred, or let the view read the tables behind them.",
    )  # fmt: skip


def _conflict(node: Node, parent: Node, rule: str, remedy: str) -> Problem:
    what = f"{sql_name(node.target.name)} ({_policy(node)}) reads {sql_name(parent.target.name)} ({_policy(parent)})."
    return Problem(Reason.POLICY_CONFLICT, what, f"These policies do not go together (C 2.3, {rule}).", remedy)


def _policy(node: Node) -> str:
    return node.target.definition.policy
