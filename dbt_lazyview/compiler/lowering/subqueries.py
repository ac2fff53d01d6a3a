"""
Subqueries in expressions become joins (EXISTS, IN: semi and anti joins; scalar ones: left joins to an aggregate).

A correlated subquery is lowered with the columns of the query around it left free; decorrelation.py then ties them.
"""

from collections.abc import Callable

from sqlglot import exp

from dbt_lazyview.compiler.algebra import Filter, Join, Node, SemiJoin
from dbt_lazyview.compiler.block import column, conjuncts
from dbt_lazyview.compiler.functions import is_aggregate
from dbt_lazyview.compiler.lowering.decorrelation import attach_value, semi_join
from dbt_lazyview.compiler.lowering.scope import Environment, Flatten, Lowered, lowered_column

LowerQuery = Callable[..., Lowered]


def filter_where(
    predicate: exp.Expr, node: Node, flatten: Flatten, environment: Environment, lower_query: LowerQuery
) -> Node:
    """The rows that satisfy a predicate: plain parts first, then one join per EXISTS or IN, then the rest."""
    plain: list[exp.Expr] = []
    others: list[exp.Expr] = []
    for part in conjuncts(predicate):
        (others if part.find(exp.Query) else plain).append(part)
    if plain:
        node = _filtered(node, [flatten(_parenthesized(each)) for each in plain])
    for part in others:
        node = _Part(part, node, flatten, environment, lower_query).filtered()
    return node


def _filtered(node: Node, predicates: list[exp.Expr]) -> Node:
    """A filter; over a join it is part of the condition, so that FROM a, b WHERE a.k = b.k is a join by k."""
    if isinstance(node, Join):
        return Join(node.members, exp.and_(*conjuncts(node.condition), *predicates))
    return Filter(node, exp.and_(*predicates))


class _Part:
    """One conjunct that holds a subquery."""

    def __init__(
        self, part: exp.Expr, node: Node, flatten: Flatten, environment: Environment, lower_query: LowerQuery
    ) -> None:
        self.part, self.node, self.flatten = part, node, flatten
        self.environment, self.lower_query = environment, lower_query

    def filtered(self) -> Node:
        negated, test = _peeled(self.part)
        if isinstance(test, exp.Exists):
            return self._semi(test.this, None, negated)
        if isinstance(test, exp.In) and test.args.get("query"):
            return self._semi(test.args["query"], test.this, negated)
        subqueries = Subqueries(self.node, self.flatten, self.environment, self.lower_query)
        replaced = subqueries.replaced(self.part)
        return Filter(subqueries.node, self.flatten(replaced))

    def _semi(self, query: exp.Expr, compared: exp.Expr | None, negated: bool) -> SemiJoin:
        inner = self.lower_query(_unwrapped(query), self.environment.inside(self.flatten))
        conditions: list[exp.Expr] = []
        if compared is not None:
            sides = compared.expressions if isinstance(compared, exp.Tuple) else [compared]
            equal = exp.and_(
                *(
                    exp.EQ(this=_parenthesized(self.flatten(side)), expression=column(own))
                    for side, own in zip(sides, inner.columns, strict=True)
                )
            )
            # NOT IN keeps a row only if every comparison is false: one that is not false (NULL, too) counts as a match.
            conditions.append(exp.Coalesce(this=equal, expressions=[exp.true()]) if negated else equal)
        return semi_join(self.node, inner.node, conditions, negated, self.environment)


