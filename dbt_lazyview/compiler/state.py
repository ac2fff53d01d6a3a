"""
What a view stores and how a window is folded into it.

The root's groups are stored as partials; any other result as its distinct rows with a count. Final expressions, HAVING,
ORDER BY and LIMIT at the root are left to the public view.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlglot import exp

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.algebra import Aggregate, Filter, Limit, Node, Project, Sort
from dbt_lazyview.compiler.block import Block
from dbt_lazyview.compiler.catalog import Column
from dbt_lazyview.compiler.derivation import Derivation, by_position, matches_some, repeated, text
from dbt_lazyview.compiler.operators.aggregate import restricted
from dbt_lazyview.compiler.partials import Additive, Partial, Partials
from dbt_lazyview.compiler.plan import RefreshPlan, StateColumn, StateLayout, StateRead
from dbt_lazyview.compiler.stability import Stability, TypesOf
from dbt_lazyview.names import COUNT, WEIGHT


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

    @property
    def layout(self) -> StateLayout:
        stored = [_count_column(), *(_partial_column(each) for each in self.partials.stored.values())]
        keys = [StateColumn(name, is_key=True) for name in self.keys]
        return StateLayout((*keys, *stored), is_global=self.aggregate.is_global)


def stored_state(root: Node, types_of: TypesOf) -> State:
    """Decide what to store for a query; `types_of` tells the types of expressions over a node."""
    stability = Stability(types_of)
    stored, on_top = split_root(root)
    if isinstance(stored, Aggregate) and any(stability.uses_volatile(stored, each) for _, each in stored.keys):
        stored, on_top = root, ()  # groups without a steady key are kept as the rows they result in
    is_bag = not isinstance(stored, Aggregate)
    aggregate = stored if isinstance(stored, Aggregate) else _counted(stored)
    partials = Partials(_argument_types(aggregate, types_of))
    finished = {name: partials.finish(call) for name, call in aggregate.aggregates}
    volatile = stability.volatile(aggregate.input)
    is_volatile = bool(volatile) or stability.has_volatile_rows(aggregate.input)
    steady = tuple(name for name, each in aggregate.keys if not stability.uses_volatile(aggregate, each))
    touching = stability.loosened(aggregate.input) if is_volatile else None
    return State(aggregate, partials, finished, on_top, is_bag, stability, steady, touching)


def _argument_types(aggregate: Aggregate, types_of: TypesOf) -> Callable[[exp.Expr], str]:
    """The types of what is summed, asked once for the whole aggregate."""
    arguments = [each.this for _, call in aggregate.aggregates for each in call.find_all(exp.Sum, exp.Avg)]
    arguments = [each for each in arguments if not isinstance(each, exp.Distinct)]
    types = dict(zip(arguments, types_of(aggregate.input, arguments), strict=True)) if arguments else {}
    return lambda argument: types.get(argument) or types.get(_unfiltered(argument), "")


def build_query(state: State, derivation: Derivation) -> str:
    """The rows of the state, from all rows of the sources."""
    rows = derivation.single(derivation.new(state.aggregate.input), state.aggregate.input.columns, "input")
    return text(_grouped(state, rows))


def refresh_plan(state: State, derivation: Derivation, read: StateRead) -> RefreshPlan:
    """Fold the delta into the state: by adding where that is exact, else by replacing the affected groups or rows."""
    if state.touching is not None:
        change, mode = _computed_again(state, derivation, read)
    else:
        change, mode = _folded(state, derivation)
    return RefreshPlan(tuple(derivation.steps.values()), change, mode, state.layout, tuple(derivation.rules_used))


def _folded(state: State, derivation: Derivation) -> tuple[str, str]:
    aggregate, partials = state.aggregate, state.partials
    outputs = (*aggregate.keys, *partials.arguments)
    delta = tuple(block.project(outputs) for block in derivation.delta(aggregate.input))
    total = derivation.read_sum(delta, [name for name, _ in outputs], "view_delta")
    insert_only = derivation.insert_only(aggregate.input)
    if all(_is_additive(each, insert_only) for each in partials.stored.values()):
        return _added(state, total, derivation), "add"
    return _replaced(state, total, derivation), "replace"


def _computed_again(state: State, derivation: Derivation, read: StateRead) -> tuple[str, str]:
    """Rows with volatile values: those with an affected steady key are computed again, and the stored ones go."""
    assert state.touching is not None
    steady = [(name, each) for name, each in state.aggregate.keys if name in state.steady_keys]
    touched = tuple(block.project(steady) for block in derivation.delta(state.touching))
    if not state.is_bag:
        return _replaced(state, derivation.read_sum(touched, state.keys, "view_delta"), derivation), "replace"
    rows = derivation.new(state.aggregate.input)
    kept = sql.read(derivation.state(read, state.layout), "stored", [(each, each) for each in (*state.keys, COUNT)])
    if steady:
        total = derivation.read_sum(touched, state.steady_keys, "view_delta")
        affected = derivation.derive(total.query(weight=False).distinct(copy=False), "affected")
        rows = tuple(matches_some(block, [(each, name) for name, each in steady], affected) for block in rows)
        kept = matches_some(kept, [(sql.column(name), name) for name in state.steady_keys], affected)
    fresh = _grouped(state, derivation.single(rows, state.aggregate.input.columns, "input_new"))
    return _difference(state, fresh, kept, derivation), "add"


def _difference(state: State, fresh: exp.Select, kept: Block, derivation: Derivation) -> str:
    """Fresh rows minus stored ones; stored values are read, not computed, so equal ones cancel."""
    gone = replace(kept, columns={**kept.columns, COUNT: exp.Neg(this=kept.columns[COUNT])})
    both = derivation.derive(exp.union(fresh, gone.query(weight=False), distinct=False), "fresh_and_stored")
    query = by_position(
        sql.read(both, both, [(each, each) for each in state.keys]).query(weight=False), len(state.keys)
    )
    total = exp.Sum(this=sql.column(COUNT, both))
    query = query.select(exp.alias_(total, sql.identifier(COUNT)), copy=False)
    query = query.having(exp.NEQ(this=total.copy(), expression=exp.Literal.number(0)), copy=False)
    return derivation.derive(query, "view_change")


def public_query(state: State, relation: exp.Table, outputs: tuple[tuple[Column, str], ...]) -> str:
    """The user's columns, finished, over the state."""
    alias = "s"
    keys = {name: sql.column(name, alias) for name in state.keys}
    stored = {name: sql.column(name, alias) for name in (COUNT, *state.partials.stored)}
    values = {name: sql.substitute(each, stored) for name, each in state.finished.items()}
    block = Block((), {**keys, **values})
    if state.is_bag:
        block = repeated(block, sql.column(COUNT, alias))
    query_parts = _on_top(state, block)
    query = _finished_select(query_parts.block, outputs)
    query = query.from_(exp.Table(this=relation, alias=exp.TableAlias(this=sql.identifier(alias))), copy=False)
    return text(_with_order(query, query_parts))


