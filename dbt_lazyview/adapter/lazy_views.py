"""What macros may ask the adapter about lazy views."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dbt.adapters.base.meta import AdapterMeta, available
from dbt_common.exceptions import DbtRuntimeError

from dbt_lazyview.adapter.engine import DbtEngine, open_engine
from dbt_lazyview.adapter.graph import Nodes, is_read_by_lazy_view, lazy_views, lazy_views_read_by, policy_of
from dbt_lazyview.adapter.models import REGISTER, check_model, definition_of
from dbt_lazyview.adapter.response import ERROR, NOT_BUILT, LazyViewResponse, Total, response_of, sum_up
from dbt_lazyview.adapter.turns import Turns
from dbt_lazyview.compiler.catalog import CatalogError, Name
from dbt_lazyview.compiler.reasons import ModelError
from dbt_lazyview.maintenance.engine import EngineError
from dbt_lazyview.maintenance.errors import NotBuilt, RefreshError
from dbt_lazyview.maintenance.explain import explain
from dbt_lazyview.maintenance.order import oldest_first
from dbt_lazyview.maintenance.planning import Request
from dbt_lazyview.maintenance.policies import OPERATION, POLICIES, RUN
from dbt_lazyview.maintenance.preview import preview
from dbt_lazyview.maintenance.probes import Probes
from dbt_lazyview.maintenance.refresh import refresh
from dbt_lazyview.maintenance.register import register
from dbt_lazyview.maintenance.settings import read_settings
from dbt_lazyview.maintenance.status import Status, status_of
from dbt_lazyview.maintenance.status_report import as_json, as_table
from dbt_lazyview.maintenance.stored import stored_target
from dbt_lazyview.maintenance.tables import Tables
from dbt_lazyview.maintenance.tree import Target
from dbt_lazyview.maintenance.until import past_point


class LazyViewMethods(metaclass=AdapterMeta):
    """The `@available` methods of lazy views; a base class of the adapter (the metaclass makes dbt see them)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.turns = Turns()
        self.probes = Probes()  # an adapter lives as long as an invocation

    @available.parse_none
    def check_lazy_view(self, model: dict[str, Any]) -> None:
        """Refuse a model that no lazy view can be made of."""
        with told_by_dbt(model["name"]):
            check_model(model)

    @available.parse_none
    def refresh_lazy_view(self, relation: Any, sql: str, model: dict[str, Any], full_refresh: bool) -> LazyViewResponse:
        """Build or refresh a model; under `--empty` and `--sample` only its public view, and only if there is none."""
        is_parent = is_read_by_lazy_view(model["unique_id"], self._nodes())
        definition = definition_of(model, sql, is_parent)
        if model["config"].get("pre-hook"):
            self.probes.forget()
        with self._engine(model["name"]) as engine:
            target = Target(_name(engine, relation), definition)
            if self._is_partial_run():
                return response_of(preview(engine, target))
            request = Request(full_refresh=full_refresh, trigger=RUN)
            carry_out = register if model["config"].get("on_run") == REGISTER else refresh
            return response_of(carry_out(engine, target, request, self.probes))

    @available.parse_list
    def lazy_views_named(self, names: list[str] | None) -> list[Any]:
        """The project's lazy views, parents first: all, or those with the given names."""
        found = lazy_views(self._nodes())
        unknown = [name for name in names or () if name not in {node.name for node in found}]
        if unknown:
            known = ", ".join(sorted(node.name for node in found)) or "none"
            raise DbtRuntimeError(f"No lazy view of this project is called {', '.join(unknown)}. Lazy views: {known}.")
        return [node for node in found if names is None or node.name in names]

    @available.parse_list
    def lazy_views_to_refresh(self, names: list[str] | None, group: str | None, policy: str | None) -> list[Any]:
        """The lazy views asked for, in the order of their refresh."""
        if group is not None:
            raise DbtRuntimeError("View groups are not there yet: leave out group, and name the views in models.")
        if policy is not None and policy not in POLICIES:
            raise DbtRuntimeError(f"{policy} is no policy of lazy views: {', '.join(POLICIES)}.")
        views = {
            node.unique_id: node for node in self.lazy_views_named(names) if policy is None or policy_of(node) == policy
        }
        parents = {each: [above.unique_id for above in self._parents(node)] for each, node in views.items()}
        oldest = {node.unique_id: status.task.oldest for node, status in self._statuses(list(views.values()))}
        return [views[each] for each in oldest_first(parents, oldest)]

    @available.parse_none
    def refresh_stored_lazy_view(self, node: Any, full: bool = False, until: Any = None) -> LazyViewResponse:
        """Refresh by the definition the state remembers; a failure is an outcome too, so that others go on."""
        try:
            return self.refresh_stored(node, OPERATION, full, until)
        except DbtRuntimeError as problem:
            return LazyViewResponse(_message=f"ERROR {problem.msg}", kind=ERROR)

    @available.parse_none
    def sum_up_refreshes(self, views: list[Any], responses: list[LazyViewResponse], are_named: bool) -> Total:
        """What all refreshes of an operation did; a view that is not built counts as failed if it was named."""
        return sum_up([node.name for node in views], responses, are_named)

    @available.parse_none
    def lazy_view_status(self, views: list[Any], form: str) -> str:
        """What is pending and what was done last, as `table` or `json`."""
        reports = {"table": as_table, "json": as_json}
        if form not in reports:
            raise DbtRuntimeError(f"format: {form} is not known; it is table or json.")
        statuses = [status for _, status in self._statuses(views)]
        return reports[form](statuses, round(time.time() * 1000))

    def refresh_stored(self, node: Any, trigger: str, full: bool = False, until: Any = None) -> LazyViewResponse:
        """Refresh by the definition the state remembers; there may be none yet."""
        try:
            with self.turns.of(node.unique_id), self._engine(node.name) as engine:
                target = stored_target(engine, _name(engine, node))
                point = None if until is None else past_point(until, read_settings(engine).time_zone)
                request = Request(full_refresh=full, trigger=trigger, until=point)
                return response_of(refresh(engine, target, request, self.probes))
        except DbtRuntimeError as problem:
            if isinstance(problem.__cause__, NotBuilt):
                return LazyViewResponse(_message="not built yet: dbt run builds it", kind=NOT_BUILT)
            raise

    def _statuses(self, views: list[Any]) -> list[tuple[Any, Status]]:
        with self._engine("status") as engine:
            tables = Tables(engine, read_settings(engine).time_zone, self.probes)
            return [(node, status_of(tables, _name(engine, node))) for node in views]

    def _parents(self, node: Any) -> list[Any]:
        """The lazy views a lazy view reads."""
        return lazy_views_read_by(node, self._nodes(), is_elsewhere=lambda _: False)

    @available.parse_none
    def explain_lazy_view(self, node: Any) -> str:
        """The tree, its rules, and the SQL a refresh would run now."""
        with self._engine(node.name) as engine:
            return explain(engine, stored_target(engine, _name(engine, node)))

    @contextmanager
    def _engine(self, name: str) -> Iterator[DbtEngine]:
        with told_by_dbt(name), open_engine(self, name, self.probes) as engine:
            yield engine

    def _nodes(self) -> Nodes:
        return self.get_macro_resolver().nodes  # type: ignore[attr-defined]

    def _is_partial_run(self) -> bool:
        arguments = self.config.args  # type: ignore[attr-defined]
        return bool(getattr(arguments, "EMPTY", False) or getattr(arguments, "SAMPLE", None))


@contextmanager
def told_by_dbt(name: str) -> Iterator[None]:
    """Problems of ours as dbt reports them."""
    try:
        yield
    except (ModelError, RefreshError, EngineError, CatalogError) as problem:
        raise DbtRuntimeError(f"Lazy view {name}: {problem}") from problem


def _name(engine: DbtEngine, relation: Any) -> Name:
    """The full name of a relation or node, as Spark's catalog spells it."""
    catalog = engine.query(engine.render("current_catalog"))[0]["catalog"]
    identifier = getattr(relation, "identifier", None) or relation.alias
    return (catalog, relation.schema.lower(), identifier.lower())