class Subqueries:
    """Replaces the subqueries of expressions by columns of a growing node."""

    def __init__(self, node: Node, flatten: Flatten, environment: Environment, lower_query: LowerQuery) -> None:
        self.node, self.flatten, self.environment, self.lower_query = node, flatten, environment, lower_query
        self.query: exp.Select | None = None

    def inside_aggregates(self, query: exp.Select) -> exp.Select:
        """Those that aggregates and group keys read must be there before grouping."""
        self.query = query.copy()
        if query.args.get("group") is not None:
            self.query.args["group"].replace(self.replaced(self.query.args["group"]))
        for place in (*self.query.expressions, *_clauses(self.query, "having", "order", "qualify")):
            for call in [each for each in place.find_all(exp.Func) if is_aggregate(each) and each.find(exp.Query)]:
                for part in list(call.iter_expressions()):
                    part.replace(self.replaced(part))
        return self.query

    def in_select_and_order(self, query: exp.Select | None) -> exp.Select:
        assert query is not None
        result = query.copy()
        for place in (*result.expressions, *_clauses(result, "order", "qualify")):
            if place.find(exp.Query):
                place.replace(self.replaced(place))
        return result

    def replaced(self, expression: exp.Expr) -> exp.Expr:
        """The expression with every outermost subquery read from a column."""
        if isinstance(expression, exp.Exists):
            return _is_positive(self._scalar(_count_of(expression.this)))
        if isinstance(expression, exp.In) and expression.args.get("query"):
            return _is_positive(self._matches(expression, or_unknown=False))
        if isinstance(expression, exp.Not):
            return self._negated(expression.this.unnest())
        if isinstance(expression, (exp.Subquery, exp.Query)):
            return self._scalar(_unwrapped(expression))
        result = expression.copy()
        for part in list(result.iter_expressions()):
            if part.find(exp.Query):
                part.replace(self.replaced(part))
        return result

    def _negated(self, inner: exp.Expr) -> exp.Expr:
        """
        NOT, moved inwards until it meets what it negates.

        Spark knows no unknown here: IN is true if some row is equal, NOT IN if all are different, else they are false.
        """
        if isinstance(inner, exp.Connector) and inner.find(exp.Query):
            turned = exp.Or if isinstance(inner, exp.And) else exp.And
            sides = [exp.Paren(this=self.replaced(exp.Not(this=each.copy()))) for each in (inner.left, inner.right)]
            return exp.Paren(this=turned(this=sides[0], expression=sides[1]))
        if isinstance(inner, exp.Not):
            return self.replaced(inner.this.unnest())
        if isinstance(inner, exp.In) and inner.args.get("query"):
            return exp.Not(this=_is_positive(self._matches(inner, or_unknown=True)))
        return exp.Not(this=_parenthesized(self.replaced(inner)))

    def _scalar(self, query: exp.Expr) -> exp.Expr:
        inner = self.lower_query(query, self.environment.inside(self.flatten))
        self.node, name = attach_value(self.node, inner, self.environment)
        return lowered_column(name)

    def _matches(self, test: exp.In, or_unknown: bool) -> exp.Expr:
        """How many rows of x IN (query) are equal to x; or, with NULLs about, are not known to be different."""
        query = _unwrapped(test.args["query"])
        assert isinstance(query, exp.Query)
        wanted = test.this.expressions if isinstance(test.this, exp.Tuple) else [test.this]
        rows = exp.Subquery(this=query.copy(), alias=exp.TableAlias(this=exp.to_identifier("lv_in")))
        values = [exp.column(exp.to_identifier(each), table=exp.to_identifier("lv_in")) for each in query.named_selects]
        pairs = zip(values, wanted, strict=True)
        equal = exp.and_(*(exp.EQ(this=own, expression=_parenthesized(each.copy())) for own, each in pairs))
        condition = exp.Coalesce(this=equal, expressions=[exp.true()]) if or_unknown else equal
        return self._scalar(exp.select("COUNT(*)").from_(rows).where(condition))


def _clauses(query: exp.Select, *names: str) -> list[exp.Expr]:
    return [query.args[name] for name in names if query.args.get(name) is not None]


def _peeled(part: exp.Expr) -> tuple[bool, exp.Expr]:
    negated = False
    while isinstance(part, (exp.Not, exp.Paren)):
        negated ^= isinstance(part, exp.Not)
        part = part.this
    return negated, part


def _unwrapped(query: exp.Expr) -> exp.Expr:
    while isinstance(query, exp.Subquery) and not any(
        query.args.get(each) for each in ("with_", "order", "limit", "alias")
    ):
        query = query.this
    return query


def _count_of(query: exp.Expr) -> exp.Select:
    rows = exp.Subquery(this=_unwrapped(query).copy(), alias=exp.TableAlias(this=exp.to_identifier("lv_exists")))
    return exp.select("COUNT(*)").from_(rows)


def _is_positive(expression: exp.Expr) -> exp.Expr:
    return exp.Paren(this=exp.GT(this=expression, expression=exp.Literal.number(0)))


def _parenthesized(expression: exp.Expr) -> exp.Expr:
    return exp.Paren(this=expression) if isinstance(expression, (exp.Binary, exp.Connector, exp.Not)) else expression
