"""Operators in a few words."""

from sqlglot import exp

from dbt_lazyview.compiler import algebra
from dbt_lazyview.compiler.algebra import Node
from dbt_lazyview.compiler.dialect import DIALECT


def label(node: Node) -> str:
    """The operator and what it is about."""
    return f"{type(node).__name__} {_detail(node)}".rstrip()


def _detail(node: Node) -> str:
    if isinstance(node, algebra.Scan):
        return f"{node.source} as {node.occurrence} ({', '.join(own for _, own in node.reads)})"
    if isinstance(node, algebra.Filter):
        return short(node.predicate)
    if isinstance(node, algebra.Generate):
        return short(node.generator)
    if isinstance(node, algebra.Window):
        return ", ".join(short(each) for _, each in node.functions)
    if isinstance(node, algebra.OuterJoin):
        return f"{'full' if node.is_full else 'left'} on {short(node.condition)}"
    if isinstance(node, algebra.SemiJoin):
        return f"{'without' if node.is_anti else 'with'} {short(node.condition)}"
    if isinstance(node, algebra.Join):
        return f"on {short(node.condition)}" if node.condition is not None else "(cross)"
    if isinstance(node, algebra.Aggregate):
        keys = ", ".join(short(each) for _, each in node.keys) or "all rows"
        calls = ", ".join(short(each) for _, each in node.aggregates)
        return f"by {keys}" + (f": {calls}" if calls else "")
    return ""


def short(expression: exp.Expr) -> str:
    printed = expression.sql(DIALECT).replace("`", "")
    return printed if len(printed) <= 60 else printed[:57] + "..."


def any_of(names: list[str]) -> str:
    """
    Names as alternatives.

    Example:
        >>> any_of(["a", "b", "c"])
        'a, b or c'
    """
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
