"""Prune: windows that no view, copy or export goes on from are deleted; nothing else is (B 4.8, assumption 4)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.commit import commit
from dbt_lazyview.maintenance.engine import during
from dbt_lazyview.maintenance.public import load_shown_state, published
from dbt_lazyview.maintenance.registered import followers_of
from dbt_lazyview.maintenance.state import State, load_state
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import Node, public_name
from dbt_lazyview.maintenance.view_delta.followers import Need, needs_of
from dbt_lazyview.maintenance.view_delta.switch import pin_again
from dbt_lazyview.maintenance.view_delta.windows import PRUNE, carried_on


@dataclass(frozen=True)
class Pruned:
    """What went, and who needs the rest."""

    rows: int
    needs: Sequence[Need] = ()

    @property
    def line(self) -> str:
        """
        For people.

        Example:
            >>> Pruned(12, [Need("`x`.`books`", "e", 3)]).line
            'prune: 12 rows; the rest is needed by `x`.`books`'
        """
        least = min((need.window for need in self.needs), default=0)
        who = ", ".join(need.who for need in self.needs if need.window == least)
        return f"prune: {self.rows} rows" + (f"; the rest is needed by {who}" if who else "")


def prune(tables: Tables, node: Node) -> Pruned:
    """Delete what nobody needs; the public view is pinned to the new version, if it is pinned."""
    state = load_state(tables, node.target.state)
    if state.delta is None or state.delta.newest is None or state.delta.record is None or state.distrust:
        return Pruned(0)
    shown = load_shown_state(tables, state.name)
    needs = [each for each in needs_of(tables, state) if each.epoch in (state.epoch, shown.epoch)]
    kept = kept_windows(needs)
    arguments = {"kept": kept, "points": points_shown(tables, state)}
    delta = sql_name(state.delta.name)
    rows = int(tables.engine.query(tables.engine.render("count_prunable", delta=delta, **arguments))[0]["rows"])
    if not rows:
        return Pruned(0, needs)
    with during("prune the view delta"):
        statement = tables.engine.render("prune_view_delta", delta=delta, **arguments)
        record = carried_on(state, PRUNE)
        pruned = kept[state.epoch] if record.epoch == state.epoch else record.pruned
        written = commit(tables, state.delta, statement, replace(record, pruned=pruned))
    pin_again(tables, node, shown, written)
    return Pruned(rows, needs)


def kept_windows(needs: Sequence[Need]) -> dict[str, int]:
    """
    Of each epoch the window that the first one goes on from. There may be two: a state was computed anew, and the view
    still shows the one before.

    Example:
        >>> kept_windows([Need("state", "new", 0), Need("copy", "new", 7), Need("view", "old", 3)])
        {'new': 0, 'old': 3}
    """
    epochs = dict.fromkeys(each.epoch for each in needs)
    return {epoch: min(each.window for each in needs if each.epoch == epoch) for epoch in epochs}


def points_shown(tables: Tables, state: State) -> list[str]:
    """The points that the view or a copy of it shows."""
    properties = state.delta.detail.properties if state.delta and state.delta.detail else {}
    names: list[Name] = [state.name, *followers_of(properties.items())]
    found = [published(tables.engine, public_name(name)).shown_delta for name in names]
    return sorted({text.split(":")[2] for text in found if text and text.split(":")[2]})
