"""
Free columns of a subquery are tied to the query around it.

Where they only stand in filters near the subquery's top, those filters become join conditions. Otherwise the subquery
is computed once for every distinct value of the free columns (the domain) and joined back on them.
"""

from dataclasses import dataclass

from sqlglot import exp

from dbt_lazyview.compiler.algebra import Aggregate, Filter, Join, Node, OuterJoin, Project, SemiJoin
from dbt_lazyview.compiler.block import column, conjuncts, substitute
from dbt_lazyview.compiler.lowering.domain import Domain, over_nothing
from dbt_lazyview.compiler.lowering.free_columns import all_of, columns_of, free_columns, made_columns, reads_elsewhere
from dbt_lazyview.compiler.lowering.scope import Environment, Lowered


def semi_join(left: Node, right: Node, conditions: list[exp.Expr], is_anti: bool, environment: Environment) -> SemiJoin:
    """Left rows with (or without) a match among the rows of a subquery that may read left columns."""
    pulled = _pulled(right)
    if not free_columns(pulled.node):
        return SemiJoin(left, pulled.node, all_of(*conditions, *pulled.conditions), is_anti)
    domain = Domain(left, right, environment)
    dependent, own = domain.times(right)
    return SemiJoin(left, dependent, all_of(*conditions, *domain.equal(own)), is_anti)


def lateral_join(left: Node, inner: Lowered, is_left: bool, environment: Environment) -> Node:
    """Left rows, each with the rows of a subquery that may read its columns."""
    pulled = _pulled(inner.node)
    conditions, right = list(pulled.conditions), pulled.node
    if free_columns(right):
        domain = Domain(left, inner.node, environment)
        right, own = domain.times(inner.node)
        conditions = domain.equal(own)
    if is_left:
        return OuterJoin(left, right, all_of(*conditions))
    return Join((left, right), all_of(*conditions) if conditions else None)


def attach_value(left: Node, inner: Lowered, environment: Environment) -> tuple[Node, str]:
    """Left rows with the value of a scalar subquery as a further column; gives the column's name."""
    node, value = _one_row(inner, environment)
    if not free_columns(node):
        return OuterJoin(left, node, exp.true()), value
    simple = _grouped_by_correlation(left, node, environment)
    if simple is not None:
        return simple[0], simple[1][value]
    domain = Domain(left, node, environment)
    dependent, own = domain.times(node)
    return OuterJoin(left, dependent, all_of(*domain.equal(own))), value


def _one_row(inner: Lowered, environment: Environment) -> tuple[Node, str]:
    """A scalar subquery has one row at the most; one that does not aggregate is made to by MAX over its only row."""
    value = inner.columns[0]
    if _is_global(inner.node):
        return inner.node, value
    name = environment.names.column("scalar")
    return Aggregate(inner.node, (), ((name, exp.Max(this=column(value))),)), name


def _is_global(node: Node) -> bool:
    while isinstance(node, Project):
        node = node.input
    return isinstance(node, Aggregate) and node.is_global


@dataclass(frozen=True)
class _Pulled:
    node: Node
    conditions: tuple[exp.Expr, ...] = ()


def _pulled(node: Node) -> _Pulled:
    """Take filters over free columns out of a subquery, where nothing between them and its top minds."""
    if isinstance(node, Filter):
        inner = _pulled(node.input)
        free = made_columns(node.input)
        outside = [each for each in conjuncts(node.predicate) if columns_of(each) - free]
        inside = [each for each in conjuncts(node.predicate) if not columns_of(each) - free]
        kept = Filter(inner.node, all_of(*inside)) if inside else inner.node
        return _Pulled(kept, (*inner.conditions, *outside))
    if isinstance(node, Project):
        inner = _pulled(node.input)
        needed = {name for each in inner.conditions for name in columns_of(each)} & set(inner.node.columns)
        extra = tuple((name, column(name)) for name in inner.node.columns if name in needed - set(node.columns))
        return _Pulled(Project(inner.node, (*node.outputs, *extra)), inner.conditions)
    if isinstance(node, Join):
        members = [_pulled(each) for each in node.members]
        own = {name for each in members for name in each.node.columns}
        parts = conjuncts(node.condition)
        kept_parts = [each for each in parts if not columns_of(each) - own]
        moved = [each for each in parts if columns_of(each) - own]
        joined = Join(tuple(each.node for each in members), all_of(*kept_parts) if kept_parts else None)
        return _Pulled(joined, (*(c for each in members for c in each.conditions), *moved))
    return _Pulled(node)


def _grouped_by_correlation(left: Node, node: Node, environment: Environment) -> tuple[Node, dict[str, str]] | None:
    """The usual case: an aggregate filtered by inner = outer is the same aggregate grouped by inner."""
    projects: list[Project] = []
    while isinstance(node, Project):
        projects.append(node)
        node = node.input
    if not isinstance(node, Aggregate) or any(reads_elsewhere(each) for each in projects) or reads_elsewhere(node):
        return None
    pulled = _pulled(node.input)
    pairs = [_equality(each, pulled.node) for each in pulled.conditions]
    if free_columns(pulled.node) or not pairs or any(each is None for each in pairs):
        return None
    keys = tuple((environment.names.column("correlated"), each[0]) for each in pairs if each is not None)
    grouped = Aggregate(pulled.node, keys, node.aggregates)
    on = [exp.EQ(this=column(name), expression=each[1]) for (name, _), each in zip(keys, pairs, strict=True) if each]
    joined: Node = OuterJoin(left, grouped, all_of(*on))
    values = {name: over_nothing(name, call) for name, call in node.aggregates}
    for project in reversed(projects):
        values = {name: substitute(each, values) for name, each in project.outputs}
    outputs = {name: environment.names.column(name) for name in values}
    passed = tuple((name, column(name)) for name in left.columns)
    return Project(joined, (*passed, *((outputs[name], each) for name, each in values.items()))), outputs


def _equality(condition: exp.Expr, inner: Node) -> tuple[exp.Expr, exp.Expr] | None:
    """(inner side, outer side) of a plain equality between the two."""
    if not isinstance(condition, exp.EQ):
        return None
    own = set(inner.columns)
    for one, other in ((condition.left, condition.right), (condition.right, condition.left)):
        if columns_of(one) and columns_of(one) <= own and not columns_of(other) & own:
            return one.copy(), other.copy()
    return None
