"""
Stored before: where rows of the view are computed by keys that it shows (the partitions of a window, the groups that a
left join adds to a row), what they were before the window of changes is what is stored of these keys.

    D(V) = V+ where key in K  -  stored rows where key in K        K: the keys that some change touches

Without it they are computed a second time, from the old rows of the sources.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.algebra import Filter, Node, OuterJoin, Project, Window
from dbt_lazyview.compiler.block import Bag, Block
from dbt_lazyview.compiler.derivation import Derivation, is_plain, matches_some
from dbt_lazyview.compiler.operators.aggregate import grouped
from dbt_lazyview.compiler.operators.outer_join import native_join
from dbt_lazyview.compiler.operators.window import windowed
from dbt_lazyview.compiler.passes.joined_groups import JoinedGroups, joined_groups

Keys = tuple[exp.Expr, ...]


@dataclass(frozen=True)
class Replaced:
    """Rows of the view as they are now for the affected keys; `keys` are the view's columns that hold them."""

    rows: Block
    keys: tuple[tuple[exp.Expr, str], ...]  # column of the view, column of the relation of affected keys
    affected: str


def replaced(root: Node, derivation: Derivation) -> Replaced | None:
    """None where the view is not computed by keys that it shows, or only what is joined with such rows changed."""
    keyed = _keyed(root) if derivation.options.stored_before else None
    if keyed is None or not keyed.is_recomputed(derivation):
        return None
    touched = [block.query(weight=False) for block in keyed.touched(derivation)]
    query = touched[0].distinct(copy=False) if len(touched) == 1 else exp.union(*touched, distinct=True)
    affected = derivation.derive(query, "affected")
    return Replaced(keyed.rows(affected, derivation), _by_name(keyed.keys), affected)


class Keyed(ABC):
    """A node whose rows of a key depend on that key's rows of its inputs alone."""

    keys: Keys  # columns of the node

    @abstractmethod
    def touched(self, derivation: Derivation) -> Bag:
        """The keys of everything that changed."""

    @abstractmethod
    def rows(self, affected: str, derivation: Derivation) -> Block:
        """The rows of the affected keys after the changes."""

    @abstractmethod
    def is_recomputed(self, derivation: Derivation) -> bool:
        """Whether something changed that is computed across rows."""


@dataclass(frozen=True)
class _Plain(Keyed):
    """Rows of sources, filtered and joined."""

    node: Node
    keys: Keys

    def touched(self, derivation: Derivation) -> Bag:
        return _keys_of(self.node, self.keys, derivation)

    def rows(self, affected: str, derivation: Derivation) -> Block:
        return _restricted(self.node, self.keys, affected, derivation)

    def is_recomputed(self, derivation: Derivation) -> bool:
        return False


@dataclass(frozen=True)
class _Partitions(Keyed):
    node: Window
    keys: Keys

    def touched(self, derivation: Derivation) -> Bag:
        return _keys_of(self.node.input, self.keys, derivation)

    def rows(self, affected: str, derivation: Derivation) -> Block:
        return windowed(self.node, _restricted(self.node.input, self.keys, affected, derivation), derivation)

    def is_recomputed(self, derivation: Derivation) -> bool:
        return derivation.changed(self.node)


@dataclass(frozen=True)
class _WithGroups(Keyed):
    """Rows to which a left join adds a group each."""

    node: OuterJoin
    left: Keyed
    groups: JoinedGroups
    keys: Keys

    @property
    def _group_keys(self) -> Keys:
        """The keys of the groups, in the order of the keys of the rows."""
        found = {own.name: name for own, name in self.groups.keys}
        expressions = dict(self.groups.aggregate.keys)
        return tuple(expressions[found[key.name]] for key in self.keys)

    def touched(self, derivation: Derivation) -> Bag:
        grouped_rows = self.groups.aggregate.input
        return (*self.left.touched(derivation), *_keys_of(grouped_rows, self._group_keys, derivation))

    def rows(self, affected: str, derivation: Derivation) -> Block:
        aggregate = self.groups.aggregate
        members = _restricted(aggregate.input, self._group_keys, affected, derivation)
        right = self.groups.finish(grouped(aggregate, members, derivation, "groups_new"))
        return native_join(self.node, self.left.rows(affected, derivation), right, "LEFT", derivation)

    def is_recomputed(self, derivation: Derivation) -> bool:
        return derivation.changed(self.groups.aggregate) or self.left.is_recomputed(derivation)


