"""
Writes the table and plots of docs/simulation.md: `python -m benchmarks.simulation`, the same figures each time.
"""

import argparse
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from benchmarks.plots import Bars, Line, bar_plot, line_plot
from benchmarks.simulation.policies import POLICIES, Told, one_update_and_a_query, simulate
from benchmarks.simulation.workload import Workload

DOCS = Path(__file__).parents[2] / "docs"
SIZES = (10, 100, 1000, 10_000)
RATES = (30, 60, 120, 240, 480, 960)  # writes per hour
DELAYS = (10.0, 25.0, 50.0)
MAINTENANCE = 40.0  # seconds, so that the delays of the paper lie before its end and after it


def project(views: int) -> Workload:
    """A project of so many views, a tenth as many tables (at most 500), one view in ten with a goal (at most 100)."""
    return Workload(views=views, tables=min(max(views // 10, 3), 500), goals=min(max(views // 10, 1), 100))


def figure_7() -> dict[str, dict[str, float]]:
    """Bars: an update, then a query."""
    asked = [("eager", "eager", 0.0), *((f"lazy, {delay:.0f} s", "lazy with manager", delay) for delay in DELAYS)]
    found = {name: one_update_and_a_query(policy, delay, MAINTENANCE) for name, policy, delay in asked}
    return {name: {"update": update, "query": query} for name, (update, query) in found.items()}


def by_size() -> dict[str, dict[int, Told]]:
    return {policy: {views: simulate(policy, project(views)) for views in SIZES} for policy in POLICIES}


def by_rate() -> dict[str, dict[int, Told]]:
    base = project(100)
    return {
        policy: {rate: simulate(policy, replace(base, writes_per_hour=float(rate))) for rate in RATES}
        for policy in POLICIES
    }


def table(found: dict[str, dict[int, Told]]) -> str:
    """One line for each size and policy."""
    lines = [
        "| views | policy | update, mean | 95 % | query, mean | 95 % | did not see changes of | "
        "refreshes | slots busy | goals met | unanswered |",
        "|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for views in SIZES:
        lines += [_line(views, policy, told[views]) for policy, told in found.items()]
    return "\n".join(lines)


def _line(views: int, policy: str, told: Told) -> str:
    workload = project(views)
    met = [age <= workload.goal for age in told.behind]
    cells = [
        f"{views:,}", policy, *_times(told.updates), *_times(told.queries),
        _minutes(told.ages), f"{told.refreshes:,}",
        f"{told.work / (workload.slots * workload.seconds):.0%}", f"{fmean(met):.0%}" if met else "–",
        f"{told.unfinished:,}",
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _times(seconds: Sequence[float]) -> tuple[str, str]:
    if not seconds:
        return "–", "–"
    return f"{fmean(seconds):.1f} s", f"{sorted(seconds)[int(len(seconds) * 0.95)]:.1f} s"


def _minutes(ages: Sequence[float]) -> str:
    return f"{fmean(ages) / 60:.0f} min" if ages else "0"


def fill_in(path: Path, **texts: str) -> None:
    """Put texts where the page has places for them."""
    page = path.read_text()
    for name, text in texts.items():
        place = rf"(<!-- {name} -->\n).*?(<!-- end -->)"
        page = re.sub(
            place, lambda found, text=text: f"{found.group(1)}{text}\n{found.group(2)}", page, flags=re.DOTALL
        )
    path.write_text(page)


def response_plot(name: str, what: str, sizes: dict[str, dict[int, Told]]) -> str:
    """Mean response times by the number of views."""
    lines = []
    for policy, told in sizes.items():
        known = {views: getattr(each, name) for views, each in told.items()}
        lines.append(Line(policy, tuple((views, fmean(times)) for views, times in known.items() if times)))
    return line_plot(f"Response time of {what}, mean", "views", lines, y_unit=" s")


def work_plot(rates: dict[str, dict[int, Told]]) -> str:
    """How many slots maintenance takes, by the number of writes."""
    hours = project(100).seconds
    lines = [
        Line(policy, tuple((rate, each.maintenance / hours) for rate, each in told.items()))
        for policy, told in rates.items()
    ]
    return line_plot("Slots that maintenance of 100 views takes", "writes per hour", lines)


def figure_7_plot() -> str:
    bars = [Bars(name, (parts["update"], parts["query"])) for name, parts in figure_7().items()]
    return bar_plot("Response times of an update, and of a query after it", ("update", "query"), bars, unit=" s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", type=Path, default=DOCS)
    folder = parser.parse_args().docs
    sizes = by_size()
    (folder / "simulation-figure-7.svg").write_text(figure_7_plot())
    (folder / "simulation-updates.svg").write_text(response_plot("updates", "an update", sizes))
    (folder / "simulation-queries.svg").write_text(response_plot("queries", "a query", sizes))
    (folder / "simulation-work.svg").write_text(work_plot(by_rate()))
    fill_in(folder / "simulation.md", sizes=table(sizes))
    print(table(sizes))


if __name__ == "__main__":
    main()
