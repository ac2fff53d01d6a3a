"""The tree of a view as text, with the rule and its cost class at each node."""

from sqlglot import exp

from dbt_lazyview.compiler import algebra
from dbt_lazyview.compiler.algebra import Node
from dbt_lazyview.compiler.dialect import DIALECT

_COST = {
    algebra.Scan: "change feed, condensed",
    algebra.Values: "constant",
    algebra.Filter: "linear",
    algebra.Project: "linear",
    algebra.Generate: "linear",
    algebra.UnionAll: "linear",
    algebra.Join: "one term per changed input",
    algebra.OuterJoin: "terms, and rows whose match came or went",
    algebra.SemiJoin: "rows whose match came or went",
    algebra.Window: "per partition",
    algebra.Aggregate: "per group",
    algebra.Sort: "in the public view",
    algebra.Limit: "in the public view",
}

_WIDTH = 80


def explain_tree(root: Node) -> str:
    """One line per node, indented."""
    return "\n".join(_lines(root, 0))


def _lines(node: Node, depth: int) -> list[str]:
    while isinstance(node, algebra.Project) and isinstance(node.input, algebra.Project):
        node = node.input  # renaming over renaming says nothing new
    label = f"{'  ' * depth}{type(node).__name__}{_detail(node)}"
    label = label if len(label) <= _WIDTH else label[: _WIDTH - 3] + "..."
    own = f"{label:<{_WIDTH}}  {_COST.get(type(node), '')}".rstrip()
    return [own, *(line for child in node.inputs for line in _lines(child, depth + 1))]


def _detail(node: Node) -> str:
    if isinstance(node, algebra.Scan):
        return f" {node.source} as {node.occurrence} ({', '.join(own for _, own in node.reads)})"
    if isinstance(node, algebra.Filter):
        return f" {_short(node.predicate)}"
    if isinstance(node, algebra.Window):
        return f" {', '.join(_short(each) for _, each in node.functions)}"
    if isinstance(node, algebra.OuterJoin):
        return f" {'full' if node.is_full else 'left'} on {_short(node.condition)}"
    if isinstance(node, algebra.SemiJoin):
        return f" {'without' if node.is_anti else 'with'} {_short(node.condition)}"
    if isinstance(node, algebra.Join):
        return f" on {_short(node.condition)}" if node.condition is not None else " (cross)"
    if isinstance(node, algebra.Aggregate):
        keys = ", ".join(_short(each) for _, each in node.keys) or "all rows"
        calls = ", ".join(_short(each) for _, each in node.aggregates)
        return f" by {keys}" + (f": {calls}" if calls else "")
    return ""


def _short(expression: exp.Expr) -> str:
    printed = expression.sql(DIALECT).replace("`", "")
    return printed if len(printed) <= 60 else printed[:57] + "..."
