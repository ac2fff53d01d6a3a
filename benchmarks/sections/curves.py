"""Full time over incremental time, by the share of orders that came, changed or went."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks.bench import Bench, compared
from benchmarks.lake import Subject
from benchmarks.reading import full_seconds
from benchmarks.scope import Scope
from benchmarks.sections.names import DELETES, INSERTS, MAIN_VIEW, STAR, UPDATES
from benchmarks.tpch import Warehouse
from benchmarks.views import subjects

SECTION = "curves"
SECONDS = 7  # per point, at scale factor 1
SHARES = (0.0001, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5)
WHOLE = "join and aggregate"
MAIN = ("aggregate of a table", WHOLE, MAIN_VIEW, STAR)
AT_LARGE = (MAIN_VIEW, STAR)
QUICK_REST = ("rows of a join",)
REPEATS = {0.001: 3}  # in a long run; the others come once
# Shares of a quick run, which time each comes, and whether a full refresh is measured after it, too.
SMALL_SHARES = ((0.01, 1, True), (0.001, 1, False), (0.001, 2, False), (0.001, 3, True))
LARGE_SHARES = ((0.05, 1, False), (0.1, 1, True))
OF_THE_REST = ((0.01, 1, True),)
AT_LARGE_SHARES = ((0.001, 1, False), (0.01, 1, True))
WARM_UP = 0.0005  # comes and goes before anything is measured


@dataclass(frozen=True)
class Change:
    """A share of the orders, with their lines, of a kind; several times, where that is cheap."""

    kind: str
    share: float
    time: int = 1
    has_full: bool = True  # a full refresh of each view is measured after it, too

    def made_in(self, warehouse: Warehouse) -> None:
        changes: dict[str, Callable[[], Any]] = {
            INSERTS: partial(warehouse.insert, self.share),
            DELETES: warehouse.take_back,
            UPDATES: partial(warehouse.update, self.share),
        }
        changes[self.kind]()

    def point(self, view: str) -> str:
        again = f", {self.time}." if self.time > 1 else ""
        return f"{view}, {self.kind} {self.share * 100:g} %{again}"


@dataclass(frozen=True)
class Group:
    """Views that are measured after the same changes."""

    views: tuple[Subject, ...]
    rounds: tuple[tuple[Change, ...], ...]  # what comes in a round goes in it again
    warm_ups: int = 1

    @property
    def points(self) -> list[str]:
        return [change.point(view.title) for changes in self.rounds for change in changes for view in self.views]


def names(scope: Scope) -> list[str]:
    return [name for group in groups(scope) for name in group.points]


def run(bench: Bench) -> None:
    for group in groups(bench.scope):
        views = [each for each in group.views if _waits(bench, each, group.rounds)]
        if views:
            rounds = [each for each in group.rounds if any(_waits(bench, view, [each]) for view in views)]
            _measure(bench, views, rounds, group.warm_ups)


def groups(scope: Scope) -> list[Group]:
    """A quick run draws one whole curve, and has some points of the others."""
    views = [each for each in subjects() if scope.has(each.title)]
    if scope.is_long:
        return [Group(tuple(views), tuple(_all_rounds()))]
    if scope.is_large:
        return [Group(_titled(views, AT_LARGE), _rounds(AT_LARGE_SHARES))]
    rest = [each.title for each in views if each.title not in MAIN and (scope.views or each.title in QUICK_REST)]
    return [
        Group(_titled(views, MAIN), _rounds(SMALL_SHARES), warm_ups=2),
        Group(_titled(views, (WHOLE,)), _rounds(LARGE_SHARES)),
        Group(_titled(views, rest), _rounds(OF_THE_REST)),
    ]


def _titled(views: Iterable[Subject], titles: Iterable[str]) -> tuple[Subject, ...]:
    wanted = set(titles)
    return tuple(each for each in views if each.title in wanted)


def _rounds(shares: Iterable[tuple[float, int, bool]]) -> tuple[tuple[Change, ...], ...]:
    """Orders come, and go again; full refreshes are measured after they came."""
    return tuple(
        (Change(INSERTS, share, time, has_full), Change(DELETES, share, time, has_full=False))
        for share, time, has_full in shares
    )


def _all_rounds() -> list[tuple[Change, ...]]:
    """A small share several times; the full refresh once."""
    times = [(share, time) for share in SHARES for time in range(1, 1 + REPEATS.get(share, 1))]
    pairs = [tuple(Change(kind, share, time, time == 1) for kind in (INSERTS, DELETES)) for share, time in times]
    return [*pairs, *((Change(UPDATES, share),) for share in SHARES)]


def _waits(bench: Bench, view: Subject, rounds: Iterable[tuple[Change, ...]]) -> bool:
    points = [change.point(view.title) for changes in rounds for change in changes]
    return not all(bench.results.has(SECTION, each) for each in points)


def _measure(bench: Bench, views: list[Subject], rounds: list[tuple[Change, ...]], warm_ups: int) -> None:
    """After each change every view is refreshed, measured or not, so that the next change finds it up to date."""
    warehouse = bench.warehouse
    for view in views:
        bench.tell(f"{view.title}: built in {bench.refresh(view)['seconds']:.1f} s")
    for change in (Change(INSERTS, WARM_UP), Change(DELETES, WARM_UP)) * warm_ups:
        change.made_in(warehouse)
        for view in views:
            bench.lake.refresh(view)
    for change in [change for changes in rounds for change in changes]:
        change.made_in(warehouse)
        for view in views:
            _point(bench, view, change)
    bench.lake.drop(*views)
    warehouse.reset()


def _point(bench: Bench, view: Subject, change: Change) -> None:
    found: dict[str, Any] = {"view": view.title, "change": change.kind, "share": change.share}
    found["refresh"] = bench.refresh_first(view)
    name = change.point(view.title)
    if bench.results.has(SECTION, name):
        return
    if change.has_full:
        found["full"] = bench.refresh_first(view, full=True)
    known = {**bench.results.points.get(SECTION, {}), name: found}
    bench.point(SECTION, name, partial(dict, found), lambda _: compared(found["refresh"], full_seconds(known, found)))
