"""Lazy views for dbt: how they are built, refreshed and named."""

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from dbt.adapters.base.meta import AdapterMeta, available
from dbt.adapters.events.logging import AdapterLogger
from dbt_common.exceptions import DbtRuntimeError

from dbt_lazyview.adapter.asking import unknown_views
from dbt_lazyview.adapter.engine import DbtEngine, open_engine
from dbt_lazyview.adapter.graph import Nodes, is_read_by_lazy_view, lazy_views, sources_with_logs, view_groups
from dbt_lazyview.adapter.manager_client import wait_for_manager
from dbt_lazyview.adapter.models import REGISTER, check_model, definition_of
from dbt_lazyview.adapter.progress import progress_told
from dbt_lazyview.adapter.response import NOT_BUILT, LazyViewResponse, response_of
from dbt_lazyview.adapter.turns import TURNS
from dbt_lazyview.compiler.catalog import CatalogError, Name
from dbt_lazyview.compiler.reasons import ModelError
from dbt_lazyview.maintenance.clone import clone
from dbt_lazyview.maintenance.configuration import CONTINUE, FAIL, changed_configs, not_allowed, with_configs_of
from dbt_lazyview.maintenance.decide import FULL
from dbt_lazyview.maintenance.engine import EngineError
from dbt_lazyview.maintenance.errors import NotBuilt, RefreshError
from dbt_lazyview.maintenance.groups import Elsewhere, Members
from dbt_lazyview.maintenance.journal import Entry, entries_of, write_journals
from dbt_lazyview.maintenance.keys import refuse_unusable_snapshot
from dbt_lazyview.maintenance.logs import Log
from dbt_lazyview.maintenance.outcome import Outcome
from dbt_lazyview.maintenance.part import misses_reader
from dbt_lazyview.maintenance.plan import Request
from dbt_lazyview.maintenance.policies import RUN
from dbt_lazyview.maintenance.preview import preview
from dbt_lazyview.maintenance.probes import Probes
from dbt_lazyview.maintenance.refresh import refresh
from dbt_lazyview.maintenance.register import register
from dbt_lazyview.maintenance.settings import read_settings
from dbt_lazyview.maintenance.stored import built_target, in_group, stored_target
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import Target
from dbt_lazyview.maintenance.until import past_point
from dbt_lazyview.maintenance.view_delta.idle import apply_waiting

logger = AdapterLogger("LazyView")


