"""Prune: windows that no view, copy or export goes on from are deleted; nothing else is (B 4.8, assumption 4)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.carry_out import show_view
from dbt_lazyview.maintenance.commit import commit
from dbt_lazyview.maintenance.engine import during
from dbt_lazyview.maintenance.public import folded_publication, load_shown_state, published
from dbt_lazyview.maintenance.state import State, load_state
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import Node, public_name
from dbt_lazyview.maintenance.view_delta.compress import no_delta
from dbt_lazyview.maintenance.view_delta.followers import Need, followers_of, needs_of
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
        raise no_delta(node)
    needs = [each for each in needs_of(tables, state) if each.epoch == state.epoch]
    after = min((each.window for each in needs), default=0)
    arguments = {"epoch": state.epoch, "after": after, "points": points_shown(tables, state)}
    delta = sql_name(state.delta.name)
    rows = int(tables.engine.query(tables.engine.render("count_prunable", delta=delta, **arguments))[0]["rows"])
    if not rows:
        return Pruned(0, needs)
    shown = load_shown_state(tables, state.name)
    with during("prune the view delta"):
        statement = tables.engine.render("prune_view_delta", delta=delta, **arguments)
        record = carried_on(state, PRUNE)
        pruned = after if record.epoch == state.epoch else record.pruned
        written = commit(tables, state.delta, statement, replace(record, pruned=pruned))
    if shown.unapplied is not None and shown.version == state.version and shown.delta is not None:
        again = replace(shown, delta=replace(shown.delta, newest=written))
        show_view(tables, folded_publication(tables.engine, node, again))
    return Pruned(rows, needs)


def points_shown(tables: Tables, state: State) -> list[str]:
    """The points that the view or a copy of it shows."""
    properties = state.delta.detail.properties if state.delta and state.delta.detail else {}
    names: list[Name] = [state.name, *followers_of(properties.items())]
    found = [published(tables.engine, public_name(name)).shown_delta for name in names]
    return sorted({text.split(":")[2] for text in found if text and text.split(":")[2]})
