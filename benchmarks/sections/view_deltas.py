"""View deltas against merges: the same windows propagated and merged, read, rolled to a moment, applied at once."""

import time
from datetime import datetime, timezone
from functools import partial
from statistics import median
from typing import Any

from benchmarks.bench import Bench
from benchmarks.lake import Subject
from benchmarks.scope import Scope
from dbt_lazyview.maintenance.policies import OPERATION
from dbt_lazyview.maintenance.until import Until

SECTION = "view-deltas"
SECONDS = 240  # per point
COUNTS, COUNTS_LONG = (20,), (20, 100)  # windows
WARM_UP = 1
ROWS = 100  # of each window: lines of orders all over the table
QUERY = "select l_orderkey, count(*) as lines, sum(l_extendedprice) as price from delta_lines group by l_orderkey"
MERGED = Subject.of("merged", "lines_merged", QUERY, refresh_mode="incremental")
PROPAGATED = Subject("propagated", {"lines_propagated": QUERY}, "incremental", {"apply": "later", "apply_share": 1e9})
WRITE = (
    "insert into delta_lines select l_orderkey, 900 + {turn} as l_linenumber, l_extendedprice from delta_lines "
    "where l_linenumber = 1 and pmod(xxhash64(l_orderkey, {turn}), {every}) = 0"
)


def names(scope: Scope) -> list[str]:
    return [] if scope.is_large else [_name(count) for count in _counts(scope)]


def run(bench: Bench) -> None:
    if all(bench.results.has(SECTION, each) for each in names(bench.scope)):
        return
    bench.prepare()
    for count in _counts(bench.scope):
        bench.point(SECTION, _name(count), partial(_begun, bench, count), _told)


def _counts(scope: Scope) -> tuple[int, ...]:
    return COUNTS_LONG if scope.is_long else COUNTS


def _name(count: int) -> str:
    return f"{count} windows of about {ROWS} rows"


def _begun(bench: Bench, windows: int) -> dict[str, Any]:
    """Both views from the same rows, measured and dropped again."""
    copied = "select l_orderkey, l_linenumber, l_extendedprice from lineitem"
    bench.lake.run(f"create or replace table delta_lines using delta as {copied}")
    bench.lake.refresh(MERGED, PROPAGATED)
    found = _measured(bench, windows)
    bench.lake.drop(MERGED, PROPAGATED)
    bench.lake.run("drop table delta_lines")
    return found


def _measured(bench: Bench, windows: int) -> dict[str, Any]:
    """Every window is merged into one view and propagated to the other, in turns; then what can be done with them."""
    groups = bench.lake.run("select count(*) from lines_merged")[0][0]
    spent: dict[str, list[float]] = {"merged": [], "propagated": []}
    ends = []
    for turn in range(WARM_UP + windows):
        bench.lake.run(WRITE.format(turn=turn, every=max(groups // ROWS, 1)))
        ends.append(round(time.time() * 1000))
        for subject in (MERGED, PROPAGATED):
            found = bench.refresh(subject)
            assert found["kind"] == "incremental", found
            spent[subject.title].append(found["seconds"])
    return {"windows": windows, "groups": groups, **_sums(spent), **_uses(bench, ends[len(ends) // 2])}


def _sums(spent: dict[str, list[float]]) -> dict[str, Any]:
    counted = {name: taken[WARM_UP:] for name, taken in spent.items()}
    return {name: {"all": round(sum(taken), 3), "each": round(median(taken), 3)} for name, taken in counted.items()}


def _uses(bench: Bench, moment: int) -> dict[str, float]:
    """What waits is read, rolled to a moment in the middle and back, and applied at once; and is right then."""
    reads = {f"read_{name}": _read(bench, f"lines_{name}") for name in ("merged", "propagated")}
    told = datetime.fromtimestamp(moment / 1000, timezone.utc).isoformat()
    rolled = _seconds(bench, until=Until(told, moment=moment))
    back = _seconds(bench)
    applied = _seconds(bench, trigger=OPERATION)
    pairs = (("lines_merged", "lines_propagated"), ("lines_propagated", "lines_merged"))
    for one, other in pairs:
        wrong = bench.lake.run(f"select count(*) from (select * from {one} except all select * from {other})")
        assert wrong == [(0,)], (one, other)
    return {**reads, "rolled": rolled, "back": back, "applied": applied}


def _seconds(bench: Bench, **asked: Any) -> float:
    return bench.meter.seconds(lambda: bench.lake.refresh(PROPAGATED, **asked))


def _read(bench: Bench, view: str) -> float:
    """All rows, twice: the second time counts."""
    statement = f"select count(*), sum(price) from {view}"
    bench.lake.run(statement)
    return bench.meter.seconds(lambda: bench.lake.run(statement))


def _told(found: dict[str, Any]) -> str:
    each = f"{found['merged']['each']:.2f} s merged, {found['propagated']['each']:.2f} s propagated"
    return f"{each}; {found['merged']['all']:.1f} s for all, {found['applied']:.1f} s at once"
