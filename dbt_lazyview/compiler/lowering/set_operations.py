"""
UNION, INTERSECT and EXCEPT, with and without ALL.

Union all is an operator; the rest is counting: rows of both sides are grouped with how often each side has them.
"""

from collections.abc import Iterable

from sqlglot import exp

from dbt_lazyview.compiler.algebra import Aggregate, Filter, Generate, Node, Project, UnionAll
from dbt_lazyview.compiler.block import column
from dbt_lazyview.compiler.lowering.scope import Environment, Lowered, Unsupported

_ONE, _ZERO = exp.Literal.number(1), exp.Literal.number(0)


def combine(query: exp.SetOperation, branches: list[Lowered], environment: Environment) -> Lowered:
    """One relation from two, under the first one's names."""
    if query.args.get("by_name"):
        branches = _by_name(query, branches)
    names = tuple(name for name, _ in branches[0].outputs)
    if isinstance(query, exp.Union):
        node = _union(branches, names, environment)
        node = distinct(node, node.columns, environment) if query.args.get("distinct") else node
    else:
        node = _counted(query, branches, names, environment)
    return Lowered(node, tuple(zip(names, node.columns, strict=False)))


def _by_name(query: exp.SetOperation, branches: list[Lowered]) -> list[Lowered]:
    """The second branch with its columns in the order of the first."""
    first, second = branches
    by_name = second.named()
    if set(first.named()) != set(by_name):
        raise Unsupported(query, "BY NAME over different columns")
    return [first, Lowered(second.node, tuple((name, by_name[name]) for name, _ in first.outputs))]


def _union(branches: list[Lowered], names: tuple[str, ...], environment: Environment) -> Node:
    own = tuple(environment.names.column(name) for name in names)
    return UnionAll(tuple(_exactly(each) for each in branches), own)


def _exactly(lowered: Lowered) -> Node:
    """A node whose columns are the outputs, in their order."""
    if lowered.node.columns == lowered.columns:
        return lowered.node
    return Project(lowered.node, tuple((own, column(own)) for own in lowered.columns))


def distinct(node: Node, columns: Iterable[str], environment: Environment) -> Aggregate:
    """Each combination of the columns once."""
    return Aggregate(node, tuple((environment.names.column(own), column(own)) for own in columns), ())


def _counted(
    query: exp.SetOperation, branches: list[Lowered], names: tuple[str, ...], environment: Environment
) -> Node:
    sides = [environment.names.column(each) for each in ("in_left", "in_right")]
    marked = [_marked(lowered, position, environment) for position, lowered in enumerate(branches)]
    own = tuple(environment.names.column(name) for name in names)
    keys = tuple((environment.names.column(name), column(each)) for name, each in zip(names, own, strict=True))
    sums = [environment.names.column(each) for each in ("left_count", "right_count")]
    calls = tuple((name, exp.Sum(this=column(side))) for name, side in zip(sums, sides, strict=True))
    counts = Aggregate(UnionAll(tuple(marked), (*own, *sides)), keys, calls)
    left, right = (column(each) for each in sums)
    kept = tuple(name for name, _ in keys)
    return _chosen(query, counts, left, right, kept, environment)


def _marked(lowered: Lowered, position: int, environment: Environment) -> Node:
    """The rows of one side, counted for that side."""
    marks = [(environment.names.column("mark"), (_ONE if position == side else _ZERO).copy()) for side in (0, 1)]
    copies = [(environment.names.column(own), column(own)) for own in lowered.columns]
    return Project(lowered.node, (*copies, *marks))


def _chosen(
    query: exp.SetOperation,
    counts: Node,
    left: exp.Column,
    right: exp.Column,
    kept: tuple[str, ...],
    environment: Environment,
) -> Node:
    is_except = isinstance(query, exp.Except)
    if query.args.get("distinct"):
        wanted = (
            exp.EQ(this=right, expression=_ZERO.copy()) if is_except else exp.GT(this=right, expression=_ZERO.copy())
        )
        chosen: Node = Filter(counts, exp.and_(exp.GT(this=left, expression=_ZERO.copy()), wanted))
    else:
        times = exp.Sub(this=left, expression=right) if is_except else exp.Least(this=left, expressions=[right])
        some = Filter(counts, exp.GT(this=times, expression=_ZERO.copy()))
        series = exp.GenerateSeries(start=_ONE.copy(), end=exp.cast(times.copy(), "bigint"))
        chosen = Generate(some, exp.Explode(this=series), (environment.names.column("copy"),), outer=False)
    return Project(chosen, tuple((environment.names.column(each), column(each)) for each in kept))
