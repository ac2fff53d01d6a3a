"""
How a window is folded into the state: differences are added where that is exact; otherwise the affected groups, or the
rows with affected steady keys, are computed again.
"""

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.block import Bag, Block
from dbt_lazyview.compiler.derivation import Derivation, by_position, matches_some, text
from dbt_lazyview.compiler.operators.aggregate import restricted
from dbt_lazyview.compiler.partials import Additive, Partial
from dbt_lazyview.compiler.passes.early_groups import grouped_early
from dbt_lazyview.compiler.passes.literal_bounds import ranges
from dbt_lazyview.compiler.passes.staging import staged
from dbt_lazyview.compiler.passes.stored_before import replaced
from dbt_lazyview.compiler.plan import RefreshPlan, StateRead
from dbt_lazyview.compiler.state import State
from dbt_lazyview.names import COUNT, WEIGHT


def build_query(state: State, derivation: Derivation) -> str:
    """The rows of the state, from all rows of the sources."""
    rows = derivation.single(derivation.new(state.aggregate.input), state.aggregate.input.columns, "input")
    return text(grouped_rows(state, rows))


def refresh_plan(state: State, derivation: Derivation, read: StateRead) -> RefreshPlan:
    """Fold the delta into the state, with what several places read computed once."""
    change, mode = change_of(state, derivation, read)
    stages, steps = staged(derivation, change)
    plan = RefreshPlan(stages, steps, change, mode, state.layout)
    return replace(plan, ranges=ranges(derivation, plan))


def change_of(state: State, derivation: Derivation, read: StateRead) -> tuple[str, str]:
    """
    The relation to fold in and its mode: differences to add where that is exact, else the affected groups or rows.
    """
    if state.touching is not None:
        return _computed_again(state, derivation, read)
    known = replaced(state.aggregate.input, derivation) if state.is_bag else None
    if known is not None:
        kept = matches_some(_stored(state, derivation, read), known.keys, known.affected)
        return _difference(state, grouped_rows(state, known.rows), kept, derivation), "add"
    return _folded(state, derivation)


def _folded(state: State, derivation: Derivation) -> tuple[str, str]:
    aggregate, partials = state.aggregate, state.partials
    outputs = (*aggregate.keys, *partials.arguments)
    delta = tuple(block.project(outputs) for block in derivation.delta(aggregate.input))
    may_add = {
        Additive.ALWAYS: True,
        Additive.CHECKED: derivation.options.checked_sums,
        Additive.INSERT_ONLY: derivation.insert_only(aggregate.input),
        Additive.NEVER: False,
    }
    if all(_is_additive(each, may_add) for each in partials.stored.values()):
        return _added(state, *_summed(state, delta, derivation), derivation), "add"
    total = derivation.read_sum(delta, [name for name, _ in outputs], "view_delta")
    return _replaced(state, total, derivation), "replace"


def _summed(state: State, delta: Bag, derivation: Derivation) -> tuple[Block, dict[str, exp.Expr]]:
    """The sum of all terms, and what of it adds up to the change of each partial."""
    partials = state.partials.stored.values()
    early = grouped_early(delta, state.keys, partials, derivation)
    if early is not None:
        total = derivation.read_sum(early, [*state.keys, *state.partials.stored], "view_delta")
        return total, {each.name: each.fold.over(total.expression(each.name)) for each in partials if each.fold}
    names = [*state.keys, *(name for name, _ in state.partials.arguments)]
    total = derivation.read_sum(delta, names, "view_delta")
    columns = {**total.columns, WEIGHT: sql.weight_of(total)}
    return total, {each.name: sql.substitute(each.change, columns) for each in partials if each.change is not None}


def _computed_again(state: State, derivation: Derivation, read: StateRead) -> tuple[str, str]:
    """Rows with volatile values: those with an affected steady key are computed again, and the stored ones go."""
    assert state.touching is not None
    steady = [(name, each) for name, each in state.aggregate.keys if name in state.steady_keys]
    touched = tuple(block.project(steady) for block in derivation.delta(state.touching))
    if not state.is_bag:
        return _replaced(state, derivation.read_sum(touched, state.keys, "view_delta"), derivation), "replace"
    rows = derivation.new(state.aggregate.input)
    kept = _stored(state, derivation, read)
    if steady:
        total = derivation.read_sum(touched, state.steady_keys, "view_delta")
        affected = derivation.derive(total.query(weight=False).distinct(copy=False), "affected")
        rows = tuple(matches_some(block, [(each, name) for name, each in steady], affected) for block in rows)
        kept = matches_some(kept, [(sql.column(name), name) for name in state.steady_keys], affected)
    fresh = grouped_rows(state, derivation.single(rows, state.aggregate.input.columns, "input_new"))
    return _difference(state, fresh, kept, derivation), "add"


