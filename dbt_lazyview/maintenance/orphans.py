"""Orphans: states in a project's schemas whose models left the project."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.definition import is_state, read_definition
from dbt_lazyview.maintenance.engine import Engine, EngineError
from dbt_lazyview.maintenance.public import published
from dbt_lazyview.maintenance.tables import Detail, Tables, sql_name
from dbt_lazyview.maintenance.tree import public_name
from dbt_lazyview.names import AUXILIARY_INFIX, STATE_SUFFIX

_AUXILIARY = re.compile(rf"(?:{AUXILIARY_INFIX}\d+)+$")


@dataclass(frozen=True)
class Orphan:
    """A state that no model of the project has, and the statements that remove it."""

    state: Name
    model: str  # the id of the model it was built by; "" where an older release built it
    bytes: int
    is_ours: bool  # built by this project
    statements: tuple[str, ...]


def find_orphans(
    tables: Tables, schemas: Iterable[Name], wanted: Collection[Name], projects: Collection[str]
) -> list[Orphan]:
    """The states in some schemas that are not wanted; `projects` are those whose models are ours."""
    found = [(name, detail) for schema in schemas for name, detail in _states(tables, schema)]
    return [_orphan(tables.engine, name, detail, projects) for name, detail in found if owner_of(name) not in wanted]


def owner_of(state: Name) -> Name:
    """
    The lazy view that a state is kept for.

    Example:
        >>> owner_of(("x", "v__state")), owner_of(("x", "v__aux_2__state"))
        (('x', 'v'), ('x', 'v'))
    """
    public = public_name(state)
    return (*public[:-1], _AUXILIARY.sub("", public[-1]))


def _states(tables: Tables, schema: Name) -> Iterator[tuple[Name, Detail]]:
    engine = tables.engine
    try:
        rows = engine.query(engine.render("show_tables", namespace=sql_name(schema), pattern=f"*{STATE_SUFFIX}"))
    except EngineError as error:
        if error.is_missing_relation:
            return
        raise
    for row in rows:
        name = (*schema, row["tableName"])
        detail = None if row["isTemporary"] else _detail(tables, name)
        if detail and is_state(detail.properties):
            yield name, detail


def _detail(tables: Tables, name: Name) -> Detail | None:
    """Details of a table; a view that ends like a state has none."""
    try:
        return tables.detail(name)
    except EngineError:
        return None


def _orphan(engine: Engine, state: Name, detail: Detail, projects: Collection[str]) -> Orphan:
    definition = read_definition(detail.properties)
    model = definition.model if definition else ""
    is_ours = any(model.startswith(f"model.{project}.") for project in projects)
    drops = [engine.render("drop_table", relation=sql_name(state))]
    if published(engine, public_name(state)).digest is not None:  # no other relation has come to stand there
        drops.insert(0, engine.render("drop_view", relation=sql_name(public_name(state))))
    return Orphan(state, model, detail.size, is_ours, tuple(drops))
