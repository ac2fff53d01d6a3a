"""What the operations and generic tests of lazy views ask the adapter."""

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from dbt.adapters.base.meta import available

from dbt_lazyview.adapter.asking import unknown_format, unknown_group, unknown_policy
from dbt_lazyview.adapter.catalog import details_of
from dbt_lazyview.adapter.engine import DbtEngine
from dbt_lazyview.adapter.graph import (
    is_lazy_view,
    lazy_views_read_by,
    policy_of,
    tables_under,
    view_groups,
)
from dbt_lazyview.adapter.lazy_views import LazyViewMethods, full_name
from dbt_lazyview.adapter.models import definition_of
from dbt_lazyview.adapter.response import ERROR, LazyViewResponse, Total, sum_up
from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance import vacuum_guard
from dbt_lazyview.maintenance.advise import Life, advise
from dbt_lazyview.maintenance.comparison import Comparison, comparison
from dbt_lazyview.maintenance.definition import Definition, compiled
from dbt_lazyview.maintenance.engine import EngineError
from dbt_lazyview.maintenance.errors import NotBuilt
from dbt_lazyview.maintenance.explain import explain
from dbt_lazyview.maintenance.freshness import why_stale
from dbt_lazyview.maintenance.life import Histories, life_of
from dbt_lazyview.maintenance.order import oldest_first
from dbt_lazyview.maintenance.orphans import Orphan, find_orphans
from dbt_lazyview.maintenance.policies import DEFERRED, OPERATION, POLICIES
from dbt_lazyview.maintenance.prepare import Need, need_of
from dbt_lazyview.maintenance.settings import read_settings
from dbt_lazyview.maintenance.status import Status, status_of
from dbt_lazyview.maintenance.status_report import as_json, as_table
from dbt_lazyview.maintenance.stored import stored_target
from dbt_lazyview.maintenance.tables import Tables, name_of, sql_name


@dataclass(frozen=True)
class Preparation:
    """What a source lacks, who may mend it, and how."""

    relation: str
    lacks: str
    owner: str
    statement: str


