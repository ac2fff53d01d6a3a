"""
Full and incremental refreshes of the same changes, side by side, in one warm process.

    python -m benchmarks [--sf 1] [--sections curves papers] [--anew] [--long]
"""

import argparse
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.results import Results
from benchmarks.sections import curves, idle, papers, tpch22

ROOT = Path(__file__).resolve().parent.parent
SECTIONS = {"papers": papers.run, "idle": idle.run, "curves": curves.run, "tpch": tpch22.run}


def main() -> None:
    arguments = _arguments()
    results = Results(ROOT / "docs" / "benchmarks" / f"sf{arguments.sf:g}.json", arguments.anew)
    bench = Bench(arguments.sf, arguments.folder, results)
    for name in arguments.sections:
        SECTIONS[name](bench, not arguments.long)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sf", type=float, default=1, help="scale factor of TPC-H")
    parser.add_argument("--sections", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--folder", type=Path, default=ROOT / ".bench", help="where tables are kept")
    parser.add_argument("--anew", action="store_true", help="forget what was measured before")
    parser.add_argument("--long", action="store_true", help="all points of all curves")
    return parser.parse_args()


if __name__ == "__main__":
    main()
