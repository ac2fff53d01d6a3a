"""`lazyview verify`."""

import random
import time
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dbt_lazyview.cli.project import Impossible, ask, words_of
from dbt_lazyview.cli.screen import Screen, harmless
from dbt_lazyview.maintenance.amounts import counted
from dbt_lazyview.maintenance.differences import VIEW, Differences, Sample
from dbt_lazyview.maintenance.durations import spoken
from dbt_lazyview.maintenance.status_report import Tone


@dataclass(frozen=True)
class Verdict:
    """One view: in which rows it differs from its query, or why that cannot be told."""

    view: str
    differences: Differences | None = None
    problem: str = ""
    is_built: bool = True
    seconds: float = 0.0

    @property
    def is_wrong(self) -> bool:
        return self.differences is not None and not self.differences.is_equal


def run(options: Namespace, screen: Screen) -> bool:
    """Show which views differ from their queries, and in which rows; whether one does."""
    seed = random.randrange(10**6) if options.seed is None else options.seed
    sample = Sample(options.sample, seed) if options.sample else None
    verdicts = ask(options, screen, lambda adapter: all_verdicts(adapter, options, sample, screen))
    if options.json:
        screen.json([document(each, sample) for each in verdicts])
    else:
        show(verdicts, screen, sample)
    is_wrong = any(each.is_wrong for each in verdicts)
    if any(each.problem for each in verdicts) and not is_wrong:
        raise Impossible(f"Not compared: {', '.join(each.view for each in verdicts if each.problem)}")
    return is_wrong


def all_verdicts(adapter: Any, options: Namespace, sample: Sample | None, screen: Screen) -> list[Verdict]:
    nodes = adapter.lazy_views_named(options.models or None)
    found = []
    for number, node in enumerate(nodes, start=1):
        screen.progress(f"{number} of {len(nodes)}: {node.schema}.{node.alias}")
        found.append(verdict(adapter, node, options, sample))
    return found


def verdict(adapter: Any, node: Any, options: Namespace, sample: Sample | None) -> Verdict:
    """Compare one view; one that is not built is passed over, unless it was named."""
    from dbt_common.exceptions import DbtRuntimeError

    from dbt_lazyview.maintenance.errors import NotBuilt

    view, started = f"{node.schema}.{node.alias}", time.monotonic()
    try:
        found = adapter.differences_of(node, max(options.rows, 1), sample)
    except DbtRuntimeError as problem:
        if isinstance(problem.__cause__, NotBuilt) and not options.models:
            return Verdict(view, is_built=False)
        return Verdict(view, problem=words_of(problem))
    return Verdict(view, found, seconds=time.monotonic() - started)


def document(verdict: Verdict, sample: Sample | None) -> dict[str, Any]:
    found = verdict.differences
    told = {"view": verdict.view, "is_built": verdict.is_built, "problem": verdict.problem or None}
    if found is None:
        return {**told, "is_equal": None}
    return {
        **told,
        "is_equal": found.is_equal,
        "only_in_view": found.only_in_view,
        "only_in_query": found.only_in_query,
        "rows": [{"only_in": side, "row": dict(zip(found.columns, row, strict=True))} for side, row in found.rows],
        "sample": {"percent": sample.percent, "seed": sample.seed} if sample and found.is_sample else None,
        "seconds": round(verdict.seconds, 3),
    }


def show(verdicts: Sequence[Verdict], screen: Screen, sample: Sample | None) -> None:
    for each in verdicts:
        if each.is_wrong or each.problem or not screen.is_quiet:
            screen.line(*told(each, sample))
        if each.differences:
            show_rows(each.differences, screen)
    if not verdicts:
        screen.line("This project has no lazy views.")


def told(verdict: Verdict, sample: Sample | None) -> tuple[str, Tone]:
    """A view in one line."""
    found = verdict.differences
    if found is None:
        if verdict.problem:
            return f"CANNOT TELL {verdict.view}: {verdict.problem}", Tone.WRONG
        return f"{verdict.view}: not built", Tone.DETAIL
    part = f" in a sample of {sample.percent:g} % (--seed {sample.seed})" if sample and found.is_sample else ""
    if found.is_equal:
        return f"{verdict.view}: equals its query{part}, {spoken(verdict.seconds)}", Tone.FRESH
    counts = f"{counted(found.only_in_view, 'row')} too many, {counted(found.only_in_query, 'row')} missing"
    return f"WRONG {verdict.view}: {counts}{part}", Tone.WRONG


def show_rows(found: Differences, screen: Screen) -> None:
    """The first rows, in columns: - what the view has and should not, + what it lacks."""
    signed = [("-" if side == VIEW else "+", *row) for side, row in found.rows]
    rows = [tuple(harmless(str(cell)) for cell in row) for row in (("", *found.columns), *signed)]
    if len(rows) == 1:
        return
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        screen.line("  " + "  ".join(map(str.ljust, row, widths)).rstrip(), Tone.DETAIL)
