"""Full time over incremental time, by the share of orders that came, changed or went."""

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.bench import Bench
from benchmarks.views import CURVES

SECTION = "curves"
Change = tuple[str, float, Callable[[], Any]]  # of a kind, of a share of the orders
SHARES = (0.0001, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5)
FEW_SHARES = (0.001, 0.01, 0.1)  # of updates and deletes, and of all but the first views in a quick run


def run(bench: Bench, is_quick: bool) -> None:
    for number, (view, sql) in enumerate(CURVES.items()):
        name, known = f"curve_{number}", bench.results.points.setdefault(SECTION, {})
        rounds = _rounds(bench, FEW_SHARES if is_quick and number > 2 else SHARES)
        waiting = [each for each in rounds if not all(_point(view, *told) in known for *told, _ in each)]
        if not waiting:
            continue
        bench.build(name, sql)
        bench.both(name, sql, lambda: bench.warehouse.update(0.0005))  # warms up
        for kind, share, change in [each for changes in waiting for each in changes]:
            known.pop(_point(view, kind, share), None)  # of a round that was cut off
            _measure(bench, _point(view, kind, share), name, sql, change)
        bench.drop(name)


def _rounds(bench: Bench, shares: tuple[float, ...]) -> list[list[Change]]:
    """Inserted orders go again in the same round, so that the tables stay what they are."""
    warehouse = bench.warehouse
    both = [
        [("inserts", each, partial(warehouse.insert, each)), ("deletes", each, warehouse.take_back)] for each in shares
    ]
    return [*both, *([("updates", each, partial(warehouse.update, each))] for each in FEW_SHARES)]


def _point(view: str, kind: str, share: float) -> str:
    return f"{view}, {kind} {share:.2%}"


def _measure(bench: Bench, point: str, name: str, sql: str, change: Callable[[], Any]) -> None:
    found = bench.results.point(SECTION, point, lambda: bench.both(name, sql, change))
    bench.tell(
        f"{point}: {found['ratio']:.1f}x ({found['incremental']['seconds']:.1f} s, "
        f"{found['incremental']['jobs']} jobs, against {found['full']['seconds']:.1f} s; {found['kind']})"
    )
