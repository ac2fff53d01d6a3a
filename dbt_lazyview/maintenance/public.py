"""The public relation of a lazy view: a Spark view over its state, re-created only when it would read differently."""

import hashlib
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dbt_lazyview.compiler.catalog import CatalogError, Name, StoredView
from dbt_lazyview.compiler.plan import PublicView, StateRead
from dbt_lazyview.compiler.reasons import ModelError, Reason
from dbt_lazyview.maintenance.definition import LATER, LIVE, Definition, compiled
from dbt_lazyview.maintenance.engine import Engine, EngineError
from dbt_lazyview.maintenance.live import live_view
from dbt_lazyview.maintenance.state import State, load_state
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import Node, public_name
from dbt_lazyview.maintenance.view_delta.rows import rows_at
from dbt_lazyview.maintenance.view_delta.shown import load_shown_window, shown_text
from dbt_lazyview.names import PROPERTY_FINGERPRINT, quoted

PROPERTY_STANDS_IN = "lazyview.stands_in"
PROPERTY_SHOWN = "lazyview.shown_version"  # of the state, where the view is pinned to one
PROPERTY_SHOWN_DELTA = "lazyview.shown_delta"  # version and window of the view delta, where some of it is folded in
PROPERTY_CHECKED = "lazyview.checked_version"  # of the state, at which the view's key was found unique
PROPERTY_UNUSABLE = "lazyview.unusable"  # why
PROPERTY_MATERIALIZED = "lazyview.materialized"  # the plain text over the state, where the view has another; in chunks
CHUNK = 3500  # the metastore keeps about 4000 characters of a property
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
    plain: PublicView | None = None  # what lazy views over it read, if that is something else
    shown_version: int | None = None
    shown_delta: str = ""

    @property
    def digest(self) -> str:
        columns = tuple((column.name, column.type) for column in self.view.columns)
        comments = (self.definition.comment, sorted(self.definition.column_comments.items()))
        shown = (self.shown_delta,) if self.shown_delta else ()  # a live view may have the same text all the time
        return hashlib.sha256(repr((self.view.query, columns, comments, *shown)).encode()).hexdigest()[:32]

    @property
    def columns(self) -> tuple[PublicColumn, ...]:
        comments = self.definition.column_comments
        return tuple(PublicColumn(quoted(each.name), comments.get(each.name.lower(), "")) for each in self.view.columns)

    def statement(self, engine: Engine, stands_in: str = "") -> str:
        """The statement that creates it; one that stands in for the real one carries no digest of it, but says why."""
        properties = {PROPERTY_STANDS_IN: stands_in} if stands_in else {PROPERTY_FINGERPRINT: self.digest}
        if self.plain is not None:
            properties |= _packed(self.plain.query)
        if self.shown_version is not None:
            properties[PROPERTY_SHOWN] = str(self.shown_version)
        if self.shown_delta:
            properties[PROPERTY_SHOWN_DELTA] = self.shown_delta
        return engine.render(
            "public_view", relation=sql_name(self.name), columns=self.columns, query=self.view.query,
            comment=self.definition.comment, properties=properties,
        )  # fmt: skip


@dataclass(frozen=True)
class Published:
    """What the public view that is there says about itself."""

    digest: str | None = None  # or what it stands in for; None: there is no public view of ours
    shown_version: int | None = None
    shown_delta: str = ""
    checked_version: int | None = None
    is_unusable: bool = False


def publication(engine: Engine, node: Node, state: State) -> Publication:
    """
    The public view of a state as it should be: over the table, whatever comes into it; at one version where part of a
    view delta is folded in or left out, and in a group.
    """
    name, definition, plain = node.target.name, node.target.definition, node.view.public(sql_name(node.target.state))
    is_pinned = node.group is not None or state.unapplied is not None or state.is_past
    if definition.read != LIVE and not is_pinned:
        return Publication(name, plain, definition)
    view = _live(engine, node, state, is_pinned) or node.view.public(rows_at(engine, node.view.layout, state))
    shown = shown_text(state) if is_pinned and state.delta else ""
    return Publication(name, view, definition, plain, state.version if is_pinned else None, shown)


def _live(engine: Engine, node: Node, state: State, is_pinned: bool) -> PublicView | None:
    """The view with what is pending merged in, if it is read that way."""
    if node.target.definition.read != LIVE:
        return None
    recorded = state.record.reads if state.record else {}
    read = StateRead(sql_name(state.name), state.version if is_pinned else None, state.unapplied)
    return live_view(engine, node, recorded, read)


def is_published(engine: Engine, wanted: Publication) -> bool:
    """Whether the public view is right already."""
    return published(engine, wanted.name).digest == wanted.digest


def publish(engine: Engine, wanted: Publication) -> int:
    """Create the public view unless it is right already; gives the number of statements run."""
    return 0 if is_published(engine, wanted) else switch(engine, [wanted])


