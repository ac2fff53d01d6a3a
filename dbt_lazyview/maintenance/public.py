"""The public relation of a lazy view: a Spark view over its state, re-created only when it would read differently."""

import hashlib
from dataclasses import dataclass

from dbt_lazyview.compiler.catalog import CatalogError, Name, StoredView
from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.plan import PublicView
from dbt_lazyview.compiler.reasons import ModelError
from dbt_lazyview.maintenance.definition import Definition
from dbt_lazyview.maintenance.engine import Engine, EngineError
from dbt_lazyview.maintenance.state import State
from dbt_lazyview.maintenance.tables import sql_name
from dbt_lazyview.maintenance.tree import Node, public_name
from dbt_lazyview.names import PROPERTY_FINGERPRINT, quoted

PROPERTY_STANDS_IN = "lazyview.stands_in"
REPLACED = "replaced"  # pinned to the old state while the new one is written
PREVIEW = "preview"  # a plain view, for --empty and --sample


@dataclass(frozen=True)
class PublicColumn:
    """A column of the public view, as its macro spells it."""

    quoted: str
    comment: str


@dataclass(frozen=True)
class Publication:
    """The public view as it should be; its digest stands in its properties."""

    name: Name
    view: PublicView
    definition: Definition

    @property
    def digest(self) -> str:
        columns = tuple((column.name, column.type) for column in self.view.columns)
        comments = (self.definition.comment, sorted(self.definition.column_comments.items()))
        return hashlib.sha256(repr((self.view.query, columns, comments)).encode()).hexdigest()[:32]

    @property
    def columns(self) -> tuple[PublicColumn, ...]:
        comments = self.definition.column_comments
        return tuple(PublicColumn(quoted(each.name), comments.get(each.name.lower(), "")) for each in self.view.columns)

    def statement(self, engine: Engine, stands_in: str = "") -> str:
        """The statement that creates it; one that stands in for the real one carries no digest of it, but says why."""
        properties = {PROPERTY_STANDS_IN: stands_in} if stands_in else {PROPERTY_FINGERPRINT: self.digest}
        return engine.render(
            "public_view", relation=sql_name(self.name), columns=self.columns, query=self.view.query,
            comment=self.definition.comment, properties=properties,
        )  # fmt: skip


def publish(engine: Engine, node: Node) -> int:
    """Create the public view unless it is right already; gives the number of statements run."""
    wanted = Publication(node.target.name, node.view.public(sql_name(node.target.state)), node.target.definition)
    if published_digest(engine, wanted.name) == wanted.digest:
        return 0
    return make_room(engine, wanted.name) + run(engine, wanted.statement(engine))


def pin(engine: Engine, state: State) -> int:
    """Let the public view read the state as it is now, so that its readers stay right while the state is replaced."""
    name = public_name(state.name)
    if state.definition is None or published_digest(engine, name) is None:
        return 0
    at_version = engine.render("pinned_state", state=sql_name(state.name), version=state.version)
    try:
        old = compile_view(state.definition.sql, engine.catalog()).public(at_version)
    except ModelError:
        return 0  # its sources are gone: there is no old text to keep
    return run(engine, Publication(name, old, state.definition).statement(engine, stands_in=REPLACED))


def published_digest(engine: Engine, name: Name) -> str | None:
    """The digest in the public view's properties, or what it stands in for; None if there is no public view of ours."""
    try:
        rows = engine.query(engine.render("show_properties", relation=sql_name(name)))
    except EngineError as error:
        if error.is_missing_relation:
            return None
        raise
    return next((row["value"] for row in rows if row["key"] in (PROPERTY_FINGERPRINT, PROPERTY_STANDS_IN)), None)


def make_room(engine: Engine, name: Name) -> int:
    """Drop a table that stands where the public view belongs (the model was materialized otherwise before)."""
    try:
        found = engine.catalog().relation(name, None)
    except CatalogError:
        return 0
    if isinstance(found, StoredView):
        return 0
    return run(engine, engine.render("drop_table", relation=sql_name(name)))


def run(engine: Engine, statement: str) -> int:
    """Execute a statement, and count it."""
    engine.execute(statement)
    return 1
