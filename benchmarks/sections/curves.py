"""Full time over incremental time, by the share of orders that came, changed or went."""

from collections.abc import Callable
from typing import Any

from benchmarks.bench import Bench
from benchmarks.views import CURVES

SECTION = "curves"
SHARES = (0.0001, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5)
FEW_SHARES = (0.001, 0.01, 0.1)  # of updates and deletes, and of all but the first views in a quick run


def run(bench: Bench, is_quick: bool) -> None:
    for number, (view, sql) in enumerate(CURVES.items()):
        name = f"curve_{number}"
        points = list(_points(bench, FEW_SHARES if is_quick and number > 2 else SHARES))
        if all(f"{view}, {kind} {share:.2%}" in bench.results.points.get(SECTION, {}) for kind, share, _ in points):
            continue
        bench.build(name, sql)
        bench.both(name, sql, lambda: bench.warehouse.update(0.0005))  # warms up
        for kind, share, change in points:
            _measure(bench, view, name, sql, f"{kind} {share:.2%}", change)
        bench.drop(name)


def _points(bench: Bench, shares: tuple[float, ...]) -> Any:
    """Inserted orders go again at once, so that the tables stay what they are."""
    for share in shares:
        yield "inserts", share, lambda share=share: bench.warehouse.insert(share)
        yield "deletes", share, lambda: bench.warehouse.take_back()
    for share in FEW_SHARES:
        yield "updates", share, lambda share=share: bench.warehouse.update(share)


def _measure(bench: Bench, view: str, name: str, sql: str, point: str, change: Callable[[], Any]) -> None:
    found = bench.results.point(SECTION, f"{view}, {point}", lambda: bench.both(name, sql, change))
    bench.tell(
        f"{view}, {point}: {found['ratio']:.1f}x ({found['incremental']['seconds']:.1f} s, "
        f"{found['incremental']['jobs']} jobs, against {found['full']['seconds']:.1f} s; {found['kind']})"
    )
