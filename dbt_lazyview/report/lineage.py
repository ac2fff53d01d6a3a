"""What lazy views rest on and who reads them, as a graph for people."""

from collections.abc import Iterable, Mapping
from typing import Any

from dbt_lazyview.adapter.graph import materialization

CHECKS = ("test", "unit_test", "operation")  # read views, but hold nothing


def lineage(views: Iterable[Any], nodes: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The views, all that is above them, and what reads them directly: each with what it reads itself."""
    wanted = {view.unique_id: view for view in views}
    readers = [node for node in nodes.values() if not _is_check(node) and set(node.depends_on_nodes) & set(wanted)]
    shown = {**_upstream(wanted, nodes), **{node.unique_id: node for node in readers}}
    return [_told(node, shown) for _, node in sorted(shown.items())]


def _upstream(found: Mapping[str, Any], nodes: Mapping[str, Any]) -> dict[str, Any]:
    reached, waiting = dict(found), list(found.values())
    while waiting:
        for unique_id in waiting.pop().depends_on_nodes:
            if unique_id in nodes and unique_id not in reached:
                reached[unique_id] = nodes[unique_id]
                waiting.append(nodes[unique_id])
    return reached


def _told(node: Any, shown: Mapping[str, Any]) -> dict[str, Any]:
    reads = sorted(set(node.depends_on_nodes) & set(shown))
    return {"id": node.unique_id, "name": node.name, "kind": _kind(node), "reads": reads}


def _kind(node: Any) -> str:
    return str(materialization(node) or str(node.resource_type))


def _is_check(node: Any) -> bool:
    return str(node.resource_type) in CHECKS
