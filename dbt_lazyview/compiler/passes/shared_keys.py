"""
Shared keys: where everything that changed under an operator has a key in common, by which its rows fall apart, only the
rows of the keys that changed are looked at: once as they are, and once as they were.

    D(E) = E(X+ where key in K) - E(X- where key in K)        K: the keys of all changes

It is the rule of groups and partitions for whole subtrees. By their own rules, several joins and groups over each other
read the same tables once for each of their terms; here each table is read once, for the keys in K.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from dbt_lazyview.compiler import block as sql
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
    Sort,
    UnionAll,
    Window,
    walk,
)
from dbt_lazyview.compiler.block import Bag
from dbt_lazyview.compiler.derivation import Derivation, is_linear, is_plain, matches_some
from dbt_lazyview.names import WEIGHT

TypeOf = Callable[[str, str], str]  # of a source and its column
# A single operator over a single change is as well off by its own rule.
LEAST_WORK = 3


@dataclass(frozen=True)
class SharedKey:
    """Columns of scans, at most one of each, that are equal in all rows that a row of the node is computed from."""

    columns: Mapping[int, str]  # of the source, by the identity of the scan
    type: str
    shown: frozenset[str]  # the columns of the node that hold it
    inputs: frozenset[int]  # of the node, that it leads into

    def agrees_with(self, other: "SharedKey") -> bool:
        """Equality of one type is transitive; and no scan is restricted by two of its columns at once."""
        common = set(self.columns) & set(other.columns)
        return self.type == other.type and all(self.columns[each] == other.columns[each] for each in common)

    def tied_to(self, other: "SharedKey") -> "SharedKey":
        columns = {**self.columns, **other.columns}
        return SharedKey(columns, self.type, self.shown | other.shown, self.inputs | other.inputs)

    def showing(self, shown: Iterable[str]) -> "SharedKey":
        return replace(self, shown=frozenset(shown))


Keys = tuple[SharedKey, ...]


class SharedKeys:
    """The keys by which the rows of each node fall apart: those of one value never depend on rows of another."""

    def __init__(self, type_of: TypeOf) -> None:
        self._type_of = type_of
        self._known: dict[int, tuple[Node, Keys]] = {}  # the node is kept, so that its identity stays its own

    def of(self, node: Node) -> Keys:
        if id(node) not in self._known:
            self._known[id(node)] = (node, _distinct(self._of(node)))
        return self._known[id(node)][1]

    def covering(self, node: Node, scans: Iterable[Scan]) -> Keys:
        """Those that all of some scans have."""
        wanted = {id(each) for each in scans}
        return tuple(each for each in self.of(node) if wanted <= set(each.columns))

    def _of(self, node: Node) -> Iterable[SharedKey]:
        match node:
            case Scan():
                return [
                    SharedKey({id(node): own}, self._type_of(node.source, own), frozenset({name}), frozenset())
                    for name, own in node.reads
                ]
            case Filter():
                return _tied(self._below(node), node.predicate)
            case Project():
                return [each.showing(_renamed(each, node.outputs)) for each in self._below(node)]
            case Generate() | Sort():
                return self._below(node)
            case Aggregate():
                named = [(each, _renamed(each, node.keys)) for each in self._below(node)]
                return [each.showing(names) for each, names in named if names]
            case Window():
                partition = {each.name for each in node.partition if isinstance(each, exp.Column)}
                return [each for each in self._below(node) if each.shown & partition]
            case Join():
                return _leading_everywhere(_tied(self._below(node), node.condition), node)
            case OuterJoin() | SemiJoin():
                return _leading_everywhere(self._beside(node), node)
            case UnionAll():
                return _leading_everywhere(self._in_all_branches(node), node)
        return ()

    def _below(self, node: Node) -> list[SharedKey]:
        return [
            replace(key, inputs=frozenset({position}))
            for position, each in enumerate(node.inputs)
            for key in self.of(each)
        ]

    def _beside(self, node: OuterJoin | SemiJoin) -> list[SharedKey]:
        """
        Keys of the left side, and of the right side as far as it is equal. A key of the right side alone would hide
        matches of rows; and what the condition equates on one side need not be equal in rows without a match.
        """
        found = _tied(self._below(node), node.condition, apart=True)
        if isinstance(node, OuterJoin) and node.is_full:
            return [each.showing(()) for each in found if each.inputs == {0, 1}]
        return [each.showing(each.shown & set(node.left.columns)) for each in found if 0 in each.inputs]

    def _in_all_branches(self, node: UnionAll) -> list[SharedKey]:
        keys, found = self._below(node), []
        for position, name in enumerate(node.names):
            shown = [next((key for key in keys if each.columns[position] in key.shown), None) for each in node.branches]
            tied = _all_tied(shown)
            if tied is not None:
                found.append(tied.showing({name}))
        return found


def _renamed(key: SharedKey, outputs: Iterable[tuple[str, exp.Expr]]) -> set[str]:
    return {name for name, each in outputs if isinstance(each, exp.Column) and each.name in key.shown}


def _tied(keys: list[SharedKey], condition: exp.Expr | None, apart: bool = False) -> list[SharedKey]:
    """Keys that equations make one; `apart`: only such that lead into different inputs."""
    for each in sql.conjuncts(condition):
        if isinstance(each, exp.EQ | exp.NullSafeEQ) and all(
            isinstance(side, exp.Column) for side in each.iter_expressions()
        ):
            one, other = (
                next((key for key in keys if side.name in key.shown), None) for side in (each.left, each.right)
            )
            if (
                one
                and other
                and one is not other
                and not (apart and one.inputs & other.inputs)
                and one.agrees_with(other)
            ):
                keys = [key for key in keys if key is not one and key is not other] + [one.tied_to(other)]
    return keys


def _all_tied(keys: list[SharedKey | None]) -> SharedKey | None:
    first, *rest = keys
    for each in rest:
        if first is None or each is None or not first.agrees_with(each):
            return None
        first = first.tied_to(each)
    return first


def _leading_everywhere(keys: list[SharedKey], node: Node) -> list[SharedKey]:
    """Only keys that lead to a scan by all inputs that read it: what several places read is restricted for all."""
    below = [{id(each) for each in walk(one)} for one in node.inputs]
    readers = {scan: {i for i, nodes in enumerate(below) if scan in nodes} for key in keys for scan in key.columns}
    return [key for key in keys if all(readers[scan] <= key.inputs for scan in key.columns)]


def _distinct(keys: Iterable[SharedKey]) -> Keys:
    """One key for each choice of columns."""
    found: dict[frozenset[tuple[int, str]], SharedKey] = {}
    for key in keys:
        columns = frozenset(key.columns.items())
        found[columns] = key.showing(key.shown | found[columns].shown) if columns in found else key
    return tuple(found.values())


def by_shared_keys(node: Node, derivation: Derivation) -> Bag | None:
    """The delta of a node by the keys that its changes share; None where they share none, or its own rule will do."""
    keys = _keys_to_go_by(node, derivation)
    if not keys:
        return None
    changed = _changed_scans(node, derivation)
    rows = _Touched(keys, _touched_keys(keys, changed, derivation), derivation)
    scans = [each for each in walk(node) if isinstance(each, Scan)]
    after = derivation.over({each: rows.now(each) for each in scans}).new(node)
    before = derivation.over({each: rows.before(each) for each in scans}).new(node)
    label = ", ".join(dict.fromkeys(each.occurrence for each in changed))
    return tuple(replace(each, label=label) for each in (*after, *(each.negated() for each in before)))


def _keys_to_go_by(node: Node, derivation: Derivation) -> Keys:
    known = derivation.shared_keys if derivation.options.share_keys else None
    if (
        known is None
        or _passes_on(node, derivation)
        or _work(node, derivation) < LEAST_WORK
        or _is_volatile(node, derivation)
    ):
        return ()
    keys = known.covering(node, _changed_scans(node, derivation))
    is_coarse = (
        any(_is_closer(each) for each in walk(node))
        or not all(_leads_into(keys, each) for each in walk(node) if isinstance(each, (Aggregate, Window)))
        or _is_finer_below(node, len(keys), known, derivation)
    )
    return () if is_coarse else keys


def _passes_on(node: Node, derivation: Derivation) -> bool:
    """Whether a node has the changes of one input, or joins rows of sources: its own rule reads as little."""
    inputs = [each for each in node.inputs if derivation.changed(each)]
    return is_plain(node) or (_is_linear(node, derivation) and len(inputs) == 1)


def _work(node: Node, derivation: Derivation) -> int:
    """How many changes meet, and how many operators that are not linear in them are between them and the node."""
    changed = [each for each in walk(node) if derivation.changed(each)]
    return sum(isinstance(each, Scan) or not _is_linear(each, derivation) for each in changed)


def _is_linear(node: Node, derivation: Derivation) -> bool:
    """Whether a node does the same to changes as to rows: as all joins do while their right side is unchanged."""
    if isinstance(node, SemiJoin) or (isinstance(node, OuterJoin) and not node.is_full):
        return not derivation.changed(node.right)
    return is_linear(node)


def _is_volatile(node: Node, derivation: Derivation) -> bool:
    stability = derivation.stability
    return stability is not None and any(
        stability.volatile(each) or stability.has_volatile_rows(each) for each in walk(node)
    )


def _is_closer(node: Node) -> bool:
    """Whether a join matches by more than equations, such as ranges: changed rows match less than have their keys."""
    if not isinstance(node, (SemiJoin, OuterJoin)):
        return False
    sides = [set(node.left.columns), set(node.right.columns)]
    conditions = [(each, {one.name for one in each.find_all(exp.Column)}) for each in sql.conjuncts(node.condition)]
    across = [each for each, columns in conditions if all(columns & side for side in sides)]
    return not all(isinstance(each, exp.EQ | exp.NullSafeEQ | exp.NEQ) for each in across)


def _leads_into(keys: Keys, node: Node) -> bool:
    below = {id(each) for each in walk(node)}
    return any(below & set(key.columns) for key in keys)


def _is_finer_below(node: Node, count: int, known: SharedKeys, derivation: Derivation) -> bool:
    """Whether a part of the node falls apart by more keys: under a coarser one, few changes touch many rows."""
    parts = (
        each
        for each in walk(node)
        if each is not node and derivation.changed(each) and not _is_linear(each, derivation)
    )
    return any(
        _work(part, derivation) >= LEAST_WORK and len(known.covering(part, _changed_scans(part, derivation))) > count
        for part in parts
    )


def _changed_scans(node: Node, derivation: Derivation) -> list[Scan]:
    return [each for each in walk(node) if isinstance(each, Scan) and derivation.changed(each)]


def _touched_keys(keys: Keys, changed: list[Scan], derivation: Derivation) -> str:
    """The keys of all changes, each once."""
    places = {(scan.source, tuple(key.columns[id(scan)] for key in keys)): scan for scan in changed}
    reads = [
        sql.read(derivation.source(scan, "delta"), source, [(f"lv_key_{i}", own) for i, own in enumerate(columns)])
        for (source, columns), scan in places.items()
    ]
    queries = [each.query(weight=False) for each in reads]
    query = queries[0].distinct(copy=False) if len(queries) == 1 else exp.union(*queries, distinct=True)
    return derivation.derive(query, "touched_keys")


@dataclass(frozen=True)
class _Touched:
    """Rows of scans under the keys that changed; one relation for all scans of a source by the same columns."""

    keys: Keys
    touched: str
    derivation: Derivation

    def now(self, scan: Scan) -> Bag:
        return (sql.read(self._now(scan), scan.occurrence, scan.reads),)

    def before(self, scan: Scan) -> Bag:
        if not self.derivation.changed(scan):
            return self.now(scan)
        return (sql.read(self._before(scan), scan.occurrence, scan.reads),)

    def _now(self, scan: Scan) -> str:
        own = [
            (sql.column(key.columns[id(scan)]), f"lv_key_{i}")
            for i, key in enumerate(self.keys)
            if id(scan) in key.columns
        ]
        relation = self.derivation.source(scan, "new")
        if not own:
            return relation
        rows = sql.read(relation, scan.source, self._columns(scan))
        return self.derivation.derive(matches_some(rows, own, self.touched).query(), f"touched_{scan.source}")

    def _before(self, scan: Scan) -> str:
        """What is there now, minus what came, plus what went; as plain rows, for operators that are not linear."""
        now = sql.read(self._now(scan), scan.source, self._columns(scan))
        delta = sql.read(self.derivation.source(scan, "delta"), scan.source, self._columns(scan))
        if not self.derivation.insert_only(scan):
            delta = replace(delta, weight=sql.column(WEIGHT, scan.source))
        columns = self.derivation.sources[scan.source].columns
        rows = self.derivation.consolidated((now, delta.negated()), columns, f"before_{scan.source}")
        return self.derivation.derive(rows.query(), f"touched_{scan.source}_before")

    def _columns(self, scan: Scan) -> list[tuple[str, str]]:
        return [(each, each) for each in self.derivation.sources[scan.source].columns]
