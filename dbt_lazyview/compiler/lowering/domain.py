"""
The domain of a correlated subquery: the distinct values of its free columns.

The subquery is computed once for every value of the domain, operator by operator, and joined back on the values.
"""

from collections.abc import Callable
from dataclasses import replace

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
    SemiJoin,
    UnionAll,
    Window,
)
from dbt_lazyview.compiler.block import column, conjuncts, substitute
from dbt_lazyview.compiler.functions import function_name
from dbt_lazyview.compiler.lowering.free_columns import all_of, free_columns
from dbt_lazyview.compiler.lowering.scope import Environment
from dbt_lazyview.compiler.lowering.windows import rank_limits

_ZERO_OVER_NOTHING = {"count", "count_if", "approx_count_distinct", "approx_distinct", "regr_count"}
_EMPTY_OVER_NOTHING = {"collect_list", "collect_set", "array_agg", "array_unique_agg"}


def over_nothing(name: str, call: exp.Expr) -> exp.Expr:
    """What an aggregate column is for a row without partners: counts are 0, not NULL."""
    word = function_name(call.this if isinstance(call, exp.Filter) else call)
    if word in _ZERO_OVER_NOTHING:
        return exp.Coalesce(this=column(name), expressions=[exp.Literal.number(0)])
    if word in _EMPTY_OVER_NOTHING:
        return exp.Coalesce(this=column(name), expressions=[exp.Array()])
    return column(name)


class Domain:
    """The distinct values of a subquery's free columns, and the subquery computed for each of them."""

    def __init__(self, left: Node, subquery: Node, environment: Environment) -> None:
        self.environment = environment
        self.free = sorted(free_columns(subquery))
        keys = tuple((environment.names.column(f"domain_{name}"), column(name)) for name in self.free)
        self.node = Aggregate(left, keys, ())

    def equal(self, own: dict[str, str]) -> list[exp.Expr]:
        return [exp.NullSafeEQ(this=column(own[name]), expression=column(name)) for name in self.free]

    def times(self, node: Node) -> tuple[Node, dict[str, str]]:
        """A node that gives, for each value of the domain, the rows of the subquery; and its domain columns."""
        if not free_columns(node):
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
        predicate = self._bound(node.predicate, own)
        if isinstance(inner, Join):
            return Join(inner.members, all_of(*conjuncts(inner.condition), *conjuncts(predicate))), own
        return Filter(inner, predicate), own

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
        joined = OuterJoin(copy, renamed, all_of(*on))
        values = tuple((name, over_nothing(inner[name], call)) for name, call in node.aggregates)
        return Project(joined, (*values, *((name, column(name)) for name in own.values()))), own

    def _join(self, node: Join) -> tuple[Node, dict[str, str]]:
        members, conditions, own = [], [], None
        for each in node.members:
            if not free_columns(each):
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
        return Join(tuple(members), all_of(*conditions) if conditions else None), own

    def _two_sided(self, node: OuterJoin | SemiJoin) -> tuple[Node, dict[str, str]]:
        left, own = self.times(node.left)
        right, conditions = node.right, [self._bound(node.condition, own)]
        if free_columns(node.right) or (isinstance(node, OuterJoin) and node.is_full):
            right, mine = self.times(node.right)
            conditions.extend(_tied(own, mine)[1])
        return replace(node, left=left, right=right, condition=all_of(*conditions)), own

    def _union(self, node: UnionAll) -> tuple[Node, dict[str, str]]:
        branches = []
        for each in node.branches:
            branch, mine = self.times(each)
            order = (*each.columns, *(mine[name] for name in self.free))
            branches.append(Project(branch, tuple((name, column(name)) for name in order)))
        own = {name: self.environment.names.column(name) for name in self.free}
        return UnionAll(tuple(branches), (*node.names, *(own[name] for name in self.free))), own


_TIMES: dict[type[Node], Callable[..., tuple[Node, dict[str, str]]]] = {
    Filter: Domain._filter,
    Project: Domain._project,
    Generate: Domain._generate,
    Window: Domain._window,
    Limit: Domain._limit,
    Aggregate: Domain._aggregate,
    Join: Domain._join,
    OuterJoin: Domain._two_sided,
    SemiJoin: Domain._two_sided,
    UnionAll: Domain._union,
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
