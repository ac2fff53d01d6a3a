"""Paper C, 5.2: up to which share of changed rows a view without groups is quicker refreshed from its changes."""

from functools import partial
from typing import Any

from benchmarks.bench import Bench
from benchmarks.break_even import crossing, next_share
from benchmarks.lake import Subject
from benchmarks.scope import Scope
from benchmarks.sections.curves import Change
from benchmarks.sections.names import DELETES, INSERTS, UPDATES
from benchmarks.text import percent
from benchmarks.views import CURVES

SECTION = "break-even"
SECONDS = 150  # per point
VIEW = Subject.of("rows of a join", "break_even", CURVES["rows of a join"], refresh_mode="incremental")


def names(scope: Scope) -> list[str]:
    return [_name(kind) for kind in (INSERTS, DELETES, UPDATES)] if scope.is_long else []


def run(bench: Bench) -> None:
    waiting = [kind for kind in (INSERTS, DELETES, UPDATES) if _name(kind) in names(bench.scope)]
    for kind in [each for each in waiting if not bench.results.has(SECTION, _name(each))]:
        bench.warehouse.insert(0.0005)
        bench.lake.refresh(VIEW)
        bench.point(SECTION, _name(kind), partial(_measured, bench, kind), _told)
        bench.lake.drop(VIEW)
        bench.warehouse.reset()


def _name(kind: str) -> str:
    return f"break-even of {kind}"


def _measured(bench: Bench, kind: str) -> dict[str, Any]:
    """Search by halves; the view never falls back to a full refresh by itself."""
    ratios, tried = dict[float, float](), list[dict[str, Any]]()
    while (share := next_share(ratios)) is not None:
        found = _compared(bench, kind, share)
        tried.append(found)
        ratios[share] = found["full"]["seconds"] / found["refresh"]["seconds"]
        bench.tell(f"  {kind} {share * 100:g} %: {ratios[share]:.2f}x")
    return {"change": kind, "share": crossing(ratios), "tried": tried}


def _compared(bench: Bench, kind: str, share: float) -> dict[str, Any]:
    if kind == DELETES:
        Change(INSERTS, share).made_in(bench.warehouse)
        bench.lake.refresh(VIEW)
    Change(kind, share).made_in(bench.warehouse)
    found = {"share": share, "refresh": bench.refresh_first(VIEW), "full": bench.refresh_first(VIEW, full=True)}
    if kind == INSERTS:
        bench.warehouse.take_back()
        bench.lake.refresh(VIEW, full=True)
    return found


def _told(found: dict[str, Any]) -> str:
    if found["share"] is None:
        return f"none between {percent(found['tried'][0]['share'])} and {percent(found['tried'][-1]['share'])}"
    return percent(found["share"])