@dataclass(frozen=True)
class _Passed(Keyed):
    """Rows that are filtered or get other columns."""

    node: Project | Filter
    input: Keyed
    keys: Keys

    def touched(self, derivation: Derivation) -> Bag:
        return self.input.touched(derivation)

    def rows(self, affected: str, derivation: Derivation) -> Block:
        rows = self.input.rows(affected, derivation)
        if isinstance(self.node, Project):
            return rows.project(self.node.outputs)
        return rows.filter(*sql.conjuncts(self.node.predicate))

    def is_recomputed(self, derivation: Derivation) -> bool:
        return self.input.is_recomputed(derivation)


def _keyed(node: Node) -> Keyed | None:
    """By the keys that the node itself brings."""
    if isinstance(node, (Project, Filter)):
        return _passed(node, _keyed(node.input))
    if isinstance(node, Window):
        return _Partitions(node, node.partition) if node.partition and _are_columns(node.partition) else None
    return _with_groups(node, None)


def _keyed_by(node: Node, keys: Keys) -> Keyed | None:
    """By given columns of the node."""
    if is_plain(node):
        return _Plain(node, keys)
    if isinstance(node, Project):
        below = dict(node.outputs)
        passed = tuple(below[key.name] for key in keys)
        return _passed(node, _keyed_by(node.input, passed)) if _are_columns(passed) else None
    if isinstance(node, Filter):
        return _passed(node, _keyed_by(node.input, keys))
    return _with_groups(node, keys)


def _with_groups(node: Node, keys: Keys | None) -> Keyed | None:
    groups = joined_groups(node) if isinstance(node, OuterJoin) and not node.is_full else None
    if groups is None or not isinstance(node, OuterJoin) or not _are_columns(each for each, _ in groups.keys):
        return None
    joined = tuple(each for each, _ in groups.keys)
    wanted = keys or joined
    if sorted(each.name for each in joined) != sorted({each.name for each in wanted}):
        return None
    left = _keyed_by(node.left, wanted)
    return _WithGroups(node, left, groups, wanted) if left is not None else None


def _passed(node: Project | Filter, below: Keyed | None) -> Keyed | None:
    """What is below, if its keys are still there."""
    if below is None or isinstance(node, Filter):
        return _Passed(node, below, below.keys) if below is not None else None
    shown = {each.name: sql.column(name) for name, each in reversed(node.outputs) if isinstance(each, exp.Column)}
    if not all(key.name in shown for key in below.keys):
        return None
    return _Passed(node, below, tuple(shown[key.name] for key in below.keys))


def _are_columns(expressions: Iterable[exp.Expr]) -> bool:
    return all(isinstance(each, exp.Column) for each in expressions)


def _by_name(keys: Keys) -> tuple[tuple[exp.Expr, str], ...]:
    return tuple((each, f"lv_key_{number}") for number, each in enumerate(keys))


def _keys_of(node: Node, keys: Keys, derivation: Derivation) -> Bag:
    if not derivation.changed(node):
        return ()
    return (derivation.single_delta(node, "input_delta").project([(name, each) for each, name in _by_name(keys)]),)


def _restricted(node: Node, keys: Keys, affected: str, derivation: Derivation) -> Block:
    rows = tuple(matches_some(block, _by_name(keys), affected) for block in derivation.new(node))
    return derivation.single(rows, node.columns, "rows_now")
