"""A reader of part of a view: whether what is pending misses that part, so that the view can stay as it is (Z 3.5)."""

from dataclasses import dataclass, replace

from dbt_lazyview.compiler.catalog import Catalog, CatalogError, Column, Name, StoredView, Table, UserFunction
from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.plan import Window
from dbt_lazyview.compiler.reasons import ModelError, Reason
from dbt_lazyview.maintenance.cut import take_cut
from dbt_lazyview.maintenance.definition import AUTO, is_state, read_definition
from dbt_lazyview.maintenance.engine import Engine, EngineError
from dbt_lazyview.maintenance.probes import Probes
from dbt_lazyview.maintenance.record import Position, Settings
from dbt_lazyview.maintenance.relevance import show_nothing
from dbt_lazyview.maintenance.settings import read_settings
from dbt_lazyview.maintenance.state import State, load_state
from dbt_lazyview.maintenance.tables import Tables, name_of
from dbt_lazyview.maintenance.tree import Target, resolve, state_name
from dbt_lazyview.maintenance.windows import CutPassed, follow


def misses_reader(engine: Engine, target: Target, reader: str, probes: Probes) -> bool:
    """
    Whether changes are pending for a view, and none of them can be seen by a query that reads it: the query is compiled
    down to the base tables, and its own filters decide. What cannot be told is no.
    """
    settings = read_settings(engine)
    tables = Tables(engine, settings.time_zone, probes)
    try:
        state = load_state(tables, target.state)
        windows = pending_windows(tables, state)
        is_pending = any(window.changed for window in windows.values())
        if not is_pending or not is_right_but_old(tables, target, state, settings):
            return False
        return show_nothing(tables, compile_view(reader, DefinitionsCatalog(tables, engine.catalog())), windows)
    except (ModelError, CatalogError, EngineError, CutPassed):
        return False  # the reader itself will tell


def pending_windows(tables: Tables, state: State) -> dict[Name, Window]:
    """What happened to the base tables of a view since its cut; nothing where one of them cannot be followed."""
    recorded = {name_of(table): at for table, at in state.record.cut.items()} if state.record else {}
    cut = take_cut(tables, list(recorded), state.record.cut if state.record else {})
    found = {name: _window(tables, name, at, cut[name]) for name, at in recorded.items()}
    windows = {name: each for name, each in found.items() if isinstance(each, Window)}
    return windows if len(windows) == len(found) else {}


def _window(tables: Tables, name: Name, recorded: Position, now: Position) -> Window | Reason:
    detail = tables.source(name)
    commits = () if recorded == now else tables.commits_between(name, recorded.version, now.version)
    return follow(recorded, now, commits, detail.location if detail else "")


def is_right_but_old(tables: Tables, target: Target, state: State, settings: Settings) -> bool:
    """Whether a view lacks nothing but changes of base tables; one that reads lazy views may lack theirs."""
    record = state.record
    if record is None or state.distrust or record.settings != settings:
        return False
    if target.definition.capture != AUTO or target.definition.unique_key:
        return False  # what is pending is not known, or the view has to be looked at first
    node = resolve(tables, target)
    return not node.parents and record.fingerprint == node.view.fingerprint


@dataclass(frozen=True)
class DefinitionsCatalog:
    """A catalog in which lazy views are their queries over their sources, not what is stored of them."""

    tables: Tables
    catalog: Catalog

    def relation(self, name: Name, namespace: Name | None) -> Table | StoredView:
        found = self.catalog.relation(name, namespace)
        if not isinstance(found, StoredView):
            return found
        detail = self.tables.detail(state_name(found.name))
        definition = read_definition(detail.properties) if detail and is_state(detail.properties) else None
        if definition is None:
            return found
        return replace(found, sql=definition.sql, output=tuple((public, public) for _, public in found.output))

    def describe(self, sql: str) -> tuple[Column, ...]:
        return self.catalog.describe(sql)

    def function(self, name: Name, namespace: Name | None) -> UserFunction | None:
        return self.catalog.function(name, namespace)