@dataclass(frozen=True)
class _OnTop:
    block: Block
    order: tuple[exp.Expr, ...] = ()
    limit: exp.Expr | None = None
    offset: exp.Expr | None = None


def _on_top(state: State, block: Block) -> _OnTop:
    result = _OnTop(block)
    for node in state.on_top:
        if isinstance(node, Filter):
            result = replace(result, block=result.block.filter(node.predicate))
        elif isinstance(node, Project):
            result = replace(result, block=result.block.project(node.outputs))
        elif isinstance(node, Sort):
            result = replace(result, order=tuple(sql.substitute(each, result.block.columns) for each in node.order))
        elif isinstance(node, Limit):
            result = replace(result, limit=node.count, offset=node.offset)
    return result


def _finished_select(block: Block, outputs: tuple[tuple[Column, str], ...]) -> exp.Select:
    select = replace(block, columns={}, items=()).query(weight=False)
    for public, own in outputs:
        select = select.select(
            exp.alias_(_typed(block.expression(own), public.type), sql.identifier(public.name)), copy=False
        )
    return select


def _typed(expression: exp.Expr, kind: str) -> exp.Expr:
    """Finished values get the type that the query's own column has."""
    names_fields = "struct" in kind  # identifiers were lowered, names of fields with them
    if not kind or (isinstance(expression, exp.Column) and not names_fields):
        return expression
    return exp.cast(expression, exp.DataType.build(kind, dialect="spark"))


def _with_order(query: exp.Select, parts: _OnTop) -> exp.Select:
    if parts.order:
        query = query.order_by(*parts.order, copy=False)
    if parts.limit is not None:
        query = query.limit(parts.limit.copy(), copy=False)
    if parts.offset is not None:
        query = query.offset(parts.offset.copy(), copy=False)
    return query


def split_root(root: Node) -> tuple[Node, tuple[Node, ...]]:
    """The node to store, and the operators above it from the bottom up."""
    chain: list[Node] = []
    node = root
    while isinstance(node, (Project, Filter, Sort, Limit)):
        chain.append(node)
        node = node.input
    if isinstance(node, Aggregate) and _fits_public_view(chain):
        return node, tuple(reversed(chain))
    last = max((i for i, each in enumerate(chain) if isinstance(each, (Sort, Limit))), default=-1)
    top = chain[: last + 1]
    if not _fits_public_view(top):
        return root, ()
    return (chain[last + 1] if last + 1 < len(chain) else node) if top else root, tuple(reversed(top))


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


def _grouped(state: State, rows: Block) -> exp.Select:
    """Keys, count and partials over plain rows."""
    outputs = (*state.aggregate.keys, *state.partials.arguments)
    named = rows.project(outputs)
    query = replace(named, columns={key: named.columns[key] for key in state.keys}).query(weight=False)
    query = query.select(exp.alias_(exp.Count(this=exp.Star()), sql.identifier(COUNT)), copy=False)
    for partial in state.partials.stored.values():
        value = sql.substitute(partial.build, named.columns)
        query = query.select(exp.alias_(value, sql.identifier(partial.name)), copy=False)
    return by_position(query, len(state.keys)) if state.keys else query


