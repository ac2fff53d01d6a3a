"""Apply: fold windows of a view delta into the state, in one commit; what the view shows stays the same (B 4.8)."""

import time
import uuid
from dataclasses import replace

from dbt_lazyview.compiler.plan import Unapplied
from dbt_lazyview.maintenance.commit import commit
from dbt_lazyview.maintenance.cut_over import learned
from dbt_lazyview.maintenance.decide import choose_strategy
from dbt_lazyview.maintenance.definition import LATER
from dbt_lazyview.maintenance.engine import during
from dbt_lazyview.maintenance.history import Commit
from dbt_lazyview.maintenance.live import LONGEST_TEXT
from dbt_lazyview.maintenance.policies import OPERATION
from dbt_lazyview.maintenance.record import Record
from dbt_lazyview.maintenance.settings import WHOLE_TABLE, having_set
from dbt_lazyview.maintenance.state import State
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import Node
from dbt_lazyview.maintenance.view_delta.rows import rows_at

APPLY = "apply"
FEW_WAITING = 10_000  # rows that readers fold in without noticing, however small the state is


def is_due(tables: Tables, node: Node, state: State, trigger: str, is_needed: bool = False) -> bool:
    """
    Whether what waits is applied now: somebody asked for a refresh by name or needs stored rows, the model wants no
    view delta any more, or too much waits.
    """
    if state.unapplied is None:
        return False
    is_wanted = is_needed or trigger == OPERATION or node.target.definition.apply != LATER
    return is_wanted or _is_much(tables, node, state) or _is_too_long(tables, node, state)


def _is_too_long(tables: Tables, node: Node, state: State) -> bool:
    """Whether the metastore could not keep the text of a public view that folds in what waits."""
    return len(node.view.public(rows_at(tables.engine, node.view.layout, state)).query) > LONGEST_TEXT


def _is_much(tables: Tables, node: Node, state: State) -> bool:
    if state.waiting <= FEW_WAITING:
        return False
    relation = tables.engine.render("pinned_state", state=sql_name(state.name), version=state.version)
    stored = int(tables.engine.query(tables.engine.render("count_rows", relation=relation))[0]["rows"])
    return state.waiting > stored * node.target.definition.apply_share


def apply(tables: Tables, node: Node, state: State, upto: Record, trigger: str) -> Commit:
    """Apply all windows up to that of a record."""
    unapplied = state.unapplied
    assert unapplied is not None
    assert state.detail is not None
    layout = node.view.layout
    strategy = choose_strategy(state.detail.size, node.target.definition.is_parent) if layout.keys else "overwrite"
    record = apply_record(state, upto, strategy, trigger)
    statement = tables.engine.render(
        "apply_view_delta", state=sql_name(state.name), version=state.version, layout=layout,
        unapplied=through(unapplied, upto.window), strategy=strategy,
    )  # fmt: skip
    settings = WHOLE_TABLE if state.detail.partitions != "[]" else {}
    with during("apply the view delta"), having_set(tables.engine, settings):
        return commit(tables, state.own, statement, record)


def through(unapplied: Unapplied, window: int) -> Unapplied:
    """Part of what is not applied: up to a window."""
    return replace(unapplied, upto=window, point="")


def apply_record(state: State, upto: Record, strategy: str, trigger: str) -> Record:
    """The state stands for what the window stands for, and says that its rows are in."""
    ended = state.recorded.timestamp if state.recorded else 0
    experience = learned(state.record, ended)
    return replace(
        upto, task=state.own.next_task, token=uuid.uuid4().hex, kind=APPLY, onto=state.version, reason="",
        strategy=strategy, changes=0, trigger=trigger, started=round(time.time() * 1000), experience=experience,
        estimate=None, epoch=state.epoch, window=upto.window, waiting=0,
    )  # fmt: skip
