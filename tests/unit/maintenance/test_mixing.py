"""Which policies may read which (C 2.3)."""

import pytest

from dbt_lazyview.compiler.reasons import ModelError
from dbt_lazyview.maintenance.definition import Definition
from dbt_lazyview.maintenance.mixing import check_mixing, group_of
from dbt_lazyview.maintenance.tree import Node, Target

TABLE = ("x", "t")


def view(name: str, policy: str, *parents: Node, table: bool = False) -> Node:
    """A node of the tree as far as the rules look at it."""
    by_state = {parent.target.state: parent for parent in parents}
    details = dict.fromkeys([*by_state, *([TABLE] if table or not parents else [])])
    return Node(Target(("x", name), Definition("", policy=policy)), None, details, {}, by_state)


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
]
REFUSED = [
    (view("v", "immediate", deferred()), "rule 7"),
    (view("v", "immediate", snapshot()), "rule 7"),
    (view("v", "snapshot", deferred()), "rule 8"),
    (view("v", "deferred", snapshot(), table=True), "rule 2"),
    (view("v", "deferred", snapshot(), view("other", "snapshot")), "rule 2"),
    (view("v", "snapshot", snapshot(), immediate()), "rule 5"),
    (view("top", "deferred", view("v", "immediate", deferred())), "rule 7"),
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
