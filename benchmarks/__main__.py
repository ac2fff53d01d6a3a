"""
Full and incremental refreshes of the same changes, side by side, in one warm process; then the page about them.

    python -m benchmarks                          # scale factor 1, a quarter of an hour
    python -m benchmarks --long                   # all points of all curves
    python -m benchmarks --sf 10                  # large tables: what is measured there is less
    python -m benchmarks --sections curves --views V1 star --anew
"""

import argparse
from pathlib import Path

from benchmarks import page
from benchmarks.results import Results
from benchmarks.run import OF_DBT, OF_LATER, SECTIONS, defaults, run
from benchmarks.scope import Scope

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    arguments = _arguments()
    scope = Scope(arguments.sf, arguments.long, tuple(arguments.views))
    results = Results(arguments.results / f"sf{arguments.sf:g}.json", arguments.sf)
    if arguments.anew:
        results.forget({each: SECTIONS[each].names(scope) for each in arguments.sections})
    try:
        run(scope, arguments.sections, arguments.folder, results)
    finally:
        page.write(arguments.results)
    print(f"\n{page.summary(arguments.results)}\n{arguments.results / page.NAME}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sf", type=float, default=1, help="scale factor of TPC-H")
    names = (
        f"{', '.join(SECTIONS)}; without the option all but {' and '.join(OF_DBT)}, "
        f"and {' and '.join(OF_LATER)} only with --long"
    )
    parser.add_argument("--sections", nargs="+", choices=SECTIONS, metavar="NAME", help=names)
    parser.add_argument("--views", nargs="+", default=[], help="of curves, only those with such a word in their title")
    parser.add_argument("--long", action="store_true", help="all points of all curves")
    parser.add_argument("--anew", action="store_true", help="forget what this run measures, and measure it again")
    parser.add_argument("--folder", type=Path, default=ROOT / ".bench", help="where tables are kept")
    parser.add_argument("--results", type=Path, default=page.FOLDER, help="where points and the page are written")
    arguments = parser.parse_args()
    arguments.sections = arguments.sections or defaults(arguments.long)
    return arguments


if __name__ == "__main__":
    main()
