"""Idle time: what waits in a view delta is applied; what the view shows, and claims, stays the same."""

import time
from dataclasses import replace

from dbt_lazyview.maintenance.carry_out import failures_told
from dbt_lazyview.maintenance.commit import LostRace, races_noticed
from dbt_lazyview.maintenance.decide import NOOP
from dbt_lazyview.maintenance.engine import Engine
from dbt_lazyview.maintenance.errors import lost
from dbt_lazyview.maintenance.housekeeping import keep_house
from dbt_lazyview.maintenance.outcome import Outcome
from dbt_lazyview.maintenance.policies import IDLE
from dbt_lazyview.maintenance.probes import Probes
from dbt_lazyview.maintenance.public import load_shown_state
from dbt_lazyview.maintenance.settings import read_settings
from dbt_lazyview.maintenance.state import State, load_own_state
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import Node, Target, resolve
from dbt_lazyview.maintenance.view_delta.settle import with_applied, with_windows_applied
from dbt_lazyview.maintenance.view_delta.switch import show

ATTEMPTS = 5


def apply_waiting(engine: Engine, target: Target, probes: Probes | None = None) -> Outcome:
    """Apply the windows that a view shows, and no others: one that shows an earlier moment goes on showing it."""
    tables = Tables(engine, read_settings(engine).time_zone, probes or Probes())
    node = resolve(tables, target, captures=False)
    for _ in range(ATTEMPTS):
        try:
            with failures_told(target, "apply the view delta"), races_noticed():
                return _applied(tables, node)
        except LostRace:
            tables.probes.forget()
    raise lost(target.name, ATTEMPTS)


def _applied(tables: Tables, node: Node) -> Outcome:
    started, target = time.time(), node.target
    shown, nothing = load_shown_state(tables, target.state), Outcome(sql_name(target.name), NOOP, seconds=0.0)
    is_ours = shown.record is not None and shown.record.fingerprint == node.view.fingerprint
    if shown.distrust or not is_ours or shown.unapplied is None:
        return nothing
    stored, applied = with_windows_applied(tables, node, shown, IDLE)
    if applied is None:
        return nothing  # a point between two windows stays in the view delta
    chores = keep_house(tables, target, shown.version, applied.version)
    statements = show(tables, [(node, _as_it_is(tables, stored))])
    outcome = replace(nothing, statements=statements, policy=target.definition.policy, chores=chores)
    return replace(with_applied(outcome, applied), seconds=time.time() - started)


def _as_it_is(tables: Tables, stored: State) -> State:
    """The state at its newest version, which has the same rows; unless somebody was faster."""
    own = load_own_state(tables, stored.name)
    if own.record != stored.own.record:
        raise LostRace
    return replace(stored, newest=own.newest)
