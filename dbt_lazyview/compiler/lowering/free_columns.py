"""Which columns a tree reads and does not make: those of the query around it."""

from sqlglot import exp

from dbt_lazyview.compiler.algebra import (
    Aggregate,
    Filter,
    Generate,
    Join,
    Node,
    OuterJoin,
    Project,
    Scan,
    SemiJoin,
    Values,
    Window,
    walk,
)


def free_columns(node: Node) -> set[str]:
    """Columns that the tree reads and does not make."""
    made = {name for each in walk(node) for name in _made(each)}
    return {name for each in walk(node) for name in _read(each)} - made


def made_columns(node: Node) -> set[str]:
    """Columns of all nodes of the tree."""
    return {name for each in walk(node) for name in _made(each)}


def reads_elsewhere(node: Node) -> bool:
    """Whether the node's own expressions read more than its inputs give."""
    return bool(_read(node) - {name for each in node.inputs for name in each.columns})


def _made(node: Node) -> set[str]:
    return set(node.columns)


def _read(node: Node) -> set[str]:
    """Columns in the node's own expressions."""
    if isinstance(node, (Scan, Values)):
        return set()
    return {name for each in _expressions(node) for name in columns_of(each)}


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


def columns_of(expression: exp.Expr) -> set[str]:
    return {each.name for each in expression.find_all(exp.Column)}


def all_of(*conditions: exp.Expr) -> exp.Expr:
    return exp.and_(*(each.copy() for each in conditions)) if conditions else exp.true()
