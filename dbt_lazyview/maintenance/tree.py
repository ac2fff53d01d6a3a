"""A lazy view with the lazy views it reads, down to the base tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from dbt_lazyview.compiler.catalog import Catalog, Column, Name, Table
from dbt_lazyview.compiler.plan import Source
from dbt_lazyview.compiler.reasons import ModelError, Problem, Reason
from dbt_lazyview.compiler.view import Auxiliary, View
from dbt_lazyview.maintenance.copies import SourcesCatalog
from dbt_lazyview.maintenance.cut import existing_delta
from dbt_lazyview.maintenance.definition import DIFF, NOW, Definition, compiled, is_state, read_definition
from dbt_lazyview.maintenance.policies import CHILD, DEFERRED, is_refreshed_by
from dbt_lazyview.maintenance.remembering import RememberingCatalog
from dbt_lazyview.maintenance.storage import check_storage
from dbt_lazyview.maintenance.tables import Detail, Tables, sql_name
from dbt_lazyview.maintenance.windows import Used, schema_digest
from dbt_lazyview.names import STATE_SUFFIX

NOT_BUILT = Detail("delta", "", 0, "", {}, 0)


@dataclass(frozen=True)
class Target:
    """A lazy view as asked for: its public name and its definition."""

    name: Name
    definition: Definition
    auxiliary: View | None = None  # compiled with its owner, the only one to read it

    @property
    def is_auxiliary(self) -> bool:
        return self.auxiliary is not None

    @property
    def state(self) -> Name:
        return state_name(self.name)


@dataclass(frozen=True)
class Node:
    """A compiled lazy view, its sources' details, and the lazy views among them."""

    target: Target
    view: View
    details: dict[Name, Detail]
    schemas: dict[Name, str]  # digests of the sources' columns
    parents: dict[Name, "Node"]  # by the name of their state
    used: dict[Name, Used] = field(default_factory=dict)  # what it reads of its sources

    @property
    def parent_views(self) -> tuple["Node", ...]:
        """The lazy views that the model reads, by itself or in its auxiliaries."""
        found = [parent.parent_views if parent.target.is_auxiliary else (parent,) for parent in self.parents.values()]
        return tuple(node for nodes in found for node in nodes)

    @property
    def auxiliaries(self) -> set[Name]:
        """The states that are kept for this view alone."""
        own = {name: parent for name, parent in self.parents.items() if parent.target.is_auxiliary}
        return set(own).union(*(parent.auxiliaries for parent in own.values()))

    @property
    def tables(self) -> tuple[Name, ...]:
        """The base tables it reads itself."""
        return tuple(name for name in self.details if name not in self.parents)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Why there is no incremental plan."""
        return (*self.view.problems, *(unversioned(source.sql) for source in self.view.unversioned))

    @property
    def is_snapshot(self) -> bool:
        """Whether others read it as it is."""
        return not is_refreshed_by(self.target.definition.policy, CHILD)

    @property
    def rests_on_snapshot(self) -> bool:
        """Whether it stands for the moment of a snapshot: it is one, or reads one."""
        return self.is_snapshot or any(parent.rests_on_snapshot for parent in self.parents.values())

    @property
    def group(self) -> str | None:
        """The name of its view group."""
        return self.target.definition.view_group


def resolve(tables: Tables, target: Target, captures: bool = True) -> Node:
    """
    Compile a view and, from the definitions their states remember, all lazy views below it; `captures`: copies of
    sources are brought up to date.
    """
    return _resolve(tables, tables.engine.catalog(), target, (), captures)


def _resolve(tables: Tables, plain: Catalog, target: Target, above: tuple[Name, ...], captures: bool) -> Node:
    catalog = SourcesCatalog(tables, plain, target.definition, target.name[:-1], captures)
    view = target.auxiliary or compiled(target.definition, target.name, _remembering(tables, catalog))
    names = [source.name for source in view.sources]
    path = (*above, target.state)
    if circular := [name for name in names if name in path]:
        raise ModelError((_circular(circular[0]),))
    check_key(target.definition.unique_key, view)
    check_storage(target.definition, view)
    auxiliaries = {each.state: each for each in map(_auxiliary_of(target), view.auxiliaries)}
    details = {name: _detail(tables, name, name in auxiliaries) for name in names}
    known = [name for name in names if name not in auxiliaries and is_state(details[name].properties)]
    parents = {**auxiliaries, **{name: _parent(name, details[name]) for name in known}}
    nodes = {name: _resolve(tables, plain, parent, path, captures) for name, parent in parents.items()}
    columns = {name: () if name in auxiliaries else _columns(plain, name) for name in names}
    used = {source.name: _used(source, columns[source.name], target.definition) for source in view.sources}
    return Node(target, view, details, {name: schema_digest(columns[name]) for name in names}, nodes, used)


def _remembering(tables: Tables, catalog: Catalog) -> Catalog:
    """The catalog, with what this process has asked before, where a connection can tell its settings."""
    shortcuts = tables.engine.shortcuts
    return RememberingCatalog(catalog, shortcuts.setup()) if shortcuts else catalog


def _auxiliary_of(owner: Target) -> Callable[[Auxiliary], Target]:
    """An auxiliary goes where its owner goes, and is shown to nobody."""
    definition = replace(
        owner.definition, is_parent=True, policy=DEFERRED, view_group=None, comment="", unique_key=(),
        partition_by=(), clustered_by=(), constraints={}, apply=NOW,
    )  # fmt: skip

    def target(each: Auxiliary) -> Target:
        return Target(each.name, replace(definition, sql=each.view.sql, column_comments={}), each.view)

    return target


def _detail(tables: Tables, name: Name, is_auxiliary: bool) -> Detail:
    """Details of a source; an auxiliary may still have to be built."""
    detail = tables.source(name)
    return NOT_BUILT if detail is None and is_auxiliary else existing_delta(name, detail)


def _parent(state: Name, detail: Detail) -> Target:
    definition = read_definition(detail.properties)
    if definition is None:
        raise ModelError((_too_new(state),))
    return Target(public_name(state), definition)


def _columns(catalog: Catalog, name: Name) -> tuple[Column, ...]:
    relation = catalog.relation(name, None)
    return relation.columns if isinstance(relation, Table) else ()


def _used(source: Source, columns: tuple[Column, ...], definition: Definition) -> Used:
    own = [column for column in columns if column.name in source.columns]
    return Used(source.columns, schema_digest(own), may_diff=definition.capture == DIFF)


def state_name(public: Name) -> Name:
    """
    The name of a lazy view's state.

    Example:
        >>> state_name(("x", "v"))
        ('x', 'v__state')
    """
    return (*public[:-1], public[-1] + STATE_SUFFIX)


def public_name(state: Name) -> Name:
    """The name of the lazy view a state belongs to."""
    return (*state[:-1], state[-1].removesuffix(STATE_SUFFIX))


def check_key(key: Sequence[str], view: View) -> None:
    """Refuse a key of columns that the view does not have."""
    names = [column.name.lower() for column in view.columns]
    if unknown := [column for column in key if column.lower() not in names]:
        raise ModelError((_no_columns(unknown, names),))


def _no_columns(columns: Sequence[str], names: Sequence[str]) -> Problem:
    return Problem(
        Reason.INVALID_CONFIG, f"unique_key: {', '.join(columns)} is not a column of the view.",
        f"It has the columns {', '.join(names)}.", "Name some of these, or leave out unique_key.",
    )  # fmt: skip


def _circular(name: Name) -> Problem:
    return Problem(
        Reason.INVALID_QUERY, f"The view reads {sql_name(name)}, which stores the view itself.",
        "A view cannot be computed from its own rows.", "Read the tables it is made of instead.",
    )  # fmt: skip


def unversioned(source: str) -> Problem:
    return Problem(
        Reason.SOURCE_UNVERSIONED, f"{source} is not a Delta table.",
        "Nobody can tell what changed in it, so the view is computed anew at every refresh.",
        "Set capture: diff to compare it with a copy instead, or store it as Delta.",
    )  # fmt: skip


def _too_new(name: Name) -> Problem:
    return Problem(
        Reason.RECORD_FORMAT, f"{sql_name(name)} was written by a newer release of dbt-lazyview.",
        "This release does not know its format.", "Upgrade dbt-lazyview, or rebuild that view with this release first.",
    )  # fmt: skip