def _added(state: State, total: Block, derivation: Derivation) -> str:
    """Differences per key; keys whose differences are all zero are left out."""
    query = replace(total, columns={key: total.columns[key] for key in state.keys}).query(weight=False)
    columns = {**total.columns, WEIGHT: sql.weight_of(total)}
    changes: list[exp.Expr] = [exp.Sum(this=sql.weight_of(total))]
    query = query.select(exp.alias_(changes[0].copy(), sql.identifier(COUNT)), copy=False)
    for partial in state.partials.stored.values():
        assert partial.change is not None
        value = sql.substitute(partial.change, columns)
        changes.append(value)
        typed = exp.cast(value.copy(), partial.type) if partial.type else value.copy()
        query = query.select(exp.alias_(typed, sql.identifier(partial.name)), copy=False)
    if state.keys:
        query = by_position(query, len(state.keys))
    if all(partial.fold is exp.Sum for partial in state.partials.stored.values()):
        zero = exp.Literal.number(0)
        moved = [exp.NEQ(this=sql.as_factor(each), expression=zero.copy()) for each in changes]
        query = query.having(exp.or_(*moved, copy=False), copy=False)
    return derivation.derive(query, "view_change")


def _replaced(state: State, total: Block, derivation: Derivation) -> str:
    """The affected groups computed anew, with count 0 where a group is gone."""
    if not state.keys:
        rows = derivation.single(derivation.new(state.aggregate.input), state.aggregate.input.columns, "input_new")
        return derivation.derive(_grouped(state, rows), "view_change")
    keys = replace(total, columns={key: total.columns[key] for key in state.keys})
    affected = derivation.derive(keys.query(weight=False).distinct(copy=False), "affected")
    rest = restricted(state.aggregate, derivation.new(state.aggregate.input), affected)
    rows = derivation.single(rest, state.aggregate.input.columns, "input_new")
    groups = derivation.derive(_grouped(state, rows), "groups_new")
    return derivation.derive(_all_affected(state, affected, groups), "view_change")


def _all_affected(state: State, affected: str, groups: str) -> exp.Select:
    select = exp.Select()
    for key in state.keys:
        select = select.select(exp.alias_(sql.column(key, "k"), sql.identifier(key)), copy=False)
    count = exp.Coalesce(this=sql.column(COUNT, "g"), expressions=[exp.Literal.number(0)])
    select = select.select(exp.alias_(count, sql.identifier(COUNT)), copy=False)
    for name in state.partials.stored:
        select = select.select(exp.alias_(sql.column(name, "g"), sql.identifier(name)), copy=False)
    on = [exp.NullSafeEQ(this=sql.column(key, "g"), expression=sql.column(key, "k")) for key in state.keys]
    select = select.from_(_named(affected, "k"), copy=False)
    return select.join(_named(groups, "g"), on=exp.and_(*on), join_type="left", copy=False)


def _named(relation: str, alias: str) -> exp.Table:
    return exp.Table(this=sql.identifier(relation), alias=exp.TableAlias(this=sql.identifier(alias)))


def _is_additive(partial: Partial, insert_only: bool) -> bool:
    return partial.additive is Additive.ALWAYS or (partial.additive is Additive.INSERT_ONLY and insert_only)


def _count_column() -> StateColumn:
    total = exp.Add(this=sql.column(COUNT, "t"), expression=_or_zero(sql.column(COUNT, "d")))
    return StateColumn(
        COUNT, False, text(total), text(exp.Sum(this=sql.column(COUNT))), text(_or_zero(sql.column(COUNT, "d")))
    )


def _partial_column(partial: Partial) -> StateColumn:
    stored, change = sql.column(partial.name, "t"), sql.column(partial.name, "d")
    if partial.fold is None:
        return StateColumn(partial.name, False)
    if partial.fold is exp.Sum:
        both: exp.Expr = exp.Add(this=stored.copy(), expression=change.copy())
        merged: exp.Expr = exp.Coalesce(this=both, expressions=[stored, change])
    else:
        kind = exp.Least if partial.fold is exp.Min else exp.Greatest
        merged = kind(this=stored, expressions=[change], ignore_nulls=True)
    combined: exp.Expr = partial.fold(this=sql.column(partial.name))
    if partial.type:
        merged, combined = exp.cast(merged, partial.type), exp.cast(combined, partial.type)
    return StateColumn(partial.name, False, text(merged), text(combined), text(sql.column(partial.name, "d")))


def _or_zero(expression: exp.Expr) -> exp.Expr:
    return exp.Coalesce(this=expression, expressions=[exp.Literal.number(0)])


def _unfiltered(argument: exp.Expr) -> exp.Expr:
    """The x in CASE WHEN p THEN x END, which is how FILTER was folded in."""
    if isinstance(argument, exp.Case) and argument.args.get("default") is None and len(argument.args["ifs"]) == 1:
        found = argument.args["ifs"][0].args["true"]
        assert isinstance(found, exp.Expr)
        return found
    return argument
