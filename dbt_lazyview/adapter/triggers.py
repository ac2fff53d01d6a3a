"""What sets off a refresh around dbt's nodes: a reader about to be built or tested, a source just written."""

import sys
from typing import Any

from dbt import selected_resources
from dbt.adapters.events.logging import AdapterLogger
from dbt_common.events.functions import fire_event
from dbt_common.events.types import Note
from dbt_common.exceptions import DbtRuntimeError

from dbt_lazyview.adapter.graph import (
    THROUGH,
    is_lazy_view,
    lazy_views_over,
    lazy_views_read_by,
    materialization,
    policy_of,
)
from dbt_lazyview.adapter.models import REGISTER
from dbt_lazyview.adapter.once import Once
from dbt_lazyview.adapter.operations import LazyViewOperations
from dbt_lazyview.adapter.response import LazyViewResponse
from dbt_lazyview.maintenance.decide import NOOP
from dbt_lazyview.maintenance.policies import DEMAND, WRITER, is_refreshed_by

READERS = ("model", "test", "snapshot")  # a unit test reads its own rows, a seed and an operation no view
FRESHNESS_TEST = "lazy_view_fresh"
FILTERS = "where"
WRITERS = ("model", "seed", "snapshot")

logger = AdapterLogger("LazyView")


class LazyViewTriggers(LazyViewOperations):
    """dbt's hooks around a node; a base class of the adapter."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.refreshed: Once[None] = Once()  # views for their readers

    def pre_model_hook(self, config: Any) -> Any:
        """Refresh what the node is about to read."""
        node = config.model
        if reads_rows(node) and self._maintains():
            for view in lazy_views_read_by(node, self._nodes(), self._is_elsewhere):
                if is_refreshed_by(policy_of(view), DEMAND):
                    self._refresh_for(node, view)
                elif view.config.get("unique_key"):
                    self.refuse_unusable(view)
        super().pre_model_hook(config)  # type: ignore[misc]
        return node

    def post_model_hook(self, config: Any, node: Any) -> None:
        """Refresh the immediate views over what the node has written, unless it failed: dbt calls this in any case."""
        super().post_model_hook(config, node)  # type: ignore[misc]
        if may_write_tables(node):
            self.probes.forget()
        if sys.exc_info()[0] is None and node.resource_type in WRITERS and self._maintains():
            self._after_writing(node)
        self.write_journal()

    def _after_writing(self, node: Any) -> None:
        if is_lazy_view(node) and node.config.get("on_run") != REGISTER:
            self.refreshed.put(node.unique_id, None)
        for view in lazy_views_over(node, self._nodes()):
            if is_refreshed_by(policy_of(view), WRITER) and not is_selected(view):
                self._refresh_after(node, view)

    def _refresh_for(self, reader: Any, view: Any) -> None:
        """Refresh a view once in this invocation, unless it can stay; every reader learns of a failure."""
        if not self.refreshed.has(view.unique_id) and self._can_stay(reader, view):
            return
        try:
            self.refreshed.get(view.unique_id, lambda: self._refresh_and_tell(view, DEMAND, read_by(reader.name)))
        except DbtRuntimeError as problem:
            raise DbtRuntimeError(reads_stale(reader.name, view.name, problem.msg)) from problem

    def _can_stay(self, reader: Any, view: Any) -> bool:
        """Whether all that is pending misses the part of the view that the reader reads."""
        sql = getattr(reader, "compiled_code", None) or ""
        may_read_part = FILTERS in sql.lower() and reader.language == "sql" and not is_lazy_view(reader)
        if not may_read_part or not self.can_stay_for(view, sql):
            return False
        fire_event(Note(msg=stays(f"{view.schema}.{view.alias}", reader.name)))
        return True

    def _refresh_after(self, writer: Any, view: Any) -> None:
        """Refresh a view after its source; the writer's own result stands, whatever happens here."""
        try:
            self._refresh_and_tell(view, WRITER, f"{writer.name} was written")
        except Exception as problem:
            logger.error(f"The immediate view {view.name} was not refreshed after {writer.name}.\n{problem}")

    def _refresh_and_tell(self, view: Any, trigger: str, why: str) -> None:
        response = self.refresh_stored(view, trigger)
        if response.kind != NOOP:
            fire_event(Note(msg=refreshed_because(f"{view.schema}.{view.alias}", why, response)))

    def _maintains(self) -> bool:
        """Whether nodes of this run stand for all their rows, and are built from them."""
        return self.config.args.which != "clone" and not self._is_partial_run()  # type: ignore[attr-defined]

    def _is_elsewhere(self, node: Any) -> bool:
        """Whether this run reads a relation in the environment it defers to: the rule of dbt's `ref`."""
        arguments = self.config.args  # type: ignore[attr-defined]
        if not (getattr(arguments, "defer", False) and getattr(node, "defer_relation", None)):
            return False
        if arguments.favor_state and not is_selected(node):
            return True
        return self.get_relation(node.database, node.schema, node.identifier) is None  # type: ignore[attr-defined]


def read_by(reader: str) -> str:
    return f"read by {reader}"


def refreshed_because(view: str, why: str, response: LazyViewResponse) -> str:
    return f"Lazy view {view} ({why}): {response}"


def stays(view: str, reader: str) -> str:
    return f"Lazy view {view} stays as it is: {reader} reads no row that changed"


def reads_stale(reader: str, view: str, why: str) -> str:
    return f"{reader} reads the lazy view {view}, which could not be refreshed.\n{why}"


def reads_rows(node: Any) -> bool:
    """Whether a node reads the rows of what it depends on, and not only how old they are."""
    test = getattr(node, "test_metadata", None)
    return node.resource_type in READERS and not (test and test.name == FRESHNESS_TEST)


def may_write_tables(node: Any) -> bool:
    """Whether a node may have written what lazy views read: itself, or by a hook."""
    has_hooks = bool(getattr(node.config, "pre_hook", None) or getattr(node.config, "post_hook", None))
    is_view = is_lazy_view(node) or materialization(node) in THROUGH
    return has_hooks or (node.resource_type in WRITERS and not is_view)


def is_selected(node: Any) -> bool:
    """Whether the node itself runs in this invocation: a view is then refreshed by its own run, after its sources."""
    return node.unique_id in selected_resources.SELECTED_RESOURCES