def switch(engine: Engine, wanted: Sequence[Publication]) -> int:
    """Create public views, one as fast after the other as can be; gives the number of statements run."""
    statements = [each.statement(engine) for each in wanted]
    made_room = sum(make_room(engine, each.name) for each in wanted)
    return made_room + sum(run(engine, statement) for statement in statements)


def pin(engine: Engine, state: State) -> int:
    """
    Let the public view read the state as it shows it now, so that its readers stay right while it is replaced; a live
    one is its query meanwhile.
    """
    name = public_name(state.name)
    before = published(engine, name)
    is_pinned_already = before.shown_version is not None and (before.digest == REPLACED or bool(before.shown_delta))
    if state.definition is None or before.digest is None or is_pinned_already:
        return 0
    version = state.version if before.shown_version is None else before.shown_version
    try:
        view = compiled(state.definition, name, engine.catalog())
    except ModelError:
        return 0  # its sources are gone: there is no old text to keep
    is_live = state.definition.read == LIVE
    at_version = engine.render("pinned_state", state=sql_name(state.name), version=version)
    old = PublicView(view.columns, state.definition.sql) if is_live else view.public(at_version)
    stand_in = Publication(name, old, state.definition, shown_version=before.shown_version)
    return run(engine, stand_in.statement(engine, stands_in=REPLACED))


def published(engine: Engine, name: Name) -> Published:
    """What stands in the properties of the public view."""
    found = _properties(engine, name)
    digest = found.get(PROPERTY_FINGERPRINT) or found.get(PROPERTY_STANDS_IN)
    shown, checked = _number(found.get(PROPERTY_SHOWN)), _number(found.get(PROPERTY_CHECKED))
    shown_delta, unusable = found.get(PROPERTY_SHOWN_DELTA, ""), bool(found.get(PROPERTY_UNUSABLE))
    return Published(digest, shown, shown_delta, checked, unusable)


def _properties(engine: Engine, name: Name) -> Mapping[str, str]:
    """The properties of a relation; none if there is no such relation."""
    if engine.shortcuts and (found := engine.shortcuts.properties(name)) is not None:
        return found
    try:
        rows = engine.query(engine.render("show_properties", relation=sql_name(name)))
    except EngineError as error:
        if error.is_missing_relation:
            return {}
        raise
    return {row["key"]: row["value"] for row in rows}


def note_key(engine: Engine, name: Name, version: int, is_unique: bool) -> int:
    """Let the public view say what was found out about its key at a version of the state."""
    checked, unusable = (str(version), "") if is_unique else ("", Reason.KEY_VIOLATED.word)
    properties = {PROPERTY_CHECKED: checked, PROPERTY_UNUSABLE: unusable}
    return run(engine, engine.render("set_view_properties", relation=sql_name(name), properties=properties))


def _number(text: str | None) -> int | None:
    return int(text) if text else None


def load_shown_state(tables: Tables, name: Name) -> State:
    """A state as its public view shows it: at the versions that one of a group, or with a view delta, is pinned to."""
    state = load_state(tables, name)
    if state.definition is None or (state.definition.view_group is None and state.definition.apply != LATER):
        return state
    found = published(tables.engine, public_name(name))
    if found.shown_delta:
        return load_shown_window(tables, state, found.shown_version, found.shown_delta)
    if found.shown_version is None:
        state = load_state(tables, name)  # again: what came in between is shown
    shown, state = found.shown_version, replace(state.own, delta=state.delta)  # what waits beside it is not shown
    return state if shown is None or shown == state.version else load_state(tables, name, at=shown)


def materialized_text(properties: str) -> str | None:
    """
    The plain text in the properties that DESCRIBE tells; None if the view's own text is the plain one.

    Example:
        >>> told = ", ".join(f"{key}={value}" for key, value in _packed("SELECT 1").items())
        >>> materialized_text(f"[{told}]")
        'SELECT 1'
    """
    chunks = {int(number): chunk for number, chunk in _MATERIALIZED.findall(properties)}
    if not chunks:
        return None
    return zlib.decompress(bytes.fromhex("".join(chunks[number] for number in sorted(chunks)))).decode()


_MATERIALIZED = re.compile(re.escape(PROPERTY_MATERIALIZED) + r"\.(\d+)=([0-9a-f]+)")


def _packed(text: str) -> Mapping[str, str]:
    """A text as properties; in hexadecimal, where Spark finds nothing that looks like a secret to hide."""
    packed = zlib.compress(text.encode(), 9).hex()
    chunks = [packed[start : start + CHUNK] for start in range(0, len(packed), CHUNK)]
    return {f"{PROPERTY_MATERIALIZED}.{number}": chunk for number, chunk in enumerate(chunks)}


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
