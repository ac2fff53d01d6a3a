"""Refreshes that find nothing to do: one view, ten, fifty over the same tables."""

from benchmarks.bench import Bench
from dbt_lazyview.maintenance.probes import Probes
from dbt_lazyview.maintenance.refresh import Request, refresh

SECTION = "idle"
COUNTS = (1, 10, 50)
QUERY = (
    "select o_orderpriority, count(*) as orders from orders join customer on o_custkey = c_custkey "
    "where o_custkey > {number} group by o_orderpriority"
)


def run(bench: Bench, is_quick: bool) -> None:
    names = {f"idle_{number}": QUERY.format(number=number) for number in range(10 if is_quick else max(COUNTS))}
    if SECTION in bench.results.points:
        return
    for name, sql in names.items():
        bench.lake.refresh(name, sql)
    for count in [each for each in COUNTS if each <= len(names)]:
        told = bench.results.point(
            SECTION, f"{count} views", lambda count=count: _noops(bench, dict(list(names.items())[:count]))
        )
        bench.tell(f"nothing pending, {count} views: {told['seconds']:.2f} s, {told['jobs']} jobs")
    bench.drop(*names)


def _noops(bench: Bench, views: dict[str, str]) -> dict[str, float]:
    """In one invocation, as dbt does it: each table is looked at once."""

    def all_of_them() -> None:
        engine, probes = bench.lake.engine(), Probes()
        for name, sql in views.items():
            outcome = refresh(engine, bench.lake.target(name, sql), Request(), probes)
            assert outcome.kind == "noop", outcome

    all_of_them()  # warms up
    return bench.meter.cost(all_of_them)[1].as_dict()
