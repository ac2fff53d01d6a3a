"""From a dbt model to the definition of a lazy view: its configs checked, its docs and its children looked up."""

from collections.abc import Iterable, Mapping
from typing import Any

from dbt_lazyview.compiler.reasons import ModelError, Problem, Reason
from dbt_lazyview.maintenance.definition import Definition

MATERIALIZATION = "lazy_view"
DEFAULT_MODE = "auto"
# Values of each config that this release accepts; the first is the default.
ALLOWED: dict[str, tuple[Any, ...]] = {
    "refresh_mode": (DEFAULT_MODE, "incremental", "full"),
    "policy": ("deferred",),
    "view_group": (None,),
    "read": ("materialized",),
    "on_run": ("refresh",),
    "unique_key": (None,),
}
THROUGH = ("view", "ephemeral")  # lazy views see through these


def check_model(model: Mapping[str, Any]) -> None:
    """Refuse what no lazy view can be made of: all problems at once."""
    problems = [_bad_value(key, model["config"].get(key), allowed) for key, allowed in ALLOWED.items()]
    language = [_python(model["name"])] if model["language"] != "sql" else []
    if found := (*language, *filter(None, problems)):
        raise ModelError(tuple(found))


def definition_of(model: Mapping[str, Any], sql: str, is_parent: bool) -> Definition:
    """What the state of a model shall remember."""
    docs = model["config"].get("persist_docs") or {}
    columns = model["columns"] if docs.get("columns") else {}
    comments = {name.lower(): column["description"] for name, column in columns.items() if column.get("description")}
    return Definition(
        sql,
        model["config"].get("refresh_mode") or DEFAULT_MODE,
        is_parent,
        model.get("description", "") if docs.get("relation") else "",
        comments,
    )


def lazy_views(nodes: Iterable[Any]) -> list[Any]:
    """The lazy views of a project, parents before children."""
    found = {node.unique_id: node for node in nodes if is_lazy_view(node)}
    everything = {node.unique_id: node for node in nodes}
    ordered: dict[str, Any] = {}

    def visit(unique_id: str) -> None:
        if unique_id in ordered or unique_id not in everything:
            return
        for upstream in everything[unique_id].depends_on_nodes:
            visit(upstream)
        ordered[unique_id] = everything[unique_id]

    for unique_id in sorted(found):
        visit(unique_id)
    return [node for unique_id, node in ordered.items() if unique_id in found]


def is_read_by_lazy_view(unique_id: str, nodes: Iterable[Any]) -> bool:
    """Whether a lazy view reads this one, directly or through views."""
    readers = [node for node in nodes if unique_id in node.depends_on_nodes]
    return any(
        is_lazy_view(node) or (node.config.materialized in THROUGH and is_read_by_lazy_view(node.unique_id, nodes))
        for node in readers
    )


def is_lazy_view(node: Any) -> bool:
    return getattr(node.config, "materialized", "") == MATERIALIZATION


def _bad_value(key: str, value: Any, allowed: tuple[Any, ...]) -> Problem | None:
    if value is None or value in allowed:
        return None
    choice = " or ".join("nothing" if each is None else str(each) for each in allowed)
    return Problem(
        Reason.INVALID_CONFIG, f"{key}: {value} is not a value of a lazy view.",
        f"This release knows for {key}: {choice}.", f"Set {key} to {choice}, or leave it out.",
    )  # fmt: skip


def _python(name: str) -> Problem:
    return Problem(
        Reason.PYTHON_MODEL, f"Model {name} is written in Python.",
        "A lazy view is maintained by reasoning about its SQL.", "Write it in SQL, or use materialized: table.",
    )  # fmt: skip
