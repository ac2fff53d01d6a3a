"""
Free columns of a subquery are tied to the query around it.

Where they only stand in filters near the subquery's top, those filters become join conditions. Otherwise the subquery
is computed once for every distinct value of the free columns (the domain) and joined back on them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlglot import exp

from dbt_lazyview.compiler.algebra import (
    Aggregate,
    Filter,
    Generate,
    Join,
    Limit,
    Node,
    OuterJoin,
    Project,
    Scan,
    SemiJoin,
    UnionAll,
    Values,
    Window,
    walk,
)
from dbt_lazyview.compiler.block import column, conjuncts, substitute
from dbt_lazyview.compiler.functions import function_name
from dbt_lazyview.compiler.lowering.scope import Environment, Lowered
from dbt_lazyview.compiler.lowering.windows import rank_limits

_ZERO_OVER_NOTHING = {"count", "count_if", "approx_count_distinct", "approx_distinct", "regr_count"}
_EMPTY_OVER_NOTHING = {"collect_list", "collect_set", "array_agg", "array_unique_agg"}


def semi_join(left: Node, right: Node, conditions: list[exp.Expr], is_anti: bool, environment: Environment) -> SemiJoin:
    """Left rows with (or without) a match among the rows of a subquery that may read left columns."""
    pulled = _pulled(right)
    if not _free(pulled.node):
        return SemiJoin(left, pulled.node, _all(*conditions, *pulled.conditions), is_anti)
    domain = _Domain(left, right, environment)
    dependent, own = domain.times(right)
    return SemiJoin(left, dependent, _all(*conditions, *domain.equal(own)), is_anti)


def lateral_join(left: Node, inner: Lowered, is_left: bool, environment: Environment) -> Node:
    """Left rows, each with the rows of a subquery that may read its columns."""
    pulled = _pulled(inner.node)
    conditions, right = list(pulled.conditions), pulled.node
    if _free(right):
        domain = _Domain(left, inner.node, environment)
        right, own = domain.times(inner.node)
        conditions = domain.equal(own)
    if is_left:
        return OuterJoin(left, right, _all(*conditions))
    return Join((left, right), _all(*conditions) if conditions else None)


def attach_value(left: Node, inner: Lowered, environment: Environment) -> tuple[Node, str]:
    """Left rows with the value of a scalar subquery as a further column; gives the column's name."""
    node, value = _one_row(inner, environment)
    if not _free(node):
        return OuterJoin(left, node, exp.true()), value
    simple = _grouped_by_correlation(left, node, environment)
    if simple is not None:
        return simple[0], simple[1][value]
    domain = _Domain(left, node, environment)
    dependent, own = domain.times(node)
    return OuterJoin(left, dependent, _all(*domain.equal(own))), value


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
        free = _free_of(node.input)
        outside = [each for each in conjuncts(node.predicate) if _columns(each) - free]
        inside = [each for each in conjuncts(node.predicate) if not _columns(each) - free]
        kept = Filter(inner.node, _all(*inside)) if inside else inner.node
        return _Pulled(kept, (*inner.conditions, *outside))
    if isinstance(node, Project):
        inner = _pulled(node.input)
        needed = {name for each in inner.conditions for name in _columns(each)} & set(inner.node.columns)
        extra = tuple((name, column(name)) for name in inner.node.columns if name in needed - set(node.columns))
        return _Pulled(Project(inner.node, (*node.outputs, *extra)), inner.conditions)
    if isinstance(node, Join):
        members = [_pulled(each) for each in node.members]
        own = {name for each in members for name in each.node.columns}
        parts = conjuncts(node.condition)
        kept_parts = [each for each in parts if not _columns(each) - own]
        moved = [each for each in parts if _columns(each) - own]
        joined = Join(tuple(each.node for each in members), _all(*kept_parts) if kept_parts else None)
        return _Pulled(joined, (*(c for each in members for c in each.conditions), *moved))
    return _Pulled(node)


