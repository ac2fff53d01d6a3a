"""PIVOT: one aggregate per listed value, over the columns that neither the aggregates nor FOR mention."""

from sqlglot import exp

from dbt_lazyview.compiler.algebra import Aggregate, Project
from dbt_lazyview.compiler.block import case_when, column
from dbt_lazyview.compiler.lowering.scope import Environment, Lowered, Scope, Unsupported

Pairs = list[tuple[str, exp.Expr]]


def pivoted(lowered: Lowered, alias: str, pivot: exp.Pivot, environment: Environment) -> Lowered:
    """The relation turned: groups by what is left, a column per value and aggregate."""
    if pivot.args.get("unpivot") or len(pivot.args.get("fields") or []) != 1:
        raise Unsupported(pivot, "UNPIVOT" if pivot.args.get("unpivot") else "PIVOT over several columns")
    scope = Scope({alias: lowered.named(), "": lowered.named()}, environment.outer)
    field = pivot.args["fields"][0]
    calls = [scope.flat(each.unalias()) for each in pivot.expressions]
    turned = scope.flat(field.this)
    mentioned = {each.name for expression in (*calls, turned) for each in expression.find_all(exp.Column)}
    kept = [(name, own) for name, own in lowered.outputs if own not in mentioned]
    keys = tuple((environment.names.column(name), column(own)) for name, own in kept)
    aggregates, values = _aggregates(field.expressions, turned, calls, environment)
    names = [each.name for each in pivot.args.get("columns") or []]
    grouped = Aggregate(lowered.node, keys, tuple(aggregates))
    outputs = tuple((environment.names.column(name), each) for name, each in zip(names, values, strict=True))
    node = Project(grouped, (*((own, column(own)) for own, _ in keys), *outputs))
    public = [name for name, _ in kept] + names
    return Lowered(node, tuple(zip(public, node.columns, strict=True)))


def _aggregates(
    wanted: list[exp.Expr], turned: exp.Expr, calls: list[exp.Expr], environment: Environment
) -> tuple[Pairs, list[exp.Expr]]:
    """Every aggregate over the rows of every value; without such rows it is NULL, a count too."""
    aggregates: Pairs = []
    values: list[exp.Expr] = []
    for each in wanted:
        value = each.this if isinstance(each, exp.PivotAlias) else each
        has_value = exp.NullSafeEQ(this=turned.copy(), expression=value.copy())
        there = environment.names.column("pivot_rows")
        aggregates.append((there, _over(exp.Count(this=exp.Star()), has_value)))
        for call in calls:
            name = environment.names.column("pivot")
            aggregates.append((name, _over(call, has_value)))
            none = exp.EQ(this=column(there), expression=exp.Literal.number(0))
            values.append(case_when(none, exp.Null(), column(name)))
    return aggregates, values


def _over(call: exp.Expr, predicate: exp.Expr) -> exp.Filter:
    return exp.Filter(this=call.copy(), expression=exp.Where(this=predicate.copy()))
