"""
Writes docs/tpch.md and docs/tpcds.md: how each query of the two benchmarks is maintained.

    python -m docs.maintained_queries
"""

from collections import Counter
from pathlib import Path

from dbt_lazyview.compiler import algebra
from dbt_lazyview.compiler.costs import Cost
from dbt_lazyview.compiler.view import View
from tests.property.tpc_lake import TpcLake

DOCS = Path(__file__).resolve().parent
TITLES = {"tpch": "TPC-H", "tpcds": "TPC-DS"}
# What readers call an operator, and its page.
_OPERATORS: dict[type[algebra.Node], tuple[str, str]] = {
    algebra.Aggregate: ("group by", "aggregate"),
    algebra.Filter: ("filter", "filter"),
    algebra.Generate: ("generator", "generate"),
    algebra.Join: ("join", "join"),
    algebra.OuterJoin: ("outer join", "outer_join"),
    algebra.Project: ("expressions", "project"),
    algebra.SemiJoin: ("semi join", "semi_join"),
    algebra.UnionAll: ("union all", "union_all"),
    algebra.Values: ("values", "values"),
    algebra.Window: ("window", "window"),
}
_COSTS = (Cost.LINEAR, Cost.PER_KEY, Cost.PER_PARTITION, Cost.RECOMPUTED)
_PROOFS = {
    "tpch": (
        "**Equal to recomputation**, on DuckDB after each of three rounds in which rows of every table go, come back "
        "changed\n  and come anew (`tests/property/test_tpc.py`); on Spark a sample in the tests, and all with "
        "`LAZYVIEW_ALL_TPCH=1`\n  (`tests/functional/compiler/test_tpc_on_spark.py`)."
    ),
    "tpcds": (
        "**Equal to recomputation**, on DuckDB after each of two rounds in which rows of every table go, come back "
        "changed and\n  come anew: a sample in `tests/property/test_tpc.py`, all 99 with `LAZYVIEW_TPCDS=all`; on "
        "Spark a smaller sample in\n  `tests/functional/compiler/test_tpc_on_spark.py`, and others with "
        '`LAZYVIEW_TPCDS="4 11 31"`.'
    ),
}
_PAGE = """# {title}: how each query is maintained

The {count} original texts of {title}, each as a lazy view. Written by `python -m docs.maintained_queries`; a test keeps
it current.

- **{incremental} of {count} are incremental.**{refused}
- **{confined} of {count}** compute nothing from all rows of a source again, whichever source changes;
  {kept} of them because they [keep inner groups](operators/aggregate.md#kept-for-a-view) of their own.{others}
- {proof}

The columns are the classes of cost that `explain` shows ([what they mean](operations.md#explain)), with the operators
in them ([rules](operators/README.md)): *linear* goes with the changed rows, *per key* and *per partition* with the rows
that share a key or partition with one, *recomputed* with all rows. Reading the tables, sorting and limits are left out.
*Terms*: how many addends the change of the view has if one source changes, from the source with the fewest to that with
the most.

| query | linear | per key | per partition | recomputed | terms |
|---|---|---|---|---|---|
{rows}
"""


def page(benchmark: str) -> str:
    """The page as the compiler is now."""
    lake = TpcLake(benchmark, 0)
    views = {number: lake.compiled(number) for number in lake.queries}
    refused = [number for number, view in views.items() if view.problems]
    kept = {number: view for number, view in views.items() if not view.problems}
    recomputing = [number for number, view in kept.items() if any(cost is Cost.RECOMPUTED for _, cost in view.costs)]
    rows = [_refused(number, view) if number in refused else _row(number, view) for number, view in views.items()]
    return _PAGE.format(
        title=TITLES[benchmark],
        count=len(views),
        incremental=len(kept),
        refused=f" The others: {', '.join(map(str, refused))}." if refused else "",
        confined=len(kept) - len(recomputing),
        kept=sum(bool(view.auxiliaries) for number, view in kept.items() if number not in recomputing),
        others=f"\n- For some operator of the others something is: {', '.join(map(str, recomputing))}."
        if recomputing
        else "",
        proof=_PROOFS[benchmark],
        rows="\n".join(rows),
    )


def _row(number: int, view: View) -> str:
    cells = [_operators(Counter(type(node) for node, each in view.costs if each is cost)) for cost in _COSTS]
    counts = [len(effect.terms) for effect in view.effects]
    terms = "-".join(map(str, dict.fromkeys((min(counts), max(counts)))))
    return f"| {number} | {' | '.join(cells)} | {terms} |"


def _refused(number: int, view: View) -> str:
    return f"| {number} | not incremental: {view.problems[0].what} | | | | |"


def _operators(counts: Counter[type[algebra.Node]]) -> str:
    """Names with a link to the rule, and how often each occurs."""
    known = [(*_OPERATORS[kind], times) for kind, times in counts.items() if kind in _OPERATORS]
    return ", ".join(
        f"[{name}](operators/{rule}.md)" + (f" x {times}" if times > 1 else "") for name, rule, times in sorted(known)
    )


def main() -> None:
    """Write both pages."""
    for benchmark in TITLES:
        (DOCS / f"{benchmark}.md").write_text(page(benchmark))


if __name__ == "__main__":
    main()