class LazyViewMethods(metaclass=AdapterMeta):
    """What the materialization asks for; a base class of the adapter (the metaclass lets dbt see its methods)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.probes = Probes()  # an adapter lives as long as an invocation
        self.own_settings: dict[str, str] = {}  # of Spark, for what this adapter does by itself
        self.journal: deque[Entry] = deque()  # not written yet; threads may append at any time

    @available.parse_none
    def check_lazy_view(self, model: dict[str, Any]) -> None:
        """Refuse a model that no lazy view can be made of."""
        with told_by_dbt(model["name"]):
            check_model(model)

    @available.parse_none
    def refresh_lazy_view(self, relation: Any, sql: str, model: dict[str, Any], full_refresh: bool) -> LazyViewResponse:
        """Build or refresh a model; under `--empty` and `--sample` only its public view, and only if there is none."""
        is_parent = is_read_by_lazy_view(model["unique_id"], self._nodes())
        group = view_groups(self._nodes()).get(model["unique_id"])
        definition = definition_of(model, sql, is_parent, group)
        if model["config"].get("pre-hook"):
            self.probes.forget()
        with self._turn(model["unique_id"], group), self._engine(model["name"]) as engine:
            target = Target(full_name(engine, relation), replace(definition, logs=self._logs(engine, model)))
            if self._is_partial_run():
                return response_of(preview(engine, target))
            if not full_refresh:
                target = settled(engine, target, model["config"].get("on_configuration_change"), str(relation))
            request = Request(full_refresh=full_refresh, trigger=RUN, elsewhere=self._elsewhere(engine))
            carry_out = register if model["config"].get("on_run") == REGISTER else refresh
            with progress_told(target.name, engine.connection.handle):
                outcome = carry_out(engine, target, request, self.probes, self._members(engine))
            tell_of_change(outcome, str(relation))
            return self._told(outcome)

    @available.parse(lambda *_: False)
    def has_lazy_view(self, relation: Any) -> bool:
        """Whether a relation is a lazy view that is built."""
        with self._engine(relation.identifier) as engine:
            return built_target(engine, full_name(engine, relation)) is not None

    @available.parse_none
    def clone_lazy_view(self, relation: Any, origin: Any) -> LazyViewResponse:
        """Let a lazy view stand where that of another environment stands."""
        with TURNS.of(str(relation)), self._engine(relation.identifier) as engine:
            tables = Tables(engine, read_settings(engine).time_zone, self.probes)
            return response_of(clone(tables, full_name(engine, origin), full_name(engine, relation)))

    @available.parse_list
    def lazy_views_named(self, names: list[str] | None) -> list[Any]:
        """The project's lazy views, parents first: all, or those with the given names."""
        found = lazy_views(self._nodes())
        unknown = [name for name in names or () if name not in {node.name for node in found}]
        if unknown:
            raise unknown_views(unknown, [node.name for node in found])
        return [node for node in found if names is None or node.name in names]

    def refresh_stored(self, node: Any, trigger: str, full: bool = False, until: Any = None) -> LazyViewResponse:
        """Refresh by the definition the state remembers; there may be none yet."""
        try:
            group, started = view_groups(self._nodes()).get(node.unique_id), time.monotonic()
            with self._turn(node.unique_id, group), self._engine(node.name) as engine:
                target = in_group(stored_target(engine, full_name(engine, node)), group)
                point = None if until is None else past_point(until, read_settings(engine).time_zone)
                request = Request(full_refresh=full, trigger=trigger, until=point, elsewhere=self._elsewhere(engine))
                with progress_told(target.name, engine.connection.handle):
                    outcome = refresh(engine, target, request, self.probes, self._members(engine))
                return self._told(outcome, time.monotonic() - started)
        except DbtRuntimeError as problem:
            if isinstance(problem.__cause__, NotBuilt):
                return LazyViewResponse(_message="not built yet: dbt run builds it", kind=NOT_BUILT)
            raise

    def apply_stored(self, node: Any) -> LazyViewResponse:
        """Apply what a view shows of its view delta."""
        group = view_groups(self._nodes()).get(node.unique_id)
        with self._turn(node.unique_id, group), self._engine(node.name) as engine:
            target = in_group(stored_target(engine, full_name(engine, node)), group)
            return self._told(apply_waiting(engine, target, self.probes))

    def refuse_unusable(self, node: Any) -> None:
        """Let nobody read a view whose declared key is violated; one that is refreshed first tells by itself."""
        with self._engine(node.name) as engine:
            target = built_target(engine, full_name(engine, node))
            if target is not None:
                refuse_unusable_snapshot(Tables(engine, read_settings(engine).time_zone, self.probes), target)

    def can_stay_for(self, node: Any, reader: str) -> bool:
        """Whether a reader's query sees none of the changes pending for a view; a view group moves as a whole."""
        if node.unique_id in view_groups(self._nodes()):
            return False
        with self._engine(node.name) as engine:
            target = built_target(engine, full_name(engine, node))
            return target is not None and misses_reader(engine, target, reader, self.probes)

    def write_journal(self) -> None:
        """Append what was refreshed since the last time; a journal that cannot be written is no reason to fail."""
        entries = list(_taken_from(self.journal))
        if not entries:
            return
        try:
            with TURNS.of("journal"), self._engine("journal") as engine:
                write_journals(engine, entries)
        except DbtRuntimeError as problem:
            logger.warning(f"The journal of refreshes was not written. {problem.msg}")

    @contextmanager
    def _turn(self, unique_id: str, group: str | None) -> Iterator[None]:
        """One thread at a time for each view, or for each view group; after what a manager does to it right now."""
        key = self.turn_key(unique_id, group)
        with TURNS.of(key):
            wait_for_manager(getattr(self.config.credentials, "manager", None), key)  # type: ignore[attr-defined]
            yield

    def turn_key(self, unique_id: str, group: str | None) -> str:
        """What stands for a view, or its group, in this process."""
        credentials = self.config.credentials  # type: ignore[attr-defined]
        place = f"{credentials.unique_field} {credentials.schema}"
        return f"{place} {f'group {group}' if group else unique_id}"

    def _members(self, engine: DbtEngine) -> Members:
        """The built views of a group, as their states remember them."""
        nodes, groups = self._nodes(), view_groups(self._nodes())

        def members(group: str) -> list[Target]:
            names = [full_name(engine, nodes[each]) for each, own in groups.items() if own == group]
            return [in_group(target, group) for name in names if (target := built_target(engine, name))]

        return members

    def _elsewhere(self, engine: DbtEngine) -> Elsewhere:
        """Views of this project's models under other names than they have here: production's, for a developer."""
        nodes = self._nodes()

        def is_elsewhere(view: Target) -> bool:
            node = nodes.get(view.definition.model)
            return node is not None and not view.is_auxiliary and full_name(engine, node) != view.name

        return is_elsewhere

    def _logs(self, engine: DbtEngine, model: dict[str, Any]) -> dict[str, Log]:
        """How sources of a model tell their own changes, by their quoted names."""
        manifest = self.get_macro_resolver()  # type: ignore[attr-defined]
        everything = {**manifest.nodes, **manifest.sources}
        found = sources_with_logs(everything[model["unique_id"]], everything)
        return {sql_name(full_name(engine, source)): log for source, log in found}

    def _told(self, outcome: Outcome, seconds: float | None = None) -> LazyViewResponse:
        self.journal.extend(entries_of(outcome))
        return response_of(outcome, seconds)

    @contextmanager
    def _engine(self, name: str) -> Iterator[DbtEngine]:
        with told_by_dbt(name), open_engine(self, name, self.probes) as engine:
            yield engine

    def _nodes(self) -> Nodes:
        return self.get_macro_resolver().nodes  # type: ignore[attr-defined]

    def _is_partial_run(self) -> bool:
        arguments = self.config.args  # type: ignore[attr-defined]
        return bool(getattr(arguments, "EMPTY", False) or getattr(arguments, "SAMPLE", None))


