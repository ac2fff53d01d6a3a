"""
Staging: what several places read is computed once (DESIGN 4, traps).

Spark writes a common table expression out at every place that reads it, so nesting multiplies. A relation that is
bounded by the changes, or is one row, is kept in a temporary view instead, where that saves more than it costs.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from dbt_lazyview.compiler.block import conjuncts
from dbt_lazyview.compiler.derivation import Derivation
from dbt_lazyview.compiler.plan import (
    CaptureDelta,
    ReadSource,
    ReadStaged,
    ReadState,
    RefreshPlan,
    RestoreSource,
    Stage,
    Step,
)

PREFIX = "lv_staged_"
# What planning and starting them takes, relative to each other; rows count where they are those of a whole table.
COST_OF_READING_STAGED = 1
COST_OF_READING = 4  # a table at a version
BYTES_READ_AT_COST = 10 * 2**20  # of a table, at a cost of 1
COST_OF_CAPTURING = 10  # the change feed: Delta plans a query of its own for every commit in it
COST_OF_STAGING = 8

Reads = dict[str, Counter[str]]  # how often each step reads others, in order


def staged(derivation: Derivation, last: str) -> tuple[tuple[Stage, ...], tuple[Step, ...]]:
    """The stages of a plan and the steps of its last statement; steps that nothing reads are gone."""
    reads = {name: _reads(step, derivation) for name, step in derivation.steps.items()}
    chosen = _chosen(derivation, reads, last) if derivation.options.stage_repeated else set()
    stages = tuple(
        Stage(PREFIX + name, _needed(name, derivation.steps, reads, chosen - {name}))
        for name in derivation.steps
        if name in chosen
    )
    return stages, _needed(last, derivation.steps, reads, chosen - {last})


def with_change_staged(plan: RefreshPlan) -> RefreshPlan:
    """The plan with the change of the view as its last stage, so that its size is known before it is folded in."""
    last = Stage(PREFIX + plan.change, plan.steps)
    return replace(plan, stages=(*plan.stages, last), steps=(ReadStaged(plan.change, last.relation),))


def _chosen(derivation: Derivation, reads: Reads, last: str) -> set[str]:
    """Take what saves most until nothing saves enough."""
    bounded = _bounded(derivation) - {last}
    chosen: set[str] = set()
    while True:
        costs = _costs(derivation, reads, chosen)
        copies = _copies(reads, chosen, last)
        candidates = [name for name in reversed(derivation.steps) if name in bounded and name not in chosen]
        saved = {name: (copies[name] - 1) * costs[name] - copies[name] * COST_OF_READING_STAGED for name in candidates}
        best = max(saved, key=lambda name: saved[name], default=None)
        if best is None or saved[best] < COST_OF_STAGING:
            return chosen
        chosen.add(best)


def _costs(derivation: Derivation, reads: Reads, chosen: set[str]) -> dict[str, int]:
    """What it takes to compute each step, with everything it reads written out but what is staged."""
    costs: dict[str, int] = {}
    for name, step in derivation.steps.items():
        inputs = sum(
            times * (COST_OF_READING if each in chosen else costs[each]) for each, times in reads[name].items()
        )
        costs[name] = inputs + _own_cost(step, derivation)
    return costs


def _own_cost(step: Step, derivation: Derivation) -> int:
    if isinstance(step, CaptureDelta):
        return COST_OF_CAPTURING
    if isinstance(step, ReadSource):
        return COST_OF_READING + derivation.windows[step.source.alias].bytes // BYTES_READ_AT_COST
    return COST_OF_READING if isinstance(step, ReadState) else 0


def _copies(reads: Reads, chosen: set[str], last: str) -> Counter[str]:
    """How often each step is written out in all statements together."""
    copies = Counter({last: 1})
    for name in reversed(reads):
        times = 1 if name in chosen else copies[name]
        for each, count in reads[name].items():
            copies[each] += times * count
    return copies


def _needed(last: str, steps: Mapping[str, Step], reads: Reads, chosen: set[str]) -> tuple[Step, ...]:
    """The steps behind one, in order; what is staged is read, not computed."""
    wanted = {last}
    for name in reversed(reads):
        if name in wanted and name not in chosen:
            wanted.update(reads[name])
    return tuple(
        ReadStaged(name, PREFIX + name) if name in chosen else step for name, step in steps.items() if name in wanted
    )


def _reads(step: Step, derivation: Derivation) -> Counter[str]:
    if isinstance(step, RestoreSource):
        return Counter([step.new, step.delta])
    tables = (table.name for query in derivation.queries.get(step.name, ()) for table in query.find_all(exp.Table))
    return Counter(name for name in tables if name in derivation.steps)


def _bounded(derivation: Derivation) -> set[str]:
    """The relations whose size goes with the changes, or that are one row."""
    found: set[str] = set()
    for name, step in derivation.steps.items():
        queries = derivation.queries.get(name, ())
        if isinstance(step, CaptureDelta) or (queries and all(_is_bounded(query, found) for query in queries)):
            found.add(name)
    return found


def _is_bounded(query: exp.Expr, bounded: set[str]) -> bool:
    if isinstance(query, exp.Subquery):
        return _is_bounded(query.this, bounded)
    if isinstance(query, exp.SetOperation):
        return _is_bounded(query.this, bounded) and _is_bounded(query.expression, bounded)
    if not isinstance(query, exp.Select):
        return False
    return _joins_bounded(query, bounded) or _is_one_row(query) or _is_restricted(query, bounded)


def _joins_bounded(select: exp.Select, bounded: set[str]) -> bool:
    first, joins = select.args.get("from_"), select.args.get("joins") or []
    inner = [join.this for join in joins if not join.side]
    outer = [join for join in joins if join.side]
    tables = [first.this, *inner] if first is not None and not any(join.side == "FULL" for join in outer) else inner
    return any(isinstance(table, exp.Table) and table.name in bounded for table in tables)


def _is_restricted(select: exp.Select, bounded: set[str]) -> bool:
    where = select.args.get("where")
    return any(
        isinstance(each, exp.Exists) and _is_bounded(each.this, bounded)
        for each in conjuncts(where.this if where is not None else None)
    )


def _is_one_row(select: exp.Select) -> bool:
    is_grouped = select.args.get("group") is not None
    return not is_grouped and any(each.find(exp.AggFunc) and not each.find(exp.Window) for each in select.selects)
