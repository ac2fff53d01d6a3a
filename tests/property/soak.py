"""
Many random cases, from any seed on: `make soak`; or a seed again: `python -m tests.property.soak --seed 1000571`.

Goes on after a failure; each one is shrunk and saved as a regression. Ends with an error if there was any.
"""

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from time import monotonic

from tests.property.exploration import Explored, explore
from tests.property.findings import saved_finding

SEEDS_PER_BLOCK = 100


@dataclass
class Progress:
    """What was explored so far."""

    wanted: int
    pairs: int = 0
    moved: int = 0
    failures: int = 0
    started: float = field(default_factory=monotonic)

    def add(self, found: Explored, report: str) -> None:
        self.pairs, self.moved = self.pairs + found.pairs, self.moved + found.moved
        if report:
            self.failures += 1
            print(report, flush=True)

    def line(self, next_seed: int) -> str:
        speed = self.pairs / (monotonic() - self.started)
        share = self.moved / self.pairs if self.pairs else 0
        return (
            f"{self.pairs:,} of {self.wanted:,} pairs, {share:.1%} changed the view, {self.failures} failures, "
            f"{speed:.0f} pairs/s; go on with FIRST_SEED={next_seed}"
        )


def soak(pairs: int, first_seed: int, workers: int) -> Progress:
    progress = Progress(pairs)
    with ProcessPoolExecutor(workers) as pool:
        for block in _blocks(first_seed):
            for found, report in pool.map(_explored, block):
                progress.add(found, report)
            print(progress.line(block.stop), flush=True)
            if progress.pairs >= pairs:
                break
    return progress


def _blocks(first_seed: int) -> Iterator[range]:
    return (range(start, start + SEEDS_PER_BLOCK) for start in count(first_seed, SEEDS_PER_BLOCK))


def _explored(seed: int) -> tuple[Explored, str]:
    found = explore(seed)
    return found, saved_finding(found) if found.failure else ""


def again(seed: int) -> int:
    """Show one seed."""
    found, report = _explored(seed)
    print(found.case.sql)
    print(report or f"right through {found.pairs} batches, {found.moved} of which changed the view")
    return 1 if report else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--first-seed", type=int, default=1_000_000, help="those below are in `make check`")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, help="only this one")
    arguments = parser.parse_args()
    if arguments.seed is not None:
        return again(arguments.seed)
    return 1 if soak(arguments.pairs, arguments.first_seed, arguments.workers).failures else 0


if __name__ == "__main__":
    sys.exit(main())
