"""Window functions in the select list and in QUALIFY: one operator per PARTITION BY, then a filter."""

from sqlglot import exp

from dbt_lazyview.compiler.algebra import Filter, Limit, Node, Project, Sort, Window
from dbt_lazyview.compiler.block import column
from dbt_lazyview.compiler.lowering.scope import Environment, Flatten, lowered_column


def compute_windows(query: exp.Select, node: Node, flatten: Flatten, environment: Environment) -> tuple[Node, Flatten]:
    """Compute every window function of the query as a column; the query's expressions then read those columns."""
    qualify = query.args.get("qualify")
    places = [
        *query.expressions,
        *([qualify] if qualify else []),
        *([query.args["order"]] if query.args.get("order") else []),
    ]
    windows = [
        each for place in places for each in place.find_all(exp.Window) if each.find_ancestor(exp.Window) is None
    ]
    if not windows:
        return node, flatten
    known: list[tuple[exp.Expr, str]] = []
    for window in windows:
        flat = flatten(window)
        name = next((own for expression, own in known if expression == flat), None)
        if name is None:
            name = environment.names.column("window")
            known.append((flat, name))
        window.replace(lowered_column(name))
    node = _stacked(node, known)
    if qualify:
        node = Filter(node, flatten(qualify.this))
    return node, flatten


def with_named_windows(query: exp.Select) -> exp.Select:
    """OVER w is read as the definition of w in the WINDOW clause."""
    definitions = {each.name: each for each in query.args.get("windows") or []}
    query.set("windows", None)
    for window in list(query.find_all(exp.Window)):
        definition = definitions.get(window.alias) if definitions else None
        if definition is None:
            continue
        for part in ("partition_by", "order", "spec"):
            if not window.args.get(part) and definition.args.get(part):
                found = definition.args[part]
                window.set(part, [each.copy() for each in found] if isinstance(found, list) else found.copy())
        window.set("alias", None)
    return query


def _stacked(node: Node, windows: list[tuple[exp.Expr, str]]) -> Node:
    """Windows of equal PARTITION BY are computed together."""
    groups: dict[tuple[exp.Expr, ...], list[tuple[str, exp.Expr]]] = {}
    for flat, name in windows:
        groups.setdefault(tuple(flat.args.get("partition_by") or ()), []).append((name, flat))
    for partition, functions in groups.items():
        node = Window(node, tuple(partition), tuple(functions))
    return node


def rank_limits(node: Node, environment: Environment) -> Node:
    """LIMIT inside a query: the rows whose number, in a total order, is within it."""
    order = node.input.order if isinstance(node, Limit) and isinstance(node.input, Sort) else ()
    assert isinstance(node, Limit)
    rows = node.input.input if isinstance(node.input, Sort) else node.input
    number = environment.names.column("row_number")
    keys = [each.copy() for each in order] or [exp.Ordered(this=column(rows.columns[0]))]
    call = exp.Window(this=exp.RowNumber(), order=exp.Order(expressions=keys), over="OVER")
    ranked = Window(rows, (), ((number, call),))
    offset = node.offset.copy() if node.offset is not None else exp.Literal.number(0)
    conditions: list[exp.Expr] = [exp.GT(this=column(number), expression=offset)]
    if node.count is not None:
        conditions.append(
            exp.LTE(this=column(number), expression=exp.Add(this=offset.copy(), expression=node.count.copy()))
        )
    chosen = Filter(ranked, exp.and_(*conditions))
    return Project(chosen, tuple((each, column(each)) for each in rows.columns))
