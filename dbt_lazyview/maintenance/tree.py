"""A lazy view with the lazy views it reads, down to the base tables."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from dbt_lazyview.compiler.catalog import Catalog, Name, Table
from dbt_lazyview.compiler.reasons import ModelError, Problem, Reason
from dbt_lazyview.compiler.view import Auxiliary, View
from dbt_lazyview.maintenance.cut import existing_delta
from dbt_lazyview.maintenance.definition import Definition, compiled, is_state, read_definition
from dbt_lazyview.maintenance.policies import CHILD, DEFERRED, is_refreshed_by
from dbt_lazyview.maintenance.tables import Detail, Tables, sql_name
from dbt_lazyview.maintenance.windows import schema_digest
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


def resolve(tables: Tables, target: Target) -> Node:
    """Compile a view and, from the definitions their states remember, all lazy views below it."""
    return _resolve(tables, tables.engine.catalog(), target, ())


def _resolve(tables: Tables, catalog: Catalog, target: Target, above: tuple[Name, ...]) -> Node:
    view = target.auxiliary or compiled(target.definition, target.name, catalog)
    names = [source.name for source in view.sources]
    path = (*above, target.state)
    if circular := [name for name in names if name in path]:
        raise ModelError((_circular(circular[0]),))
    auxiliaries = {each.state: each for each in map(_auxiliary_of(target), view.auxiliaries)}
    details = {name: _detail(tables, name, name in auxiliaries) for name in names}
    known = [name for name in names if name not in auxiliaries and is_state(details[name].properties)]
    parents = {**auxiliaries, **{name: _parent(name, details[name]) for name in known}}
    nodes = {name: _resolve(tables, catalog, parent, path) for name, parent in parents.items()}
    schemas = {name: "" if name in auxiliaries else _schema(catalog, name) for name in names}
    return Node(target, view, details, schemas, nodes)


def _auxiliary_of(owner: Target) -> Callable[[Auxiliary], Target]:
    """An auxiliary goes where its owner goes, and is shown to nobody."""
    definition = replace(owner.definition, is_parent=True, policy=DEFERRED, view_group=None, comment="")

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


def _schema(catalog: Catalog, name: Name) -> str:
    relation = catalog.relation(name, None)
    return schema_digest(relation.columns) if isinstance(relation, Table) else ""


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


def _circular(name: Name) -> Problem:
    return Problem(
        Reason.INVALID_QUERY, f"The view reads {sql_name(name)}, which stores the view itself.",
        "A view cannot be computed from its own rows.", "Read the tables it is made of instead.",
    )  # fmt: skip


def _too_new(name: Name) -> Problem:
    return Problem(
        Reason.RECORD_FORMAT, f"{sql_name(name)} was written by a newer release of dbt-lazyview.",
        "This release does not know its format.", "Upgrade dbt-lazyview, or rebuild that view with this release first.",
    )  # fmt: skip
