"""One refresh: load, probe, plan, commit, confirm. Kill it anywhere: the view is at the old cut or at the new one."""

from dataclasses import replace

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.attempt import Attempt, ParentReplaced
from dbt_lazyview.maintenance.carry_out import failures_told
from dbt_lazyview.maintenance.commit import LostRace
from dbt_lazyview.maintenance.cut import take_cut
from dbt_lazyview.maintenance.cut_over import AllAtOnce
from dbt_lazyview.maintenance.decide import NOOP
from dbt_lazyview.maintenance.definition import LATER, LIVE
from dbt_lazyview.maintenance.elsewhere import cut_elsewhere
from dbt_lazyview.maintenance.engine import Engine
from dbt_lazyview.maintenance.errors import lost
from dbt_lazyview.maintenance.groups import Members, gather, no_members
from dbt_lazyview.maintenance.mixing import check_mixing
from dbt_lazyview.maintenance.outcome import Outcome, combined
from dbt_lazyview.maintenance.plan import Request
from dbt_lazyview.maintenance.probes import Probes
from dbt_lazyview.maintenance.settings import read_settings
from dbt_lazyview.maintenance.state import load_state
from dbt_lazyview.maintenance.tables import Tables
from dbt_lazyview.maintenance.tree import Target, resolve
from dbt_lazyview.maintenance.until import Until, already_past, cut_until, shows_now
from dbt_lazyview.maintenance.windows import CutPassed

ATTEMPTS = 5


def refresh(
    engine: Engine,
    target: Target,
    request: Request = Request(),  # noqa: B008
    probes: Probes | None = None,
    members: Members = no_members,
) -> Outcome:
    """
    Bring a lazy view, the lazy views it reads, and the view groups of all of them to one new cut; by several cuts where
    that is too much at once.
    """
    parts = [refresh_part(engine, target, request, probes, members)]
    while parts[-1].is_part:
        parts.append(refresh_part(engine, target, request, probes, members))
    return combined(parts)


def refresh_part(engine: Engine, target: Target, request: Request, probes: Probes | None, members: Members) -> Outcome:
    """Bring a view to a cut; whoever loses a race looks again."""
    may_stop, earlier = True, dict[Name, Outcome]()
    for _ in range(ATTEMPTS):
        with failures_told(target, "look at the view and its sources"):
            attempt = begin(engine, target, probes, request, members)
            attempt = attempt.shortened(request) if may_stop else attempt
        try:
            outcome = attempt.arrive(request)
            done = earlier.get(target.state, outcome) if outcome.kind == NOOP else outcome
            return replace(done, companions=outcome.companions, is_part=attempt.is_part)
        except (LostRace, CutPassed, ParentReplaced, AllAtOnce) as problem:
            if request.until and isinstance(problem, CutPassed):
                return _rolled(attempt, request, request.until)
            may_stop = not isinstance(problem, (CutPassed, AllAtOnce))  # a parent may be past the point to stop at
            attempt.tables.probes.forget()
            earlier |= {name: each.outcome for name, each in attempt.arrived.items() if each.outcome.kind != NOOP}
    raise lost(target.name, ATTEMPTS)


def _rolled(attempt: Attempt, request: Request, until: Until) -> Outcome:
    """A view that is past a moment, rolled to it if its view delta still tells of that moment."""
    target = attempt.node.target
    if target.definition.apply != LATER or not attempt.convoy.root_moves:
        raise already_past(target.name, until)
    if target.definition.read == LIVE:
        raise shows_now(target.name)
    for _ in range(ATTEMPTS):
        try:
            with failures_told(target, "roll the view to an earlier moment"):
                return attempt.roll(request, until)
        except LostRace:
            attempt.tables.probes.forget()
    raise lost(target.name, ATTEMPTS)


def begin(
    engine: Engine,
    target: Target,
    probes: Probes | None = None,
    request: Request = Request(),  # noqa: B008
    members: Members = no_members,
    captures: bool = True,
) -> Attempt:
    """Compile the view and probe its base tables; `probes` are shared with other refreshes."""
    settings = read_settings(engine)
    tables = Tables(engine, settings.time_zone, probes or Probes())
    node = resolve(tables, target, captures)
    check_mixing(node)
    convoy = gather(tables, node, members, request.is_due, request.elsewhere)
    state = load_state(tables, target.state)
    known = state.record.cut if state.record else {}
    until, bases = request.until, convoy.bases
    cut = cut_until(tables, bases, until) if until else take_cut(tables, bases, known)
    cut = {**cut, **cut_elsewhere(tables, convoy)}
    return Attempt(tables, settings, node, convoy, cut, {target.state: state})
