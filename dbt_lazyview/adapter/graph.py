"""The project's graph as lazy views see it: what they read, who reads them, who writes for them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dbt_lazyview.maintenance.policies import DEFERRED

MATERIALIZATION = "lazy_view"
THROUGH = ("view", "ephemeral")  # hold no rows of their own: whoever reads them reads what they read

Nodes = Mapping[str, Any]  # of the manifest, by unique id


def is_lazy_view(node: Any) -> bool:
    return getattr(node.config, "materialized", "") == MATERIALIZATION


def policy_of(node: Any) -> str:
    return str(node.config.get("policy") or DEFERRED)


def lazy_views(nodes: Nodes) -> list[Any]:
    """The lazy views of a project, parents before children."""
    ordered: dict[str, Any] = {}

    def visit(unique_id: str) -> None:
        if unique_id in ordered or unique_id not in nodes:
            return
        for upstream in nodes[unique_id].depends_on_nodes:
            visit(upstream)
        ordered[unique_id] = nodes[unique_id]

    for unique_id in sorted(each for each, node in nodes.items() if is_lazy_view(node)):
        visit(unique_id)
    return [node for node in ordered.values() if is_lazy_view(node)]


def is_read_by_lazy_view(unique_id: str, nodes: Nodes) -> bool:
    """Whether a lazy view reads this one, directly or through views."""
    readers = [node for node in nodes.values() if unique_id in node.depends_on_nodes]
    return any(
        is_lazy_view(node) or (node.config.materialized in THROUGH and is_read_by_lazy_view(node.unique_id, nodes))
        for node in readers
    )


def lazy_views_read_by(node: Any, nodes: Nodes, is_elsewhere: Callable[[Any], bool]) -> list[Any]:
    """
    The lazy views whose rows a node reads, directly or through views and ephemeral models; not those behind other
    lazy views, nor behind relations that this run reads in another environment.
    """
    found: dict[str, Any] = {}
    for upstream in _read_by(node, nodes):
        if upstream.config.materialized != "ephemeral" and is_elsewhere(upstream):
            continue
        if is_lazy_view(upstream):
            found[upstream.unique_id] = upstream
        elif upstream.config.materialized in THROUGH:
            found |= {each.unique_id: each for each in lazy_views_read_by(upstream, nodes, is_elsewhere)}
    return list(found.values())


def lazy_views_over(writer: Any, nodes: Nodes) -> list[Any]:
    """The lazy views that rest on what a node writes, parents first; through views and other lazy views."""
    return [view for view in lazy_views(nodes) if writer.unique_id in _rests_on(view, nodes)]


def tables_under(view: Any, nodes: Nodes) -> set[str]:
    """The nodes with rows of their own that a lazy view finally reads; `nodes` may hold dbt's sources too."""
    return {each for each in _rests_on(view, nodes) if not _is_looked_through(nodes[each])}


def _rests_on(node: Any, nodes: Nodes) -> set[str]:
    """What a lazy view reads, down to the nodes that hold rows of their own."""
    upstream = list(_read_by(node, nodes))
    deeper = [each for each in upstream if _is_looked_through(each)]
    return {each.unique_id for each in upstream}.union(*(_rests_on(each, nodes) for each in deeper))


def _is_looked_through(node: Any) -> bool:
    return is_lazy_view(node) or getattr(node.config, "materialized", "") in THROUGH


def _read_by(node: Any, nodes: Nodes) -> Iterator[Any]:
    return (nodes[unique_id] for unique_id in node.depends_on_nodes if unique_id in nodes)