def _stored(state: State, derivation: Derivation, read: StateRead) -> Block:
    """Stored rows, with their counts."""
    relation = derivation.state(read, state.layout)
    return sql.read(relation, "stored", [(each, each) for each in (*state.keys, COUNT)])


def _difference(state: State, fresh: exp.Select, kept: Block, derivation: Derivation) -> str:
    """Fresh rows minus stored ones; stored values are read, not computed, so equal ones cancel."""
    gone = replace(kept, columns={**kept.columns, COUNT: exp.Neg(this=kept.columns[COUNT])})
    both = derivation.derive(exp.union(fresh, gone.query(weight=False), distinct=False), "fresh_and_stored")
    query = by_position(
        sql.read(both, both, [(each, each) for each in state.keys]).query(weight=False), len(state.keys)
    )
    total = exp.Sum(this=sql.column(COUNT, both))
    query = query.select(sql.named(total, COUNT), copy=False)
    query = query.having(exp.NEQ(this=total.copy(), expression=exp.Literal.number(0)), copy=False)
    return derivation.derive(query, "view_change")


def grouped_rows(state: State, rows: Block) -> exp.Select:
    """Keys, count and partials over plain rows."""
    outputs = (*state.aggregate.keys, *state.partials.arguments)
    named = rows.project(outputs)
    query = replace(named, columns={key: named.columns[key] for key in state.keys}).query(weight=False)
    query = query.select(sql.named(exp.Count(this=exp.Star()), COUNT), copy=False)
    for partial in state.partials.stored.values():
        value = sql.substitute(partial.build, named.columns)
        query = query.select(sql.named(value, partial.name), copy=False)
    return by_position(query, len(state.keys)) if state.keys else query


def _added(state: State, total: Block, sums: dict[str, exp.Expr], derivation: Derivation) -> str:
    """Differences per key; keys whose differences are all zero are left out."""
    query = replace(total, columns={key: total.columns[key] for key in state.keys}).query(weight=False)
    changes: list[exp.Expr] = [exp.Sum(this=sql.weight_of(total)), *sums.values()]
    query = query.select(sql.named(changes[0].copy(), COUNT), copy=False)
    for partial in state.partials.stored.values():
        value = sums[partial.name]
        typed = sql.cast(value.copy(), partial.type) if partial.type else value.copy()
        query = query.select(sql.named(typed, partial.name), copy=False)
    if state.keys:
        query = by_position(query, len(state.keys))
    if all(partial.fold and partial.fold.adds_up for partial in state.partials.stored.values()):
        zero = exp.Literal.number(0)
        moved = [exp.NEQ(this=sql.as_factor(each), expression=zero.copy()) for each in changes]
        query = query.having(exp.or_(*moved, copy=False), copy=False)
    return derivation.derive(query, "view_change")


def _replaced(state: State, total: Block, derivation: Derivation) -> str:
    """The affected groups computed anew, with count 0 where a group is gone."""
    if not state.keys:
        rows = derivation.single(derivation.new(state.aggregate.input), state.aggregate.input.columns, "input_new")
        return derivation.derive(grouped_rows(state, rows), "view_change")
    keys = replace(total, columns={key: total.columns[key] for key in state.keys})
    affected = derivation.derive(keys.query(weight=False).distinct(copy=False), "affected")
    rest = restricted(state.aggregate, derivation.new(state.aggregate.input), affected)
    rows = derivation.single(rest, state.aggregate.input.columns, "input_new")
    groups = derivation.derive(grouped_rows(state, rows), "groups_new")
    return derivation.derive(_all_affected(state, affected, groups), "view_change")


def _all_affected(state: State, affected: str, groups: str) -> exp.Select:
    select = exp.Select()
    for key in state.keys:
        select = select.select(sql.named(sql.column(key, "k"), key), copy=False)
    count = exp.Coalesce(this=sql.column(COUNT, "g"), expressions=[exp.Literal.number(0)])
    select = select.select(sql.named(count, COUNT), copy=False)
    for name in state.partials.stored:
        select = select.select(sql.named(sql.column(name, "g"), name), copy=False)
    on = [exp.NullSafeEQ(this=sql.column(key, "g"), expression=sql.column(key, "k")) for key in state.keys]
    select = select.from_(_named(affected, "k"), copy=False)
    return select.join(_named(groups, "g"), on=exp.and_(*on), join_type="left", copy=False)


def _named(relation: str, alias: str) -> exp.Table:
    return exp.Table(this=sql.identifier(relation), alias=exp.TableAlias(this=sql.identifier(alias)))


def _is_additive(partial: Partial, may_add: Mapping[Additive, bool]) -> bool:
    return may_add[partial.additive]
