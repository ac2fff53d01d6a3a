"""The public view: the user's columns, finished, over the state."""

from dataclasses import dataclass, replace

from sqlglot import exp

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.algebra import Filter, Limit, Project, Sort
from dbt_lazyview.compiler.block import Block
from dbt_lazyview.compiler.catalog import Column
from dbt_lazyview.compiler.derivation import repeated, text
from dbt_lazyview.compiler.state import State
from dbt_lazyview.names import COUNT


def public_query(
    state: State, relation: exp.Table, outputs: tuple[tuple[Column, str], ...], carried: tuple[str, ...] = ()
) -> str:
    """The user's columns, finished, over the state; `carried` are columns of the relation that stay what they are."""
    alias = "s"
    keys = {name: sql.column(name, alias) for name in state.keys}
    stored = {name: sql.column(name, alias) for name in (COUNT, *state.partials.stored)}
    values = {name: sql.substitute(each, stored) for name, each in state.finished.items()}
    block = Block((), {**keys, **values})
    if state.is_bag:
        block = repeated(block, sql.column(COUNT, alias))
    query_parts = _on_top(state, block)
    query = _finished_select(query_parts.block, outputs)
    for name in carried:
        query = query.select(sql.named(sql.column(name, alias), name), copy=False)
    query = query.from_(exp.Table(this=relation, alias=exp.TableAlias(this=sql.identifier(alias))), copy=False)
    return text(_with_order(query, query_parts))


def shown_rows(state: State) -> "OnTop":
    """What the view shows of a row of the state, over the names of the state's own columns."""
    stored = {name: sql.column(name) for name in state.keys}
    return _on_top(state, Block((), {**stored, **state.finished}))


@dataclass(frozen=True)
class OnTop:
    """The columns and conditions of the public view, and its order."""

    block: Block
    order: tuple[exp.Expr, ...] = ()
    limit: exp.Expr | None = None
    offset: exp.Expr | None = None


def _on_top(state: State, block: Block) -> OnTop:
    result = OnTop(block)
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
        select = select.select(sql.named(sql.finished(block.expression(own), public.type), public.name), copy=False)
    return select


def _with_order(query: exp.Select, parts: OnTop) -> exp.Select:
    if parts.order:
        query = query.order_by(*parts.order, copy=False)
    if parts.limit is not None:
        query = query.limit(parts.limit.copy(), copy=False)
    if parts.offset is not None:
        query = query.offset(parts.offset.copy(), copy=False)
    return query
