"""Live reads: the public view with what is pending merged in when it is read, as long as Delta lets it be read."""

import time
from collections.abc import Mapping

from dbt_lazyview.compiler.plan import PublicView, StateRead, Window
from dbt_lazyview.maintenance.engine import Engine
from dbt_lazyview.maintenance.record import Position
from dbt_lazyview.maintenance.retention import files_kept_seconds
from dbt_lazyview.maintenance.tables import Detail, sql_name
from dbt_lazyview.maintenance.tree import Node

LONGEST_TEXT = 30_000  # of a view, in characters: Hive's metastore on Derby keeps not much more


def live_view(engine: Engine, node: Node, recorded: Mapping[str, Position], read: StateRead) -> PublicView:
    """
    Stored rows and, beside them, what may have changed since the recorded versions; the query itself where changes do
    not tell that, where it reads lazy views (which show what they show), or where a feed may not be readable for long.
    """
    positions = {name: recorded.get(sql_name(name)) for name in node.details}
    now = time.time()
    are_readable = all(_stays_readable(node.details[name], at, now) for name, at in positions.items())
    if node.parents or node.view.unversioned or not are_readable:
        return the_query(node)
    windows = {
        name: Window(at.version, at.version, changed=True, location=node.details[name].location, is_open=True)
        for name, at in positions.items()
        if at is not None
    }
    live = node.view.live(windows, read)
    if live is None:
        return the_query(node)
    steps, query = live
    text = engine.render("steps_as_query", steps=steps, query=query)
    return PublicView(node.view.columns, text) if len(text) <= LONGEST_TEXT else the_query(node)


def the_query(node: Node) -> PublicView:
    return PublicView(node.view.columns, node.target.definition.sql)


def _stays_readable(detail: Detail, at: Position | None, now: float) -> bool:
    """
    Whether the feed can be read from a version on for as long again: Delta refuses to begin with one that is older than
    it keeps files, once a newer one is there. A copy is never as new as its source.
    """
    if at is None or not at.feed or detail.is_copy:
        return False
    return now - at.timestamp / 1000 < files_kept_seconds(detail.properties) / 2
