"""Which policies may read which (C 2.3)."""

import pytest

from dbt_lazyview.compiler.reasons import ModelError
from dbt_lazyview.maintenance.definition import Definition
from dbt_lazyview.maintenance.mixing import check_group, check_mixing, group_of
from dbt_lazyview.maintenance.tree import Node, Target

TABLE = ("x", "t")


def view(name: str, policy: str, *parents: Node, table: bool = False, group: str | None = None) -> Node:
    """A node of the tree as far as the rules look at it."""
    by_state = {parent.target.state: parent for parent in parents}
    details = dict.fromkeys([*by_state, *([TABLE] if table or not parents else [])])
    return Node(Target(("x", name), Definition("", policy=policy, view_group=group)), None, details, {}, by_state)


def immediate() -> Node:
    return view("i", "immediate")


def deferred() -> Node:
    return view("d", "deferred")


def snapshot() -> Node:
    return view("s", "snapshot")


LEGAL = [
    view("v", "immediate", immediate(), table=True),
    view("v", "deferred", immediate(), deferred(), table=True),
    view("v", "snapshot", immediate(), table=True),
    view("v", "deferred", snapshot()),
    view("v", "deferred", snapshot(), view("over_s", "deferred", snapshot())),
    view("v", "snapshot", snapshot()),
    view("v", "deferred", view("s", "snapshot", group="g"), view("z", "snapshot", group="g")),
    view("v", "deferred", view("s", "snapshot", group="g"), group="g"),
    view("v", "snapshot", view("s", "snapshot", group="g"), table=True, group="g"),
    view("v", "deferred", group="g"),
]
REFUSED = [
    (view("v", "immediate", deferred()), "rule 7"),
    (view("v", "immediate", snapshot()), "rule 7"),
    (view("v", "snapshot", deferred()), "rule 8"),
    (view("v", "deferred", snapshot(), table=True), "rule 2"),
    (view("v", "deferred", snapshot(), view("other", "snapshot")), "rule 2"),
    (view("v", "snapshot", snapshot(), immediate()), "rule 5"),
    (view("top", "deferred", view("v", "immediate", deferred())), "rule 7"),
    (view("v", "deferred", snapshot(), group="g"), "rule 2"),
    (view("v", "deferred", view("s", "snapshot", group="h"), group="g"), "rule 2"),
    (view("v", "snapshot", view("s", "snapshot", group="h"), table=True, group="g"), "rule 5"),
]


@pytest.mark.parametrize("node", LEGAL)
def test_goes_together(node):
    assert check_mixing(node) is None


@pytest.mark.parametrize(("node", "rule"), REFUSED)
def test_does_not_go_together(node, rule):
    with pytest.raises(ModelError, match=rule) as refused:
        check_mixing(node)
    assert "`x`.`v`" in str(refused.value)


def test_a_deferred_view_over_a_snapshot_belongs_to_its_group():
    assert group_of(view("v", "deferred", snapshot())) == ("x", "s")
    assert group_of(view("v", "deferred", immediate(), table=True)) == ()


def named(name: str, policy: str, *parents: Node) -> Node:
    return view(name, policy, *parents, group="g")


LEGAL_GROUPS = [
    [named("a", "deferred"), named("b", "immediate")],
    [named("a", "snapshot"), named("b", "snapshot"), named("over_a", "deferred", named("a", "snapshot"))],
    [named("a", "snapshot", snapshot()), named("b", "snapshot", snapshot())],
]
REFUSED_GROUPS = [
    ([named("a", "snapshot"), named("b", "deferred")], "rule 4"),
    ([named("a", "snapshot"), named("b", "snapshot", snapshot())], "rule 5"),
]


@pytest.mark.parametrize("members", LEGAL_GROUPS)
def test_a_group_of_one_moment(members):
    assert check_group("g", members) is None


@pytest.mark.parametrize(("members", "rule"), REFUSED_GROUPS)
def test_a_group_of_two_moments(members, rule):
    with pytest.raises(ModelError, match=rule) as refused:
        check_group("g", members)
    assert "`x`.`a`" in str(refused.value)
    assert "`x`.`b`" in str(refused.value)