def _grouped_by_correlation(left: Node, node: Node, environment: Environment) -> tuple[Node, dict[str, str]] | None:
    """The usual case: an aggregate filtered by inner = outer is the same aggregate grouped by inner."""
    projects: list[Project] = []
    while isinstance(node, Project):
        projects.append(node)
        node = node.input
    if (
        not isinstance(node, Aggregate)
        or any(_free_in_expressions(each) for each in projects)
        or _free_in_expressions(node)
    ):
        return None
    pulled = _pulled(node.input)
    pairs = [_equality(each, pulled.node) for each in pulled.conditions]
    if _free(pulled.node) or not pairs or any(each is None for each in pairs):
        return None
    keys = tuple((environment.names.column("correlated"), each[0]) for each in pairs if each is not None)
    grouped = Aggregate(pulled.node, keys, node.aggregates)
    on = [exp.EQ(this=column(name), expression=each[1]) for (name, _), each in zip(keys, pairs, strict=True) if each]
    joined: Node = OuterJoin(left, grouped, _all(*on))
    values = {name: _over_nothing(name, call) for name, call in node.aggregates}
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
        if _columns(one) and _columns(one) <= own and not _columns(other) & own:
            return one.copy(), other.copy()
    return None


def _over_nothing(name: str, call: exp.Expr) -> exp.Expr:
    """What an aggregate column is for a row without partners: counts are 0, not NULL."""
    word = function_name(call.this if isinstance(call, exp.Filter) else call)
    if word in _ZERO_OVER_NOTHING:
        return exp.Coalesce(this=column(name), expressions=[exp.Literal.number(0)])
    if word in _EMPTY_OVER_NOTHING:
        return exp.Coalesce(this=column(name), expressions=[exp.Array()])
    return column(name)


class _Domain:
    """The distinct values of a subquery's free columns, and the subquery computed for each of them."""

    def __init__(self, left: Node, subquery: Node, environment: Environment) -> None:
        self.environment = environment
        self.free = sorted(_free(subquery))
        keys = tuple((environment.names.column(f"domain_{name}"), column(name)) for name in self.free)
        self.node = Aggregate(left, keys, ())

    def equal(self, own: dict[str, str]) -> list[exp.Expr]:
        return [exp.NullSafeEQ(this=column(own[name]), expression=column(name)) for name in self.free]

    def times(self, node: Node) -> tuple[Node, dict[str, str]]:
        """A node that gives, for each value of the domain, the rows of the subquery; and its domain columns."""
        if not _free(node):
            copy, own = self._copy()
            return Join((node, copy)), own
        return _TIMES[type(node)](self, node)

    def _copy(self) -> tuple[Node, dict[str, str]]:
        own = {name: self.environment.names.column(name) for name in self.free}
        outputs = tuple((own[name], column(key)) for name, (key, _) in zip(self.free, self.node.keys, strict=True))
        return Project(self.node, outputs), own

    def _bound(self, expression: exp.Expr, own: dict[str, str]) -> exp.Expr:
        return substitute(expression, {name: column(new) for name, new in own.items()})

    def _filter(self, node: Filter) -> tuple[Node, dict[str, str]]:
        inner, own = self.times(node.input)
        return Filter(inner, self._bound(node.predicate, own)), own

    def _project(self, node: Project) -> tuple[Node, dict[str, str]]:
        inner, own = self.times(node.input)
        passed = tuple((name, column(name)) for name in own.values())
        return Project(inner, (*((name, self._bound(each, own)) for name, each in node.outputs), *passed)), own

    def _generate(self, node: Generate) -> tuple[Node, dict[str, str]]:
        inner, own = self.times(node.input)
        return replace(node, input=inner, generator=self._bound(node.generator, own)), own

    def _window(self, node: Window) -> tuple[Node, dict[str, str]]:
        inner, own = self.times(node.input)
        more = tuple(column(name) for name in own.values())
        functions = tuple((name, _partitioned(self._bound(each, own), more)) for name, each in node.functions)
        return Window(inner, (*(self._bound(each, own) for each in node.partition), *more), functions), own

    def _limit(self, node: Limit) -> tuple[Node, dict[str, str]]:
        return self.times(rank_limits(node, self.environment))

    def _aggregate(self, node: Aggregate) -> tuple[Node, dict[str, str]]:
        inner, own = self.times(node.input)
        passed = {name: self.environment.names.column(new) for name, new in own.items()}
        keys = (
            *((name, self._bound(each, own)) for name, each in node.keys),
            *((passed[n], column(own[n])) for n in own),
        )
        calls = tuple((name, self._bound(each, own)) for name, each in node.aggregates)
        grouped = Aggregate(inner, keys, calls)
        return (grouped, passed) if node.keys else self._with_empty(node, grouped, passed)

    def _with_empty(self, node: Aggregate, grouped: Node, passed: dict[str, str]) -> tuple[Node, dict[str, str]]:
        """A global aggregate has a row for the values without any rows, too."""
        copy, own = self._copy()
        on = [exp.NullSafeEQ(this=column(passed[name]), expression=column(own[name])) for name in own]
        inner = {name: self.environment.names.column(name) for name, _ in node.aggregates}
        renamed = Project(
            grouped, (*((inner[n], column(n)) for n in inner), *((p, column(p)) for p in passed.values()))
        )
        joined = OuterJoin(copy, renamed, _all(*on))
        values = tuple((name, _over_nothing(inner[name], call)) for name, call in node.aggregates)
        return Project(joined, (*values, *((name, column(name)) for name in own.values()))), own

    def _join(self, node: Join) -> tuple[Node, dict[str, str]]:
        members, conditions, own = [], [], None
        for each in node.members:
            if not _free(each):
                members.append(each)
                continue
            member, mine = self.times(each)
            members.append(member)
            own, ties = _tied(own, mine)
            conditions.extend(ties)
        if own is None:
            copy, own = self._copy()
            members.append(copy)
        conditions.extend(self._bound(each, own) for each in conjuncts(node.condition))
        return Join(tuple(members), _all(*conditions) if conditions else None), own

    def _two_sided(self, node: OuterJoin | SemiJoin) -> tuple[Node, dict[str, str]]:
        left, own = self.times(node.left)
        right, conditions = node.right, [self._bound(node.condition, own)]
        if _free(node.right) or (isinstance(node, OuterJoin) and node.is_full):
            right, mine = self.times(node.right)
            conditions.extend(_tied(own, mine)[1])
        return replace(node, left=left, right=right, condition=_all(*conditions)), own

    def _union(self, node: UnionAll) -> tuple[Node, dict[str, str]]:
        branches = []
        for each in node.branches:
            branch, mine = self.times(each)
            order = (*each.columns, *(mine[name] for name in self.free))
            branches.append(Project(branch, tuple((name, column(name)) for name in order)))
        own = {name: self.environment.names.column(name) for name in self.free}
        return UnionAll(tuple(branches), (*node.names, *(own[name] for name in self.free))), own


