"""
The relational algebra that queries are lowered to: one node class per operator.

Every column has a name that is unique in the whole tree, so expressions need no qualifiers and a node can be moved
without renaming. Nodes compare by identity: a subtree that two places share is one object.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeGuard

from sqlglot import exp

Expressions = tuple[tuple[str, exp.Expr], ...]  # (name of the result, expression over the input's columns)


@dataclass(frozen=True, eq=False)
class Node:
    """An operator with its inputs."""

    @property
    def inputs(self) -> tuple["Node", ...]:
        return ()

    @property
    def columns(self) -> tuple[str, ...]:
        raise AssertionError(f"{type(self).__name__} does not say its columns")


@dataclass(frozen=True, eq=False)
class Scan(Node):
    """One occurrence of a source: `reads` pairs each result name with the table's own column."""

    source: str  # alias of the source
    occurrence: str  # alias in the query
    reads: tuple[tuple[str, str], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.reads)


@dataclass(frozen=True, eq=False)
class Values(Node):
    """Constant rows."""

    names: tuple[str, ...]
    rows: tuple[tuple[exp.Expr, ...], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.names


@dataclass(frozen=True, eq=False)
class _Unary(Node):
    input: Node

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.input,)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.input.columns


@dataclass(frozen=True, eq=False)
class Filter(_Unary):
    """Rows for which the predicate is true."""

    predicate: exp.Expr


@dataclass(frozen=True, eq=False)
class Project(_Unary):
    """New columns from old ones."""

    outputs: Expressions

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.outputs)


@dataclass(frozen=True, eq=False)
class Generate(_Unary):
    """Each row times the rows of a generator over it (LATERAL VIEW)."""

    generator: exp.Expr
    names: tuple[str, ...]
    outer: bool

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.input.columns, *self.names)


@dataclass(frozen=True, eq=False)
class Join(Node):
    """Inner join of any number of inputs; the condition may be missing."""

    members: tuple[Node, ...]
    condition: exp.Expr | None = None

    @property
    def inputs(self) -> tuple[Node, ...]:
        return self.members

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(column for member in self.members for column in member.columns)


@dataclass(frozen=True, eq=False)
class OuterJoin(Node):
    """Left join, or full join; a right join is a left one with its sides changed."""

    left: Node
    right: Node
    condition: exp.Expr
    is_full: bool = False

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.left, self.right)

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.left.columns, *self.right.columns)


@dataclass(frozen=True, eq=False)
class SemiJoin(Node):
    """Rows of the left side that match some row of the right side; `is_anti`: none."""

    left: Node
    right: Node
    condition: exp.Expr
    is_anti: bool = False

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.left, self.right)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.left.columns


@dataclass(frozen=True, eq=False)
class UnionAll(Node):
    """Bag union: branch columns match the names by position."""

    branches: tuple[Node, ...]
    names: tuple[str, ...]

    @property
    def inputs(self) -> tuple[Node, ...]:
        return self.branches

    @property
    def columns(self) -> tuple[str, ...]:
        return self.names


@dataclass(frozen=True, eq=False)
class Aggregate(_Unary):
    """GROUP BY `keys`; without keys there is one row always."""

    keys: Expressions
    aggregates: Expressions

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for name, _ in (*self.keys, *self.aggregates))

    @property
    def is_global(self) -> bool:
        return not self.keys


@dataclass(frozen=True, eq=False)
class Window(_Unary):
    """Window functions that share one PARTITION BY; without one, all rows are one partition."""

    partition: tuple[exp.Expr, ...]
    functions: Expressions

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.input.columns, *(name for name, _ in self.functions))


@dataclass(frozen=True, eq=False)
class Sort(_Unary):
    """ORDER BY: matters under Limit and for the reader of the root."""

    order: tuple[exp.Ordered, ...]


@dataclass(frozen=True, eq=False)
class Limit(_Unary):
    """The first rows of its input."""

    count: exp.Expr | None
    offset: exp.Expr | None = None


def walk(node: Node) -> tuple[Node, ...]:
    """All nodes below and including one, parents first, shared ones once."""
    seen: dict[int, Node] = {}

    def visit(at: Node) -> None:
        if id(at) not in seen:
            seen[id(at)] = at
            for child in at.inputs:
                visit(child)

    visit(node)
    return tuple(seen.values())


def shared_nodes(root: Node) -> frozenset[int]:
    """Which nodes several places read: their identities."""
    readers = Counter(id(child) for node in walk(root) for child in node.inputs)
    return frozenset(each for each, times in readers.items() if times > 1)


def only_renames(node: Node) -> TypeGuard[Project]:
    """Whether a node gives columns of its input, under other names or the same, and does nothing else."""
    return isinstance(node, Project) and all(isinstance(each, exp.Column) for _, each in node.outputs)


def with_inputs(node: Node, inputs: tuple[Node, ...]) -> Node:
    """The node over other inputs; itself where they are the same."""
    if all(old is new for old, new in zip(node.inputs, inputs, strict=True)):
        return node
    if isinstance(node, Join):
        return replace(node, members=inputs)
    if isinstance(node, UnionAll):
        return replace(node, branches=inputs)
    if isinstance(node, (OuterJoin, SemiJoin)):
        return replace(node, left=inputs[0], right=inputs[1])
    return replace(node, input=inputs[0])  # type: ignore[call-arg]


def rewritten(root: Node, rule: Callable[[Node, Node], Node]) -> Node:
    """The tree after a rule that is given each node and the same one over its new inputs; what was shared still is."""
    done: dict[int, Node] = {}

    def visit(node: Node) -> Node:
        if id(node) not in done:
            done[id(node)] = rule(node, with_inputs(node, tuple(visit(each) for each in node.inputs)))
        return done[id(node)]

    return visit(root)
