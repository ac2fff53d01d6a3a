"""What the operations of view deltas ask the adapter."""

from typing import Any

from dbt.adapters.base.meta import available

from dbt_lazyview.adapter.engine import DbtEngine
from dbt_lazyview.adapter.graph import lazy_views, view_groups
from dbt_lazyview.adapter.lazy_views import LazyViewMethods, full_name
from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.definition import LATER
from dbt_lazyview.maintenance.settings import read_settings
from dbt_lazyview.maintenance.state_history import prune_history
from dbt_lazyview.maintenance.stored import built_target, stored_target
from dbt_lazyview.maintenance.tables import Tables
from dbt_lazyview.maintenance.tree import resolve
from dbt_lazyview.maintenance.until import parse_until, past_point
from dbt_lazyview.maintenance.view_delta.audit import audit
from dbt_lazyview.maintenance.view_delta.compress import compress
from dbt_lazyview.maintenance.view_delta.export import export_changes
from dbt_lazyview.maintenance.view_delta.pinned import Consistent, consistent
from dbt_lazyview.maintenance.view_delta.prune import prune
from dbt_lazyview.maintenance.view_delta.rolled_copies import roll_copy


class ViewDeltaOperations(LazyViewMethods):
    """The `@available` methods for views whose changes are applied later; a base class of the adapter."""

    @available.parse_none
    def compress_view_delta(self, node: Any, since: Any = None, until: Any = None) -> str:
        """Put windows of a view delta together; times as people write them."""
        with self._turn(node.unique_id, None), self._engine(node.name) as engine:
            tables = Tables(engine, read_settings(engine).time_zone, self.probes)
            moments = [None if each is None else parse_until(each, tables.zone).moment for each in (since, until)]
            view = resolve(tables, stored_target(engine, full_name(engine, node)), captures=False)
            return compress(tables, view, *moments).line

    @available.parse_none
    def consistent_lazy_views(self, names: list[str], brings: bool = False) -> Consistent:
        """The newest time at which lazy views and tables (`schema.table`) are mutually consistent, pinned."""
        found = {node.name: node for node in lazy_views(self._nodes())}
        names = self._with_groups(names) if brings else names
        with self._engine("consistent") as engine:
            views = {name: full_name(engine, found[name]) for name in names if name in found}
            others = {name: self._table_name(engine, name) for name in names if name not in found}
            return consistent(engine, views, others, brings)

    @available.parse_none
    def roll_copy_of_lazy_view(self, node: Any, copy: str, as_of: Any = None) -> str:
        """Bring a copy of a view to a moment."""
        with self._turn(node.unique_id, None), self._engine(node.name) as engine:
            target = stored_target(engine, full_name(engine, node))
            until = None if as_of is None else past_point(as_of, read_settings(engine).time_zone)
            return roll_copy(engine, target, (*target.name[:-1], copy.lower()), until).line

    @available.parse_none
    def export_changes_of_lazy_view(self, node: Any, table: str) -> str:
        """Append what happened to a view since the last time to a table for others."""
        with self._turn(node.unique_id, None), self._engine(node.name) as engine:
            target = stored_target(engine, full_name(engine, node))
            return export_changes(engine, target, self._table_name(engine, table)).line

    @available.parse_none
    def audit_lazy_view(self, node: Any, group: dict[str, Any], since: Any = None, until: Any = None) -> str:
        """Why the rows of a group changed between two times."""
        with self._engine(node.name) as engine:
            zone = read_settings(engine).time_zone
            moments = [None if each is None else parse_until(each, zone).moment for each in (since, until)]
            return audit(engine, stored_target(engine, full_name(engine, node)), group, *moments).text

    @available.parse_list
    def lazy_views_with_deltas(self, names: list[str] | None) -> list[Any]:
        """The lazy views of the project whose changes are applied later: all, or those named."""
        return [node for node in self.lazy_views_named(names) if node.config.get("apply") == LATER]

    @available.parse_none
    def prune_view_delta(self, node: Any) -> str:
        """Delete what nobody needs."""
        with self._turn(node.unique_id, None), self._engine(node.name) as engine:
            tables = Tables(engine, read_settings(engine).time_zone, self.probes)
            target = stored_target(engine, full_name(engine, node))
            return prune(tables, resolve(tables, target, captures=False)).line

    @available.parse_none
    def prune_state_history(self, node: Any) -> str:
        """Delete files of older versions of a state, except those that somebody reads."""
        with self._turn(node.unique_id, None), self._engine(node.name) as engine:
            tables = Tables(engine, read_settings(engine).time_zone, self.probes)
            target = built_target(engine, full_name(engine, node))
            return prune_history(tables, target) if target else "not built yet"

    def _with_groups(self, names: list[str]) -> list[str]:
        """Names, and those of all views in the same groups: these show one cut."""
        groups, nodes = view_groups(self._nodes()), self._nodes()
        chosen = {group for view, group in groups.items() if nodes[view].name in names}
        return list(dict.fromkeys([*names, *(nodes[view].name for view, group in groups.items() if group in chosen)]))

    def _table_name(self, engine: DbtEngine, name: str) -> Name:
        parts = name.split(".")
        schema = parts[-2] if len(parts) > 1 else self.config.credentials.schema  # type: ignore[attr-defined]
        return (parts[0] if len(parts) > 2 else engine.current_catalog, schema, parts[-1])
