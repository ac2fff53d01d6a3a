"""
Which columns may come out differently when they are computed again.

A float sum in another order, a list in another order: the last digits or the order differ. A retraction of such a value
would miss what is stored and leave a ghost row; so rows with volatile columns are found by their other columns instead.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from sqlglot import exp

from dbt_lazyview.compiler.algebra import (
    Aggregate,
    Filter,
    Generate,
    Join,
    Node,
    OuterJoin,
    Project,
    SemiJoin,
    UnionAll,
    Window,
    walk,
    with_inputs,
)
from dbt_lazyview.compiler.block import conjuncts
from dbt_lazyview.compiler.catalog import FLOATS
from dbt_lazyview.compiler.functions import arguments, function_name

TypesOf = Callable[[Node, list[exp.Expr]], list[str]]

# Aggregates that add up: over floats the order of rows shows in the last digits.
_ADDS_UP = frozenset({"sum", "avg", "mean", "try_sum", "try_avg"})
# Aggregates that always compute in floating point.
_FLOATING = frozenset(
    {"stddev", "std", "stddev_pop", "stddev_samp", "variance", "var_samp", "var_pop", "variance_pop", "corr"}
    | {"covar_pop", "covar_samp", "skewness", "kurtosis", "regr_avgx", "regr_avgy", "regr_intercept", "regr_r2"}
    | {"regr_slope", "regr_sxx", "regr_sxy", "regr_syy"}
)
# Aggregates that depend on the order in which rows arrive, or that only approximate.
_BY_ARRIVAL = frozenset(
    {"first", "first_value", "last", "last_value", "any_value", "collect_list", "collect_set", "array_agg", "nth_value"}
    | {"array_unique_agg", "approx_percentile", "percentile_approx", "approx_quantile", "histogram_numeric", "mode"}
    | {"max_by", "min_by", "arg_max", "arg_min", "listagg", "string_agg", "group_concat", "count_min_sketch"}
)


@dataclass
class Stability:
    """Volatile columns of every node; `types_of` tells the types of expressions over a node."""

    types_of: TypesOf
    _known: dict[int, frozenset[str]] = field(default_factory=dict)
    _volatile_rows: dict[int, bool] = field(default_factory=dict)

    def volatile(self, node: Node) -> frozenset[str]:
        if id(node) not in self._known:
            self._known[id(node)] = self._of(node)
        return self._known[id(node)]

    def uses_volatile(self, node: Node, expression: exp.Expr | None) -> bool:
        """Whether an expression over a node's inputs reads a volatile column."""
        if expression is None:
            return False
        below = frozenset[str]().union(*(self.volatile(each) for each in node.inputs))
        return any(each.name in below for each in expression.find_all(exp.Column))

    def has_volatile_rows(self, node: Node) -> bool:
        """Whether a predicate over volatile columns decides which rows there are."""
        if id(node) not in self._volatile_rows:
            own = node.predicate if isinstance(node, Filter) else getattr(node, "condition", None)
            below = any(self.has_volatile_rows(each) for each in node.inputs)
            self._volatile_rows[id(node)] = below or self.uses_volatile(node, own)
        return self._volatile_rows[id(node)]

    def has_entangled_rows(self, node: Node) -> bool:
        """
        Whether rows that a volatile predicate decides on meet an operator that is not linear: it counts or compares
        them, so that dropping the predicate below it would not give at least the same rows above it.
        """
        counting = (each for each in walk(node) if isinstance(each, (Aggregate, OuterJoin, SemiJoin, Window)))
        return any(self.has_volatile_rows(each) for each in counting)

    def loosened(self, node: Node) -> Node:
        """The same tree without predicates over volatile columns: at least all rows that may be there."""
        inputs = tuple(self.loosened(each) for each in node.inputs)
        result = with_inputs(node, inputs)
        if isinstance(node, Filter) and self.uses_volatile(node, node.predicate):
            steady = self._steady_part(node, node.predicate)
            result = Filter(inputs[0], steady) if steady is not None else inputs[0]
        if isinstance(node, Join) and self.uses_volatile(node, node.condition):
            result = Join(inputs, self._steady_part(node, node.condition))
        self._known.setdefault(id(result), self.volatile(node))
        return result

    def _steady_part(self, node: Node, predicate: exp.Expr | None) -> exp.Expr | None:
        steady = [each for each in conjuncts(predicate) if not self.uses_volatile(node, each)]
        return exp.and_(*steady) if steady else None

    def _of(self, node: Node) -> frozenset[str]:
        inherited = frozenset[str]().union(*(self.volatile(each) for each in node.inputs))
        if isinstance(node, Project):
            return frozenset(name for name, each in node.outputs if self.uses_volatile(node, each))
        if isinstance(node, Generate):
            return inherited | (frozenset(node.names) if self.uses_volatile(node, node.generator) else frozenset())
        if isinstance(node, UnionAll):
            return frozenset(
                name
                for i, name in enumerate(node.names)
                if any(b.columns[i] in self.volatile(b) for b in node.branches)
            )
        if isinstance(node, Aggregate):
            keys = frozenset(name for name, each in node.keys if self.uses_volatile(node, each))
            return keys | self._calls(node, node.aggregates)
        if isinstance(node, Window):
            return inherited | self._calls(node, node.functions)
        if isinstance(node, SemiJoin):
            return self.volatile(node.left)
        assert isinstance(node, (Join, OuterJoin, Filter)) or len(node.inputs) <= 1
        return inherited

    def _calls(self, node: Aggregate | Window, calls: tuple[tuple[str, exp.Expr], ...]) -> frozenset[str]:
        sums = [(name, added) for name, call in calls for added in _added_up(call)]
        types = self.types_of(node.inputs[0], [added for _, added in sums]) if sums else []
        floats = {name for (name, _), kind in zip(sums, types, strict=True) if kind in FLOATS}
        return frozenset(
            name for name, call in calls if name in floats or self.uses_volatile(node, call) or _is_volatile_call(call)
        )


def summed(node: Aggregate | Window) -> list[exp.Expr]:
    """What a node adds up: the types of these decide whether the order of rows shows in the totals."""
    calls = node.aggregates if isinstance(node, Aggregate) else node.functions
    return [added for _, call in calls for added in _added_up(call)]


def _added_up(call: exp.Expr) -> list[exp.Expr]:
    found = [arguments(each)[0] for each in call.walk() if function_name(each) in _ADDS_UP]
    return [each.expressions[0] if isinstance(each, exp.Distinct) else each for each in found]


def _is_volatile_call(call: exp.Expr) -> bool:
    return any(function_name(each) in _FLOATING | _BY_ARRIVAL for each in call.walk())