class LazyViewOperations(LazyViewMethods):
    """The `@available` methods of operations and generic tests; a base class of the adapter."""

    @available.parse_list
    def lazy_views_to_refresh(self, names: list[str] | None, group: str | None, policy: str | None) -> list[Any]:
        """The lazy views asked for, in the order of their refresh."""
        groups = view_groups(self._nodes())
        if group is not None and group not in groups.values():
            raise unknown_group(group, groups.values())
        if policy is not None and policy not in POLICIES:
            raise unknown_policy(policy)
        chosen = [
            node
            for node in self.lazy_views_named(names)
            if policy in (None, policy_of(node)) and group in (None, groups.get(node.unique_id))
        ]
        views = {node.unique_id: node for node in chosen}
        parents = {each: [above.unique_id for above in self._parents(node)] for each, node in views.items()}
        oldest = {node.unique_id: status.task.oldest for node, status in self.statuses(chosen)}
        return [views[each] for each in oldest_first(parents, oldest)]

    @available.parse_none
    def refresh_stored_lazy_view(self, node: Any, full: bool = False, until: Any = None) -> LazyViewResponse:
        """Refresh by the definition the state remembers; a failure is an outcome too, so that others go on."""
        try:
            return self.refresh_stored(node, OPERATION, full, until)
        except Exception as problem:
            return LazyViewResponse(_message=f"ERROR {problem}", kind=ERROR)

    @available.parse_none
    def sum_up_refreshes(self, views: list[Any], responses: list[LazyViewResponse], are_named: bool) -> Total:
        """What all refreshes of an operation did; a view that is not built counts as failed if it was named."""
        self.write_journal()
        return sum_up([node.name for node in views], responses, are_named)

    @available.parse_none
    def lazy_view_status(self, views: list[Any], form: str) -> str:
        """What is pending and what was done last, as `table` or `json`."""
        reports = {"table": as_table, "json": as_json}
        if form not in reports:
            raise unknown_format(form)
        statuses = [status for _, status in self.statuses(views)]
        return reports[form](statuses, round(time.time() * 1000))

    @available.parse_none
    def explain_lazy_view(self, node: Any) -> str:
        """The tree, its rules, and the SQL a refresh would run now; nothing of a view that is not built."""
        with self._engine(node.name) as engine, suppress(NotBuilt):
            return explain(engine, stored_target(engine, full_name(engine, node)))
        return ""

    @available.parse_none
    def explain_query(self, sql: str, node: Any = None) -> str:
        """The tree and its rules, as they would be once it is built: of a query, or of the model that it is."""
        with self._engine(node.name if node else "query") as engine:
            definition = definition_of(node.to_dict(), sql, is_parent=False) if node else Definition(sql)
            schema = self.config.credentials.schema  # type: ignore[attr-defined]
            name = full_name(engine, node) if node else (engine.current_catalog, schema, "query")
            return compiled(definition, name, engine.catalog()).explain()

    @available.parse_list
    def advice_for_lazy_view(self, node: Any) -> list[Any]:
        """What its history suggests to change."""
        ((_, life),) = self.lives([node])
        return advise(life) if life else []

    def lives(self, views: list[Any]) -> Iterator[tuple[Any, Life | None]]:
        """What happened to each view in the time its history tells of; None for those that are not built."""
        with self._engine("histories") as engine:
            histories = Histories(_tables(engine, self))
            for node in views:
                deferred = [each.name for each in self._parents(node) if policy_of(each) == DEFERRED]
                yield node, life_of(histories, full_name(engine, node), deferred)

    @available.parse_list
    def sources_to_prepare(self, days: int) -> list[Preparation]:
        """The tables under the project's lazy views that lack something, and the statements that mend them."""
        with self._engine("sources") as engine:
            tables = _tables(engine, self)
            found = [(name, _detail_of_table(tables, name)) for name in self._base_tables(engine)]
            needs = [need_of(name, detail, days) for name, detail in found if detail and detail.format == "delta"]
            return [_preparation(engine, need) for need in needs if need]

    @available.parse_none
    def prepare_source(self, preparation: Preparation) -> str:
        """Run the statement; what went wrong, nothing if it went well."""
        with self._engine("sources") as engine:
            try:
                engine.execute(preparation.statement)
            except EngineError as problem:
                return str(problem)
        return ""

    @available.parse_list
    def why_lazy_view_is_stale(self, relation: Any, max_age: Any, max_pending_rows: int | None) -> list[str]:
        """Each limit that a view exceeds, in words."""
        with self._engine(relation.identifier) as engine:
            status = status_of(_tables(engine, self), full_name(engine, relation))
            return why_stale(status, max_age, max_pending_rows, round(time.time() * 1000))

    @available.parse_none
    def compare_lazy_view(self, relation: Any) -> Comparison:
        """The view at its cut, and its query over the sources at that cut."""
        with self._engine(relation.identifier) as engine:
            return comparison(engine, stored_target(engine, full_name(engine, relation)))

    @available.parse_none
    def vacuum_guards(self, form: str) -> str:
        """How far VACUUM may go on each source, as `table` or `json`."""
        reports = {"table": vacuum_guard.as_lines, "json": vacuum_guard.as_json}
        if form not in reports:
            raise unknown_format(form)
        statuses = [status for _, status in self.statuses(self.lazy_views_named(None))]
        with self._engine("vacuum_guard") as engine:
            return reports[form](vacuum_guard.guards(_tables(engine, self), statuses, round(time.time() * 1000)))

    @available.parse_list
    def orphaned_states(self) -> list[Orphan]:
        """States in the project's schemas that no lazy view of it has, not even a disabled one."""
        manifest = self.get_macro_resolver()  # type: ignore[attr-defined]
        disabled = [node for nodes in manifest.disabled.values() for node in nodes]
        nodes = [node for node in (*manifest.nodes.values(), *disabled) if hasattr(node, "schema") and node.schema]
        with self._engine("orphans") as engine:
            schemas = sorted({full_name(engine, node)[:-1] for node in nodes})
            wanted = {full_name(engine, node) for node in nodes if is_lazy_view(node)}
            projects = {node.package_name for node in nodes}
            return find_orphans(_tables(engine, self), schemas, wanted, projects)

    @available.parse_none
    def drop_orphan(self, orphan: Orphan) -> str:
        """Drop a state and its public view; what went wrong, nothing if it went well."""
        with self._engine("orphans") as engine:
            try:
                for statement in orphan.statements:
                    engine.execute(statement)
            except EngineError as problem:
                return str(problem)
        return ""

    def statuses(self, views: list[Any]) -> list[tuple[Any, Status]]:
        """What is pending for each view, and what was done to it last."""
        with self._engine("status") as engine:
            tables = _tables(engine, self)
            return [(node, status_of(tables, full_name(engine, node))) for node in views]

    def _parents(self, node: Any) -> list[Any]:
        """The lazy views a lazy view reads."""
        return lazy_views_read_by(node, self._nodes(), is_elsewhere=lambda _: False)

    def _base_tables(self, engine: DbtEngine) -> list[Name]:
        """The tables behind the lazy views: by the records of those that are built, by the project for all."""
        records = [status.last for _, status in self.statuses(self.lazy_views_named(None)) if status.last]
        known = {name_of(table) for record in records for table in record.cut}
        manifest = self.get_macro_resolver()  # type: ignore[attr-defined]
        everything = {**manifest.nodes, **manifest.sources}
        views = [node for node in manifest.nodes.values() if is_lazy_view(node)]
        told = {full_name(engine, each) for node in views for each in tables_under(node, everything)}
        return sorted(known | told)


def _tables(engine: DbtEngine, adapter: LazyViewMethods) -> Tables:
    return Tables(engine, read_settings(engine).time_zone, adapter.probes)


def _detail_of_table(tables: Tables, name: Name) -> Any:
    """Details of a table; a relation that is a view has none."""
    try:
        return tables.source(name)
    except EngineError:
        return None


def _preparation(engine: DbtEngine, need: Need) -> Preparation:
    relation = sql_name(need.table)
    described = details_of(engine.query(engine.render("describe_relation", relation=relation)))
    statement = engine.render("set_properties", relation=relation, properties=need.properties)
    return Preparation(relation, ", ".join(need.lacks), described.get("Owner") or "unknown", statement)
