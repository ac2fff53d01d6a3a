"""What the windows of a view delta did to the rows of the view itself, in the words of Delta's change data feed."""

from collections.abc import Mapping
from dataclasses import replace

from dbt_lazyview.compiler.plan import Unapplied
from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.errors import RefreshError
from dbt_lazyview.maintenance.state import State
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import Node
from dbt_lazyview.maintenance.view_delta.consistent import recorded_versions
from dbt_lazyview.maintenance.view_delta.rows import rows_at
from dbt_lazyview.names import quoted

CARRIED = ("lv_at", "lv_weight")


def changes_query(tables: Tables, node: Node, before: State, upto: int, where: str = "") -> str:
    """The changes of all windows from the end of one, at which `before` is, to the end of another."""
    public = node.view.public_changes("lv_sides", CARRIED)
    assert before.record is not None
    assert before.delta is not None
    if public is None:
        raise _limited(node)
    windows = Unapplied(sql_name(before.delta.name), before.delta.version, before.epoch, before.record.window, upto)
    return tables.engine.render(
        "changes_of_view", before=rows_at(tables.engine, node.view.layout, before), columns=node.view.layout.columns,
        unapplied=windows, public=public, names=names_of(node), pairs=pairs_of(node), where=where,
    )  # fmt: skip


def names_of(node: Node) -> list[str]:
    """The columns of the view, quoted."""
    return [quoted(column.name) for column in node.view.columns]


def pairs_of(node: Node) -> list[str]:
    """The columns by which a row before and a row after are the same row: the declared key, or that of the groups."""
    declared = node.target.definition.unique_key
    if declared:
        return [quoted(each) for each in declared]
    return [quoted(column.name) for column in node.view.keys] if node.view.shows_all_keys else []


def state_at(tables: Tables, state: State, window: int) -> State | None:
    """
    A state and its view delta at the end of a window: the newest version of the table that does not hold more, and the
    windows after it. None where no such version can be read any more.
    """
    for commit, record in recorded_versions(tables, state):
        if (record.epoch or record.token) == state.epoch and state.pruned <= record.window <= window:
            own = replace(state.own, newest=commit, record=record, recorded=commit)
            return replace(own, base=own, delta=state.delta, record=replace(record, window=window, epoch=state.epoch))
    return None


def literals(tables: Tables, node: Node, group: Mapping[str, object]) -> str:
    """A condition on columns of the view, null-safe."""
    known = {column.name.lower(): column for column in node.view.columns}
    if unknown := [each for each in group if each.lower() not in known]:
        what = f"{sql_name(node.target.name)} has no column {', '.join(unknown)}."
        raise RefreshError(Reason.INVALID_CONFIG, what, f"It has {', '.join(known)}: name some of these.")
    return tables.engine.render("same_values", values={quoted(known[each.lower()].name): group[each] for each in group})


def _limited(node: Node) -> RefreshError:
    return RefreshError(
        Reason.UNSUPPORTED,
        f"The changes of {sql_name(node.target.name)} cannot be told row by row: it has a LIMIT.\n"
        "  Whether a row is in the view depends on others that did not change.",
        "Leave out the LIMIT, and let readers apply it.",
    )
