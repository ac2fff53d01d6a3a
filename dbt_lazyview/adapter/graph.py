"""The project's graph as lazy views see it: what they read, who reads them, who writes for them."""

from collections.abc import Callable, Mapping
from typing import Any

from dbt_lazyview.maintenance.logs import Log, log_of
from dbt_lazyview.maintenance.policies import DEFERRED, SNAPSHOT

MATERIALIZATION = "lazy_view"
THROUGH = ("view", "ephemeral")  # hold no rows of their own: whoever reads them reads what they read

Nodes = Mapping[str, Any]  # of the manifest, by unique id


def is_lazy_view(node: Any) -> bool:
    return materialization(node) == MATERIALIZATION


def policy_of(node: Any) -> str:
    return str(node.config.get("policy") or DEFERRED)


def view_groups(nodes: Nodes) -> dict[str, str]:
    """
    The group of each lazy view that has one: the one it names, or that of the snapshots it reads, for a view that
    follows its sources belongs to their group (C 2.3, rule 2).
    """
    views = lazy_views(nodes)
    named = {view.unique_id: str(name) for view in views if (name := view.config.get("view_group"))}
    of_snapshots = {named[view.unique_id] for view in views if policy_of(view) == SNAPSHOT and view.unique_id in named}
    groups = dict(named)
    for view in views if of_snapshots else ():
        if view.unique_id not in groups and policy_of(view) != SNAPSHOT:
            read = lazy_views_read_by(view, nodes, is_elsewhere=lambda _: False)
            above = [groups[each.unique_id] for each in read if groups.get(each.unique_id) in of_snapshots]
            groups |= {view.unique_id: above[0]} if above else {}
    return groups


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
    return any(unique_id in _reached(view, nodes, _has_no_rows) for view in nodes.values() if is_lazy_view(view))


def lazy_views_read_by(node: Any, nodes: Nodes, is_elsewhere: Callable[[Any], bool]) -> list[Any]:
    """
    The lazy views whose rows a node reads, directly or through views and ephemeral models; not those behind other
    lazy views, nor behind relations that this run reads in another environment.
    """

    def is_read_here(each: Any) -> bool:
        return materialization(each) == "ephemeral" or not is_elsewhere(each)

    found = _reached(node, nodes, lambda each: _has_no_rows(each) and is_read_here(each))
    return [each for each in found.values() if is_lazy_view(each) and is_read_here(each)]


def lazy_views_over(writer: Any, nodes: Nodes) -> list[Any]:
    """The lazy views that rest on what a node writes, parents first; through views and other lazy views."""
    return [view for view in lazy_views(nodes) if writer.unique_id in _reached(view, nodes, _is_seen_through)]


def tables_under(view: Any, nodes: Nodes) -> list[Any]:
    """The nodes with rows of their own that a lazy view finally reads; `nodes` may hold dbt's sources too."""
    return [each for each in _reached(view, nodes, _is_seen_through).values() if not _is_seen_through(each)]


def sources_with_logs(view: Any, everything: Nodes) -> list[tuple[Any, Log]]:
    """The sources of dbt that a lazy view finally reads, and that tell their own changes."""
    found = [each for each in tables_under(view, everything) if each.resource_type == "source"]
    logs = [(each, log_of({**(each.config.get("meta") or {}), **each.meta}, each.name)) for each in found]
    return [(each, log) for each, log in logs if log]


def materialization(node: Any) -> str:
    return getattr(node.config, "materialized", "")


def _has_no_rows(node: Any) -> bool:
    return materialization(node) in THROUGH


def _is_seen_through(node: Any) -> bool:
    return _has_no_rows(node) or is_lazy_view(node)


def _reached(node: Any, nodes: Nodes, goes_on: Callable[[Any], bool]) -> Nodes:
    """All nodes upstream of one, up to those where it does not go on."""
    found: dict[str, Any] = {}
    waiting = [node]
    while waiting:
        for unique_id in waiting.pop().depends_on_nodes:
            if unique_id in nodes and unique_id not in found:
                found[unique_id] = nodes[unique_id]
                waiting += [nodes[unique_id]] if goes_on(nodes[unique_id]) else []
    return found
