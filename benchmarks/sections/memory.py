"""The memory that a run had and needed: the embedded session's own default, which the page holds against its target."""

from typing import Any

from benchmarks.bench import Bench
from benchmarks.scope import Scope

SECTION = "memory"
SECONDS = 0
NAME = "driver"


def names(scope: Scope) -> list[str]:
    return []  # comes with the others


def run(bench: Bench) -> None:
    """The most of all runs that measured points of this file."""
    found = bench.meter.memory()
    known: dict[str, Any] = bench.results.points.get(SECTION, {}).get(NAME, {})
    peak = max(found["resident_peak_gib"], known.get("resident_peak_gib", 0.0))
    bench.results.replace(SECTION, NAME, {**found, "resident_peak_gib": peak})
    bench.tell(f"driver: heap of {found['heap_limit_gib']} GiB, {peak} GiB of the machine's memory at most")
