"""The switch: public views show what was committed, those of a group all at once."""

from collections.abc import Sequence
from dataclasses import replace

from dbt_lazyview.maintenance.commit import LostRace
from dbt_lazyview.maintenance.history import Commit
from dbt_lazyview.maintenance.public import is_published, publication, published, switch
from dbt_lazyview.maintenance.state import State
from dbt_lazyview.maintenance.tables import Tables
from dbt_lazyview.maintenance.tree import Node
from dbt_lazyview.maintenance.view_delta.shown import shown_text


def show(tables: Tables, views: Sequence[tuple[Node, State]]) -> int:
    """
    Let public views show states and what waits beside them; gives the number of statements run. Two refreshers may
    switch at the same time, each to the versions it knows: whoever finds that there are newer ones, before or after,
    looks again.
    """
    wanted = [publication(tables.engine, node, state) for node, state in views]
    stale = [each for each in wanted if not is_published(tables.engine, each)]
    if not stale:
        return 0
    _check_newest(tables, views)
    statements = switch(tables.engine, stale)
    for each in stale:
        tables.probes.forget_relation(each.name)
    _check_newest(tables, views)
    return statements


def _check_newest(tables: Tables, views: Sequence[tuple[Node, State]]) -> None:
    for node, state in views:
        is_pinned = node.group is not None or state.delta is not None
        if is_pinned and not state.is_past and not all(_is_newest(tables, each) for each in (state, state.delta)):
            raise LostRace


def _is_newest(tables: Tables, table: State | None) -> bool:
    if table is None or table.newest is None:
        return True  # there was no view delta: whoever creates one will look
    detail = tables.detail(table.name)
    return detail is not None and detail.modified == table.newest.timestamp


def pin_again(tables: Tables, node: Node, shown: State, written: Commit) -> None:
    """
    Pin a public view to a version of its view delta in which what it shows is the same: the one before is not kept for
    long. Somebody who let it show something else meanwhile has seen to that already.
    """
    if shown.unapplied is None or shown.delta is None:
        return
    now = published(tables.engine, node.target.name)
    if (now.shown_version, now.shown_delta) == (shown.version, shown_text(shown)):
        again = replace(shown, delta=replace(shown.delta, newest=written))
        switch(tables.engine, [publication(tables.engine, node, again)])
        tables.probes.forget_relation(node.target.name)
