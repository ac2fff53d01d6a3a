"""All queries of TPC-H after refresh sets: orders and their lines that come, and others that go."""

from collections.abc import Iterator
from statistics import geometric_mean

from benchmarks.bench import Bench, point
from benchmarks.tpch import queries

SECTION = "tpch"


def run(bench: Bench, is_quick: bool) -> None:
    shares = (0.01,) if is_quick else (0.001, 0.01)
    waiting = list(_waiting(bench, shares))
    if not waiting:
        return
    texts = {number: queries()[number] for number in dict.fromkeys(number for number, _ in waiting)}
    for number, sql in texts.items():
        bench.build(f"tpch_{number}", sql)
        bench.tell(f"TPC-H {number}: built")
    for share in shares:
        bench.warehouse.refresh_set(share)
        for number in [each for each, wanted in waiting if wanted == share]:
            found = bench.results.point(
                SECTION, _name(number, share), lambda number=number: _both(bench, number, texts)
            )
            bench.tell(f"{_name(number, share)}: {found['ratio']:.1f}x ({found['incremental']['seconds']:.1f} s)")
    ratios = [each["ratio"] for each in bench.results.points[SECTION].values()]
    bench.tell(f"TPC-H, geometric mean: {geometric_mean(ratios):.1f}x")
    bench.drop(*(f"tpch_{number}" for number in texts))


def _waiting(bench: Bench, shares: tuple[float, ...]) -> Iterator[tuple[int, float]]:
    known = bench.results.points.get(SECTION, {})
    yield from ((number, share) for share in shares for number in queries() if _name(number, share) not in known)


def _both(bench: Bench, number: int, texts: dict[int, str]) -> dict[str, object]:
    name, sql = f"tpch_{number}", texts[number]
    outcome, incremental = bench.incremental(name, sql)
    _, full = bench.full(name, sql)
    return point(outcome, incremental, full)


def _name(number: int, share: float) -> str:
    return f"query {number}, {share:.2%}"
