"""Orphans: states in a project's schemas whose models left the project, and copies of sources that nobody reads."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.definition import LATER, is_state, read_definition
from dbt_lazyview.maintenance.engine import Engine, EngineError
from dbt_lazyview.maintenance.public import published
from dbt_lazyview.maintenance.state import delta_name, load_state
from dbt_lazyview.maintenance.tables import Detail, Tables, sql_name
from dbt_lazyview.maintenance.tree import public_name
from dbt_lazyview.names import AUXILIARY_INFIX, COPY_INFIX, PROPERTY_COPY, STATE_SUFFIX

_AUXILIARY = re.compile(rf"(?:{AUXILIARY_INFIX}\d+)+$")


@dataclass(frozen=True)
class Orphan:
    """A table of ours that no model of the project needs, and the statements that remove it."""

    table: Name
    whose: str  # the id of the model that built a state, or what a copy is a copy of
    bytes: int
    is_ours: bool  # not of another project
    statements: tuple[str, ...]


def find_orphans(
    tables: Tables, schemas: Collection[Name], wanted: Collection[Name], projects: Collection[str]
) -> list[Orphan]:
    """The tables in some schemas that nobody needs any more; `projects` are those whose models are ours."""
    states = {name: detail for schema in schemas for name, detail in _states(tables, schema)}
    left = {name: detail for name, detail in states.items() if owner_of(name) not in wanted}
    orphans = [_orphan(tables.engine, name, detail, projects) for name, detail in left.items()]
    stay = states.keys() - {each.table for each in orphans if each.is_ours}
    return orphans + [copy for schema in schemas for copy in _unread_copies(tables, schema, stay)]


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
    found = _tables_like(tables, schema, f"*{STATE_SUFFIX}")
    return ((name, detail) for name, detail in found if is_state(detail.properties))


def _unread_copies(tables: Tables, schema: Name, states: Collection[Name]) -> list[Orphan]:
    """Copies that none of the states that stay beside them was computed from, if all of these tell."""
    copies = [each for each in _tables_like(tables, schema, f"*{COPY_INFIX}*") if each[1].is_copy]
    records = [load_state(tables, name).record for name in states if copies and name[:-1] == schema]
    if None in records:
        return []
    read = {table for record in records if record for table in record.reads}
    return [_copy(tables.engine, name, detail) for name, detail in copies if sql_name(name) not in read]


def _tables_like(tables: Tables, schema: Name, pattern: str) -> Iterator[tuple[Name, Detail]]:
    """The tables of a schema by their names, if there is such a schema."""
    engine = tables.engine
    try:
        rows = engine.query(engine.render("show_tables", namespace=sql_name(schema), pattern=pattern))
    except EngineError as error:
        if error.is_missing_relation:
            return
        raise
    for row in rows:
        name = (*schema, row["tableName"])
        if not row["isTemporary"] and (detail := _detail(tables, name)):
            yield name, detail


def _detail(tables: Tables, name: Name) -> Detail | None:
    """Details of a table; a view that is called like one of ours has none."""
    try:
        return tables.detail(name)
    except EngineError:
        return None


def _orphan(engine: Engine, state: Name, detail: Detail, projects: Collection[str]) -> Orphan:
    definition = read_definition(detail.properties)
    model = definition.model if definition else ""
    is_ours = any(model.startswith(f"model.{project}.") for project in projects)
    drops = [engine.render("drop_table", relation=sql_name(state))]
    if definition and definition.apply == LATER:
        drops.append(engine.render("drop_table", relation=sql_name(delta_name(state))))
    if published(engine, public_name(state)).digest is not None:  # no other relation has come to stand there
        drops.insert(0, engine.render("drop_view", relation=sql_name(public_name(state))))
    return Orphan(state, model or "of a model that it does not tell", detail.size, is_ours, tuple(drops))


def _copy(engine: Engine, name: Name, detail: Detail) -> Orphan:
    whose = f"a copy of {detail.properties[PROPERTY_COPY]} that no lazy view reads"
    return Orphan(name, whose, detail.size, True, (engine.render("drop_table", relation=sql_name(name)),))
