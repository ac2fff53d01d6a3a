"""
What a view stores: the root's groups as partials, any other result as its distinct rows with a count.

Final expressions, HAVING, ORDER BY and LIMIT at the root are left to the public view (public_view.py).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.algebra import Aggregate, Filter, Limit, Node, Project, Sort, Window, walk
from dbt_lazyview.compiler.derivation import text
from dbt_lazyview.compiler.partials import Fold, Partial, Partials, raise_overflow, typed_arguments
from dbt_lazyview.compiler.plan import StateColumn, StateLayout
from dbt_lazyview.compiler.stability import Stability, TypesOf, summed
from dbt_lazyview.compiler.types import Question, TypeReader
from dbt_lazyview.names import COUNT


@dataclass(frozen=True)
class State:
    """The stored part of a view: an aggregate, its partials, and what the public view does on top."""

    aggregate: Aggregate
    partials: Partials
    finished: dict[str, exp.Expr]  # aggregate column -> expression over stored columns
    on_top: tuple[Node, ...]  # from the stored node upwards
    is_bag: bool  # rows with a count, not groups
    stability: Stability
    steady_keys: tuple[str, ...]  # keys that come out the same when computed again
    touching: Node | None = None  # where rows are volatile: a tree that gives at least all rows that may have changed

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.aggregate.keys)

    def key_of(self, column: str) -> str | None:
        """The key of what is stored that a column of the whole query is, passed on as it is."""
        for node in reversed(self.on_top):
            if isinstance(node, Project):
                passed = dict(node.outputs)[column]
                if not isinstance(passed, exp.Column):
                    return None
                column = passed.name
        return column if column in self.keys else None

    def key_behind(self, column: str) -> exp.Expr | None:
        """The key that a column of the whole query is, as an expression over the rows that are grouped."""
        key = self.key_of(column)
        return dict(self.aggregate.keys).get(key) if key is not None else None

    @cached_property
    def layout(self) -> StateLayout:
        stored = [_count_column(), *(_partial_column(each) for each in self.partials.stored.values())]
        keys = [StateColumn(name, is_key=True) for name in self.keys]
        return StateLayout((*keys, *stored), is_global=self.aggregate.is_global)


def stored_state(root: Node, types: TypeReader, exact: bool) -> State:
    """Decide what to store for a query."""
    types.ask(_questions(root))
    stability = Stability(types.types_of)
    stored, on_top = split_root(root)
    if isinstance(stored, Aggregate) and _has_steady_keys(stored, stability):
        aggregate, is_bag = stored, False
    else:
        stored, on_top = split_rows(root)
        aggregate, is_bag = _counted(stored), True
    partials, finished = partials_of(aggregate, types, exact)
    volatile = stability.volatile(aggregate.input)
    is_volatile = bool(volatile) or stability.has_volatile_rows(aggregate.input)
    is_entangled = stability.has_entangled_rows(aggregate.input)
    steady = tuple(
        name for name, each in aggregate.keys if not (is_entangled or stability.uses_volatile(aggregate, each))
    )
    touching = stability.loosened(aggregate.input) if is_volatile else None
    return State(aggregate, partials, finished, on_top, is_bag, stability, steady, touching)


def partials_of(aggregate: Aggregate, types: TypeReader, exact: bool) -> tuple[Partials, dict[str, exp.Expr]]:
    """What would be stored of groups, and the expressions that finish it."""
    partials = Partials(_argument_types(aggregate, types.types_of), exact)
    return partials, {name: partials.finish(call) for name, call in aggregate.aggregates}


def _questions(root: Node) -> Iterator[Question]:
    """All types that will be needed."""
    for node in walk(root):
        if isinstance(node, (Aggregate, Window)):
            more = _typed(node) if isinstance(node, Aggregate) else []
            yield node.input, [*summed(node), *more]


def _typed(aggregate: Aggregate) -> list[exp.Expr]:
    calls = [each for _, call in aggregate.aggregates for each in call.find_all(exp.AggFunc)]
    return [argument for call in calls for argument in typed_arguments(call)]


def _argument_types(aggregate: Aggregate, types_of: TypesOf) -> Callable[[exp.Expr], str]:
    """The types of what is summed."""
    arguments = _typed(aggregate)
    types = dict(zip(arguments, types_of(aggregate.input, arguments), strict=True)) if arguments else {}
    return lambda argument: types.get(argument) or types.get(_unfiltered(argument), "")


def _has_steady_keys(aggregate: Aggregate, stability: Stability) -> bool:
    """Whether groups can be found again by their keys; if not, they are kept as the rows they result in."""
    if aggregate.is_global:
        return True
    is_entangled = stability.has_entangled_rows(aggregate.input)
    return not (is_entangled or any(stability.uses_volatile(aggregate, each) for _, each in aggregate.keys))


def split_root(root: Node) -> tuple[Node, tuple[Node, ...]]:
    """The node to store, and the operators above it from the bottom up."""
    chain, node = _chain(root)
    if isinstance(node, Aggregate) and _fits_public_view(chain):
        return node, tuple(reversed(chain))
    return split_rows(root)


def split_rows(root: Node) -> tuple[Node, tuple[Node, ...]]:
    """The rows to store, and what comes above them where there is an ORDER BY or LIMIT to leave to the reader."""
    chain, node = _chain(root)
    last = max((i for i, each in enumerate(chain) if isinstance(each, (Sort, Limit))), default=-1)
    top = chain[: last + 1]
    if not _fits_public_view(top):
        return root, ()
    return (chain[last + 1] if last + 1 < len(chain) else node) if top else root, tuple(reversed(top))


def _chain(root: Node) -> tuple[list[Node], Node]:
    """The operators that a public view may apply, from the top, and the node below them."""
    chain: list[Node] = []
    node = root
    while isinstance(node, (Project, Filter, Sort, Limit)):
        chain.append(node)
        node = node.input
    return chain, node


def _fits_public_view(chain: list[Node]) -> bool:
    """From the top: projections, at most one limit, at most one sort, then filters and projections: one SELECT."""
    stage = 0
    for node in chain:
        wanted = {Limit: 1, Sort: 2, Filter: 3}.get(type(node), stage)
        if wanted < stage or (wanted == stage and isinstance(node, (Limit, Sort))):
            return False
        stage = wanted
    return True


def _counted(node: Node) -> Aggregate:
    return Aggregate(node, keys=tuple((name, sql.column(name)) for name in node.columns), aggregates=())


def _count_column() -> StateColumn:
    total = exp.Add(this=sql.column(COUNT, "t"), expression=_or_zero(sql.column(COUNT, "d")))
    return StateColumn(COUNT, False, text(total), text(exp.Sum(this=sql.column(COUNT))))


def _partial_column(partial: Partial) -> StateColumn:
    if partial.fold is None:
        return StateColumn(partial.name, False)
    merged, combined = _merged(partial), _combined(partial)
    if partial.type:
        merged, combined = sql.cast(merged, partial.type), sql.cast(combined, partial.type)
    return StateColumn(partial.name, False, text(merged), text(combined))


def _combined(partial: Partial) -> exp.Expr:
    """All stored partials and changes of a group."""
    assert partial.fold is not None
    combined = partial.fold.over(sql.column(partial.name))
    if not partial.counted_by:
        return combined
    overflown = exp.Count(this=sql.case_when(_is_overflown(partial), exp.Literal.number(1)))
    is_lost = exp.GT(this=overflown, expression=exp.Literal.number(0))
    is_touched = exp.GT(this=exp.Count(this=exp.Star()), expression=exp.Literal.number(1))
    return sql.case_when(exp.and_(is_lost, is_touched), raise_overflow(), combined)


def _merged(partial: Partial) -> exp.Expr:
    """A stored partial and its change."""
    stored, change = sql.column(partial.name, "t"), sql.column(partial.name, "d")
    if partial.fold in (Fold.LEAST, Fold.GREATEST):
        kind = exp.Least if partial.fold is Fold.LEAST else exp.Greatest
        return kind(this=stored, expressions=[change], ignore_nulls=True)
    operator = exp.BitwiseXor if partial.fold is Fold.PARITY else exp.Add
    both = operator(this=stored.copy(), expression=change.copy())
    merged = exp.Coalesce(this=both, expressions=[stored, change])
    if not partial.counted_by:
        return merged
    is_lost = exp.and_(sql.is_null(both), *(exp.Not(this=sql.is_null(each)) for each in (stored, change)))
    return sql.case_when(exp.or_(_is_overflown(partial, "t"), is_lost), raise_overflow(), merged)


def _is_overflown(partial: Partial, table: str | None = None) -> exp.Expr:
    """Whether a stored sum of some values is NULL."""
    counted = exp.NEQ(this=sql.column(partial.counted_by, table), expression=exp.Literal.number(0))
    return exp.and_(counted, sql.is_null(sql.column(partial.name, table)))


def _or_zero(expression: exp.Expr) -> exp.Expr:
    return exp.Coalesce(this=expression, expressions=[exp.Literal.number(0)])


def _unfiltered(argument: exp.Expr) -> exp.Expr:
    """The x in CASE WHEN p THEN x END, which is how FILTER was folded in."""
    if isinstance(argument, exp.Case) and argument.args.get("default") is None and len(argument.args["ifs"]) == 1:
        found = argument.args["ifs"][0].args["true"]
        assert isinstance(found, exp.Expr)
        return found
    return argument
