"""Which view groups go along with a refresh."""

from typing import Any

import pytest

from dbt_lazyview.compiler.catalog import CatalogError
from dbt_lazyview.compiler.reasons import ModelError, Reason
from dbt_lazyview.maintenance.definition import Definition
from dbt_lazyview.maintenance.groups import gather, no_members
from dbt_lazyview.maintenance.tables import Tables
from dbt_lazyview.maintenance.tree import Node, Target


class NothingThere:
    """An engine, and its catalog, that know no relation."""

    shortcuts = None

    def catalog(self) -> Any:
        return self

    def relation(self, name: Any, _namespace: Any) -> Any:
        raise CatalogError(f"{name} is gone")


TABLES = Tables(NothingThere(), "UTC")


def view(name: str, *parents: Node, policy: str = "deferred", group: str | None = None) -> Node:
    by_state = {parent.target.state: parent for parent in parents}
    details = dict.fromkeys(by_state or [("x", f"table_of_{name}")])
    return Node(Target(("x", name), Definition("", policy=policy, view_group=group)), None, details, {}, by_state)


def test_the_group_of_a_parent_goes_along():
    parent = view("a", group="g")
    convoy = gather(TABLES, view("child", parent), no_members, is_due=False)
    assert convoy.groups == {"g": (parent,)}
    assert convoy.bases == (("x", "table_of_a"),)


def test_snapshots_move_by_name_only():
    snapshot = view("s", policy="snapshot", group="g")
    over_it = view("over", snapshot, group="g")
    assert not gather(TABLES, over_it, no_members, is_due=False).root_moves
    convoy = gather(TABLES, over_it, no_members, is_due=True)
    assert convoy.root_moves
    assert convoy.moves(snapshot)
    assert gather(TABLES, view("other", snapshot, policy="snapshot"), no_members, is_due=True).groups == {}


def test_a_view_that_cannot_be_compiled_holds_its_group():
    def members(_group: str) -> list[Target]:
        return [Target(("x", "broken"), Definition("select * from gone", view_group="g"))]

    with pytest.raises(ModelError) as held:
        gather(TABLES, view("a", group="g"), members, is_due=True)
    assert [each.reason for each in held.value.problems] == [Reason.GROUP_STAYS, Reason.UNKNOWN_RELATION]
    assert "The view group g stays where it is: `x`.`broken` cannot be refreshed." in str(held.value)
