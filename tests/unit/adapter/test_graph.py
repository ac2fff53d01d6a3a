"""What lazy views read, who reads them, who writes for them."""

from dataclasses import dataclass, field
from typing import Any

from dbt_lazyview.adapter.graph import (
    is_read_by_lazy_view,
    lazy_views,
    lazy_views_over,
    lazy_views_read_by,
    tables_under,
    view_groups,
)


@dataclass
class Node:
    """A node of the manifest as far as the graph is concerned."""

    unique_id: str
    materialized: str
    depends_on_nodes: list[str] = field(default_factory=list)
    configs: dict[str, str] = field(default_factory=dict)

    @property
    def config(self) -> "Config":
        return Config(self.configs, self.materialized)


class Config(dict[str, Any]):
    """Configs that are asked for by key, as dbt's are, and the one that is an attribute."""

    def __init__(self, configs: dict[str, str], materialized: str) -> None:
        super().__init__(configs)
        self.materialized = materialized


NODES = {
    node.unique_id: node
    for node in [
        Node("orders", "table"),
        Node("stg", "view", ["orders", "a_source"]),
        Node("z_revenue", "lazy_view", ["stg"]),
        Node("inlined", "ephemeral", ["z_revenue"]),
        Node("top", "lazy_view", ["inlined"]),
        Node("left", "view", ["top"]),
        Node("right", "view", ["top", "z_revenue"]),
        Node("report", "table", ["left", "right"]),
        Node("report_2", "table", ["report"]),
    ]
}


def names(nodes) -> list[str]:
    return sorted(node.unique_id for node in nodes)


def test_lazy_views_come_after_their_parents():
    assert [node.unique_id for node in lazy_views(NODES)] == ["z_revenue", "top"]


def test_readers_find_the_nearest_lazy_views():
    def here(_) -> bool:
        return False

    assert names(lazy_views_read_by(NODES["report"], NODES, here)) == ["top", "z_revenue"]
    assert names(lazy_views_read_by(NODES["left"], NODES, here)) == ["top"]
    assert names(lazy_views_read_by(NODES["report_2"], NODES, here)) == []


def test_nothing_is_read_behind_relations_elsewhere():
    def elsewhere(*there: str):
        return lambda node: node.unique_id in there

    assert names(lazy_views_read_by(NODES["report"], NODES, elsewhere("right"))) == ["top"]
    assert names(lazy_views_read_by(NODES["report"], NODES, elsewhere("top"))) == ["z_revenue"]
    assert names(lazy_views_read_by(NODES["top"], NODES, elsewhere("inlined"))) == ["z_revenue"]  # written inline


def test_who_rests_on_what():
    assert names(lazy_views_over(NODES["orders"], NODES)) == ["top", "z_revenue"]
    assert names(lazy_views_over(NODES["z_revenue"], NODES)) == ["top"]
    assert names(lazy_views_over(NODES["report"], NODES)) == []
    assert names(tables_under(NODES["top"], {**NODES, "a_source": Node("a_source", "")})) == ["a_source", "orders"]


def test_parents_of_lazy_views():
    assert [name for name in NODES if is_read_by_lazy_view(name, NODES)] == ["orders", "stg", "z_revenue", "inlined"]


def test_views_over_snapshots_of_a_group_belong_to_it():
    def view(name: str, *reads: str, **configs: str) -> Node:
        return Node(name, "lazy_view", list(reads), configs)

    nodes = [
        Node("orders", "table"),
        view("monthly", "orders", policy="snapshot", view_group="month"),
        Node("between", "view", ["monthly"]),
        view("over", "between"),
        view("over_that", "over"),
        view("other_snapshot", "monthly", policy="snapshot"),
        view("follows", "orders", view_group="reporting"),
        view("over_follows", "follows"),
    ]
    assert view_groups({node.unique_id: node for node in nodes}) == {
        "monthly": "month", "over": "month", "over_that": "month", "follows": "reporting",
    }  # fmt: skip
