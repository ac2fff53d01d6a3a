"""
A view over clones of the tables it was computed from: after `dbt clone`, the same model reads the clones. What its
state holds is then right for them too, and the refresh goes on from where they were cloned.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from dbt_lazyview.compiler.catalog import Catalog, CatalogError, Column, Name, StoredView, Table, UserFunction
from dbt_lazyview.compiler.reasons import ModelError
from dbt_lazyview.compiler.view import Auxiliary, View
from dbt_lazyview.maintenance.definition import Definition, compiled
from dbt_lazyview.maintenance.errors import RefreshError
from dbt_lazyview.maintenance.history import effect_of
from dbt_lazyview.maintenance.record import Position, Record
from dbt_lazyview.maintenance.stored import stored_target
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import Node
from dbt_lazyview.maintenance.windows import lineage_broken
from dbt_lazyview.names import AUXILIARY_INFIX

CLONED = "CLONE"  # Delta's name for the operation


@dataclass(frozen=True)
class Origin:
    """What a table was cloned from, and what the clone was at first."""

    name: Name
    version: int
    clone: Position


def adopted(tables: Tables, node: Node, stored: Definition, record: Record) -> Mapping[str, Position] | None:
    """
    Where to go on in the sources that are clones of recorded ones; None where the view means something else than the
    rows of its state, or where the clones do not begin with the rows that the state has seen.
    """
    new = [name for name in node.details if sql_name(name) not in record.reads]
    origins = {name: _origin(tables, name) for name in new}
    known = {name: origin for name, origin in origins.items() if origin and sql_name(origin.name) in record.reads}
    if len(known) < len(new) or not all(_is_unchanged(tables, each, record) for each in known.values()):
        return None
    try:
        if _meaning(tables, node, stored) != record.fingerprint:  # a view or a function behind it was replaced
            return None
        if not _means_the_same(tables, node, stored, {origin.name: name for name, origin in known.items()}):
            return None
    except (ModelError, CatalogError, RefreshError):
        return None
    return {sql_name(name): _position(origin, record) for name, origin in known.items()}


def _origin(tables: Tables, name: Name) -> Origin | None:
    """What a table is a clone of, by its first commit; None where it is none."""
    detail, first = tables.detail(name), tables.commits(name, down_to=0)[-1]
    source, version = first.parameters.get("source"), first.parameters.get("sourceVersion")
    if detail is None or (first.version, first.operation) != (0, CLONED) or not source:
        return None
    return Origin(tuple(str(source).split(".")), int(str(version)), Position(0, first.timestamp, detail.id))


def _is_unchanged(tables: Tables, origin: Origin, record: Record) -> bool:
    """Whether the version that was cloned has the rows of the recorded one."""
    recorded = record.reads[sql_name(origin.name)]
    detail = tables.detail(origin.name)
    if detail is None:
        return False
    low, high = sorted((recorded.version, origin.version))
    commits = tables.commits(origin.name, down_to=low)
    between = [commit for commit in commits if low < commit.version <= high]
    return lineage_broken(recorded, commits, detail.id) is None and not effect_of(between).changed


def _means_the_same(tables: Tables, node: Node, stored: Definition, renamed: Mapping[Name, Name]) -> bool:
    """Whether the stored query is the one that is wanted now, but for the names of tables, and stored alike."""
    catalog = _Renamed(tables.engine.catalog(), renamed)
    name, wanted = node.target.name, node.target.definition
    before, now = compiled(stored, name, catalog), compiled(wanted, name, catalog)
    return (before.fingerprint, before.layout) == (now.fingerprint, now.layout)


def _meaning(tables: Tables, node: Node, stored: Definition) -> str:
    """The fingerprint of a stored definition as it would be today; that of an auxiliary comes from its owner."""
    name, catalog = node.target.name, tables.engine.catalog()
    if not node.target.is_auxiliary:
        return compiled(stored, name, catalog).fingerprint
    owner = (*name[:-1], name[-1].rpartition(AUXILIARY_INFIX)[0])
    view = compiled(stored_target(tables.engine, owner).definition, owner, catalog)
    return {each.name: each.view.fingerprint for each in _auxiliaries(view)}.get(name, "")


def _auxiliaries(view: View) -> Iterator[Auxiliary]:
    for each in view.auxiliaries:
        yield each
        yield from _auxiliaries(each.view)


def _position(origin: Origin, record: Record) -> Position:
    recorded = record.reads[sql_name(origin.name)]
    return replace(recorded, version=origin.clone.version, timestamp=origin.clone.timestamp, id=origin.clone.id)


@dataclass(frozen=True)
class _Renamed:
    """A catalog in which tables have other names."""

    catalog: Catalog
    renamed: Mapping[Name, Name]

    def relation(self, name: Name, namespace: Name | None) -> Table | StoredView:
        found = self.catalog.relation(name, namespace)
        return replace(found, name=self.renamed.get(found.name, found.name)) if isinstance(found, Table) else found

    def describe(self, sql: str) -> tuple[Column, ...]:
        return self.catalog.describe(sql)

    def function(self, name: Name, namespace: Name | None) -> UserFunction | None:
        return self.catalog.function(name, namespace)