def settled(engine: DbtEngine, target: Target, on_change: Any, relation: str) -> Target:
    """The view by the configs its model allows it to have now; all of them unless it says otherwise."""
    built = built_target(engine, target.name) if on_change in (CONTINUE, FAIL) else None
    changed = changed_configs(built.definition, target.definition) if built else ()
    if built is None or not changed:
        return target
    told = (
        f"Configuration changes were identified and `on_configuration_change` was set to `{on_change}` for `{relation}`"
    )
    if on_change == FAIL:
        raise not_allowed(target.name, changed, told)
    logger.warning(f"{told}: it keeps {', '.join(changed)} as before.")
    return replace(target, definition=with_configs_of(built.definition, target.definition))


def tell_of_change(outcome: Outcome, relation: str) -> None:
    """Say in dbt's words what was done to a relation that was there before."""
    if outcome.kind == FULL:
        logger.debug(f"Applying REPLACE to: {relation}")
    elif outcome.is_altered:
        logger.debug(f"Applying ALTER to: {relation}")


def _taken_from(entries: deque[Entry]) -> Iterator[Entry]:
    with suppress(IndexError):  # empty, perhaps because another thread took the rest
        while True:
            yield entries.popleft()


@contextmanager
def told_by_dbt(name: str) -> Iterator[None]:
    """Problems of ours as dbt reports them."""
    try:
        yield
    except (ModelError, RefreshError, EngineError, CatalogError) as problem:
        raise DbtRuntimeError(f"Lazy view {name}: {problem}") from problem


def full_name(engine: DbtEngine, relation: Any) -> Name:
    """The full name of a relation or node, as Spark's catalog spells it."""
    identifier = getattr(relation, "identifier", None) or relation.alias
    return (engine.current_catalog, relation.schema.lower(), identifier.lower())
