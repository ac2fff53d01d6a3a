"""Keep only the columns the view uses, so that deltas are condensed on them alone (Z 4.2, partial condense)."""

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
    Scan,
    SemiJoin,
    Sort,
    UnionAll,
    Values,
    Window,
)
from dbt_lazyview.compiler.block import column

Needs = dict[int, set[str]]


def keep_used_columns(root: Node, wanted: tuple[str, ...]) -> Node:
    """The same tree without columns nobody reads."""
    needs: Needs = {}
    _need(root, set(wanted), needs)
    return _rebuilt(root, needs, {})


def _need(node: Node, wanted: set[str], needs: Needs) -> None:
    if not wanted and node.columns:
        wanted = {node.columns[0]}  # a relation without columns cannot be written down
    known = needs.get(id(node))
    if known is not None and wanted <= known:
        return
    wanted = wanted | (known or set())
    needs[id(node)] = wanted
    for child, columns in _needs_of_inputs(node, wanted):
        _need(child, columns, needs)


def _needs_of_inputs(node: Node, wanted: set[str]) -> list[tuple[Node, set[str]]]:
    if isinstance(node, Project):
        return [(node.input, _used(*(each for name, each in node.outputs if name in wanted)))]
    if isinstance(node, Filter):
        return [(node.input, wanted | _used(node.predicate))]
    if isinstance(node, Sort):
        return [(node.input, wanted | _used(*node.order))]
    if isinstance(node, Limit):
        return [(node.input, wanted)]
    if isinstance(node, Generate):
        return [(node.input, (wanted - set(node.names)) | _used(node.generator))]
    if isinstance(node, Aggregate):
        aggregates = [each for name, each in node.aggregates if name in wanted]
        return [(node.input, _used(*(each for _, each in node.keys), *aggregates))]
    if isinstance(node, Join):
        used = wanted | (_used(node.condition) if node.condition is not None else set())
        return [(member, used & set(member.columns)) for member in node.members]
    if isinstance(node, (OuterJoin, SemiJoin)):
        used = wanted | _used(node.condition)
        return [(side, used & set(side.columns)) for side in node.inputs]
    if isinstance(node, Window):
        names = {name for name, _ in node.functions}
        functions = [each for name, each in node.functions if name in wanted]
        return [(node.input, (wanted - names) | _used(*node.partition, *functions))]
    if isinstance(node, UnionAll):
        positions = [i for i, name in enumerate(node.names) if name in wanted]
        return [(branch, {branch.columns[i] for i in positions}) for branch in node.branches]
    return []


def _rebuilt(node: Node, needs: Needs, done: dict[int, Node]) -> Node:
    if id(node) not in done:
        done[id(node)] = _narrowed(node, needs[id(node)], tuple(_rebuilt(each, needs, done) for each in node.inputs))
    return done[id(node)]


def _narrowed(node: Node, wanted: set[str], inputs: tuple[Node, ...]) -> Node:
    if isinstance(node, Scan):
        return replace(node, reads=tuple(each for each in node.reads if each[0] in wanted))
    if isinstance(node, Project):
        return Project(inputs[0], tuple(each for each in node.outputs if each[0] in wanted))
    if isinstance(node, Aggregate):
        return Aggregate(inputs[0], node.keys, tuple(each for each in node.aggregates if each[0] in wanted))
    if isinstance(node, Join):
        return Join(inputs, node.condition)
    if isinstance(node, (OuterJoin, SemiJoin)):
        return replace(node, left=inputs[0], right=inputs[1])
    if isinstance(node, Window):
        return Window(inputs[0], node.partition, tuple(each for each in node.functions if each[0] in wanted))
    if isinstance(node, UnionAll):
        return _narrowed_union(node, wanted, inputs)
    if isinstance(node, Values):
        return node
    return replace(node, input=inputs[0])  # type: ignore[call-arg]


def _narrowed_union(node: UnionAll, wanted: set[str], inputs: tuple[Node, ...]) -> Node:
    """Branches keep the same positions, whatever else their own columns are needed for."""
    positions = [i for i, name in enumerate(node.names) if name in wanted]
    names = [[branch.columns[i] for i in positions] for branch in node.branches]
    branches = tuple(
        Project(narrow, tuple((name, column(name)) for name in own)) for narrow, own in zip(inputs, names, strict=True)
    )
    return UnionAll(branches, tuple(node.names[i] for i in positions))


def _used(*expressions: exp.Expr) -> set[str]:
    return {each.name for expression in expressions for each in expression.find_all(exp.Column)}