_TIMES: dict[type[Node], Callable[..., tuple[Node, dict[str, str]]]] = {
    Filter: _Domain._filter,
    Project: _Domain._project,
    Generate: _Domain._generate,
    Window: _Domain._window,
    Limit: _Domain._limit,
    Aggregate: _Domain._aggregate,
    Join: _Domain._join,
    OuterJoin: _Domain._two_sided,
    SemiJoin: _Domain._two_sided,
    UnionAll: _Domain._union,
}


def _tied(own: dict[str, str] | None, mine: dict[str, str]) -> tuple[dict[str, str], list[exp.Expr]]:
    """Two inputs computed for the same domain belong together where its values are equal."""
    if own is None:
        return mine, []
    return own, [exp.NullSafeEQ(this=column(own[name]), expression=column(mine[name])) for name in own]


def _partitioned(window: exp.Expr, more: tuple[exp.Expr, ...]) -> exp.Expr:
    result = window.copy()
    result.set("partition_by", [*(result.args.get("partition_by") or []), *(each.copy() for each in more)])
    return result


def _free(node: Node) -> set[str]:
    """Columns that the tree reads and does not make."""
    made = {name for each in walk(node) for name in _made(each)}
    return {name for each in walk(node) for name in _read(each)} - made


def _free_of(node: Node) -> set[str]:
    return {name for each in walk(node) for name in _made(each)}


def _free_in_expressions(node: Node) -> bool:
    return bool(_read(node) - {name for each in node.inputs for name in each.columns})


def _made(node: Node) -> set[str]:
    return set(node.columns)


def _read(node: Node) -> set[str]:
    """Columns in the node's own expressions."""
    if isinstance(node, (Scan, Values)):
        return set()
    return {name for each in _expressions(node) for name in _columns(each)}


def _expressions(node: Node) -> list[exp.Expr]:
    if isinstance(node, Filter):
        return [node.predicate]
    if isinstance(node, Project):
        return [each for _, each in node.outputs]
    if isinstance(node, Generate):
        return [node.generator]
    if isinstance(node, Aggregate):
        return [each for _, each in (*node.keys, *node.aggregates)]
    if isinstance(node, Window):
        return [*node.partition, *(each for _, each in node.functions)]
    if isinstance(node, (Join, OuterJoin, SemiJoin)):
        return [node.condition] if node.condition is not None else []
    return []


def _columns(expression: exp.Expr) -> set[str]:
    return {each.name for each in expression.find_all(exp.Column)}


def _all(*conditions: exp.Expr) -> exp.Expr:
    return exp.and_(*(each.copy() for each in conditions)) if conditions else exp.true()
