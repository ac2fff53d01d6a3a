"""
New, old and delta of every node, written as named steps.

E+ is a node's rows after the window, E- before it, D(E) = E+ - E- as signed bags. Each operator gives its rows and its
delta from those of its inputs (operators/*.py); this module keeps what they share: which sources changed, the steps
written so far, and the old side of operators that are not linear.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard, TypeVar

from sqlglot import exp

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.algebra import Node, Project, Scan, only_renames, walk
from dbt_lazyview.compiler.block import Bag, Block
from dbt_lazyview.compiler.dialect import DIALECT
from dbt_lazyview.compiler.passes.broadcast_hints import BYTES_PER_ROW, add_hints, are_few, is_small, very_few
from dbt_lazyview.compiler.plan import (
    CaptureDelta,
    Derive,
    ReadSource,
    ReadState,
    RestoreSource,
    Source,
    StateLayout,
    StateRead,
    Step,
    Sum,
    Term,
    Window,
)
from dbt_lazyview.compiler.stability import Stability
from dbt_lazyview.names import WEIGHT

if TYPE_CHECKING:
    from dbt_lazyview.compiler.passes.shared_keys import SharedKeys

N = TypeVar("N", bound=Node, contravariant=True)


class When(Enum):
    NEW = "new"
    OLD = "old"
    CAME = "came"  # new, but not old


class Rule(Protocol[N]):
    """What an operator must know. `is_linear`: its rows may be computed from a weighted bag."""

    is_linear: bool

    def rows(self, node: N, when: When, derivation: "Derivation") -> Bag: ...

    def delta(self, node: N, derivation: "Derivation") -> Bag: ...


@dataclass(frozen=True)
class Options:
    """The passes that can be switched off; every test passes either way."""

    condense: bool = True  # of a delta only the net effect on the columns in use is joined
    insert_only: bool = True  # a window that only added rows is not condensed, and min/max stay additive
    skip_unchanged: bool = True  # sources without data changes get no term
    skip_irrelevant: bool = True  # changes that filters and unused columns keep out only move the cut
    stage_repeated: bool = True  # what several places read is computed once
    push_keys: bool = True  # groups and windows beside a delta are computed for its keys only
    hint_broadcast: bool = True  # small deltas are broadcast
    group_early: bool = True  # other deltas are grouped before they are joined
    literal_bounds: bool = True  # of large tables only the files are read that may have a key of the delta
    largest_first: bool = True  # a delta is joined with the largest inputs first, while it is small itself
    fresh_keys: bool = True  # changes under keys that were not there before are joined with each other alone
    join_unchanged_once: bool = True  # inputs of a join that did not change are joined to the sum of its terms
    stored_before: bool = True  # what rows of a key were before is read from the state, not computed again
    share_keys: bool = True  # subtrees whose changes have a key in common read each table once, for these keys
    checked_sums: bool = True  # sums of wide decimals are added to, and the statement fails where one overflows


ALL_ON = Options()
ALL_OFF = Options(**{each.name: False for each in fields(Options)})


@dataclass
class Derivation:
    """The steps of one refresh (or, without windows, of one build), written on demand."""

    sources: Mapping[str, Source]
    windows: Mapping[str, Window]
    options: Options = ALL_ON
    stability: Stability | None = None
    shared: frozenset[int] = frozenset()  # identities of nodes that several places read
    shared_keys: "SharedKeys | None" = None  # by which the rows of nodes fall apart
    steps: dict[str, Step] = field(default_factory=dict)
    queries: dict[str, tuple[exp.Query, ...]] = field(default_factory=dict)  # behind the steps that have any
    _small: set[str] = field(default_factory=set)  # relations known to have few rows
    _written: dict[Step, str] = field(default_factory=dict)
    _memo: dict[tuple[int, str], Bag] = field(default_factory=dict)
    _changed: dict[int, bool] = field(default_factory=dict)
    _beside: list["Derivation"] = field(default_factory=list)  # of the same steps, over other rows

    # What operators ask.

    def new(self, node: Node) -> Bag:
        return self._remembered(node, "new", lambda: _rule(node).rows(node, When.NEW, self))

    def old(self, node: Node) -> Bag:
        """E-: of a linear operator its rows over old inputs, else new plus negated delta; a weighted bag."""
        if not self.changed(node):
            return self.new(node)
        if _rule(node).is_linear:
            return self._remembered(node, "old", lambda: _rule(node).rows(node, When.OLD, self))
        return (*self.new(node), *(block.negated() for block in self.delta(node)))

    def rows(self, node: Node, when: When) -> Bag:
        if when is When.CAME:
            return self.delta(node)
        return self.new(node) if when is When.NEW else self.old(node)

    def delta(self, node: Node) -> Bag:
        if not self.changed(node):
            return ()
        return self._remembered(node, "delta", lambda: _rule(node).delta(node, self))

    def bytes_of(self, node: Node) -> int:
        """How large the sources under a node are, as far as that is known."""
        scans = [each for each in walk(node) if isinstance(each, Scan)]
        return sum(self.windows[each.source].bytes for each in scans if each.source in self.windows)

    def changed(self, node: Node) -> bool:
        if id(node) not in self._changed:
            if isinstance(node, Scan):
                window = self.windows.get(node.source)
                found = window is not None and (window.changed or not self.options.skip_unchanged)
            else:
                found = any(self.changed(each) for each in node.inputs)
            self._changed[id(node)] = found
        return self._changed[id(node)]

    def insert_only(self, node: Node) -> bool:
        """
        Whether the node only gains rows in this window. Where an operator is not linear, a row that comes below it may
        take one away above it.
        """
        if not self.changed(node):
            return True
        if isinstance(node, Scan):
            return self.options.insert_only and self.windows[node.source].insert_only
        return _rule(node).is_linear and all(self.insert_only(each) for each in node.inputs)

    def is_volatile(self, node: Node, expressions: Iterable[exp.Expr]) -> bool:
        """Whether expressions over the node's input may come out differently when computed again."""
        return self.stability is not None and any(self.stability.uses_volatile(node, each) for each in expressions)

    def relations(self, node: Node) -> set[str]:
        """The relations that the rows and the delta of a node were read from so far."""
        memos = [self._memo, *(each._memo for each in self._beside)]
        bags = [bag for memo in memos for (own, _), bag in memo.items() if own == id(node)]
        return {item.relation for bag in bags for block in bag for item in block.items}

    def is_reference(self, node: Node) -> TypeGuard[Project]:
        """Whether a node only gives other names to what several places read."""
        return only_renames(node) and (id(node.input) in self.shared or self.is_reference(node.input))

    def is_small(self, relation: str) -> bool:
        """Whether a relation is known to have few rows."""
        return relation in self._small

    @property
    def follows_few_changes(self) -> bool:
        """Whether few rows changed in all sources together."""
        told = [each.rows for each in self.windows.values() if each.changed]
        return None not in told and are_few(sum(rows for rows in told if rows is not None))

    def share_of(self, delta: Block, node: Node) -> float | None:
        """About how much of a node's rows are in its delta; None where these are not known to be very few."""
        steps = [self.steps.get(item.relation) for item in delta.items]
        rows = very_few(steps[0]) if len(steps) == 1 and self.options.hint_broadcast else None
        return None if rows is None else min(1.0, rows * BYTES_PER_ROW / max(self.bytes_of(node), 1))

    def over(self, rows: Mapping[Scan, Bag]) -> "Derivation":
        """The same derivation, in which scans have other rows than those of their sources."""
        found = replace(self, _memo={(id(scan), "new"): bag for scan, bag in rows.items()})
        self._beside.append(found)
        return found

    # How operators write.

    def single(self, bag: Bag, columns: Iterable[str], name: str) -> Block:
        """One block for a bag: itself, or a read of the named sum of its blocks."""
        if len(bag) == 1:
            return bag[0]
        return self.read_sum(bag, columns, name)

    def single_delta(self, node: Node, name: str) -> Block:
        """One block for a node's delta; what several places read under names of their own is written once."""
        if self.is_reference(node):
            return self.single_delta(node.input, name).project(node.outputs)
        return self.single(self.delta(node), node.columns, name)

    def read_sum(self, bag: Bag, columns: Iterable[str], name: str) -> Block:
        names = tuple(columns)
        written = self.sum(bag, names, name)
        weight = sql.column(WEIGHT, name)
        return sql.read(written, name, [(each, each) for each in names], weight=weight, label=labels(bag))

    def sum(self, bag: Bag, columns: tuple[str, ...], name: str) -> str:
        """Write a bag as a sum of terms tagged with their SSN (Z 3.3); gives the relation's name."""
        queries = tuple(
            replace(block, columns={c: block.columns[c] for c in columns}).query(weight=True) for block in bag
        )
        self._hint(queries)
        terms = tuple(
            Term(ssn, block.label, text(query)) for ssn, (block, query) in enumerate(zip(bag, queries, strict=True), 1)
        )
        return self._write(Sum(name, terms), queries)

    def derive(self, query: exp.Query, name: str) -> str:
        self._hint((query,))
        return self._write(Derive(name, text(query)), (query,))

    def named(self, block: Block, name: str, few: bool = False) -> Block:
        """A read of the block's rows under a name of their own; `few` if it is known that there are few."""
        written = self.derive(block.query(), name)
        if few:
            self._small.add(written)
        weight = sql.column(WEIGHT, written) if block.weight is not None else None
        return sql.read(written, written, [(each, each) for each in block.columns], weight=weight, label=block.label)

    def consolidated(self, bag: Bag, columns: Iterable[str], name: str) -> Block:
        """A weighted bag as plain rows: weights summed, zero rows gone, the rest repeated (DESIGN 4, traps)."""
        names = tuple(columns)
        if all(block.weight is None for block in bag) and len(bag) == 1:
            return bag[0]
        total = self.read_sum(bag, names, name)
        weight = exp.Sum(this=sql.column(WEIGHT, name))
        query = by_position(total.query(weight=False), len(names))
        query = query.select(sql.named(sql.cast(weight.copy(), "bigint"), WEIGHT), copy=False)
        query = query.having(exp.GT(this=weight, expression=exp.Literal.number(0)), copy=False)
        net = self.derive(query, f"{name}_net")
        return repeated(sql.read(net, name, [(each, each) for each in names]), sql.column(WEIGHT, name))

    def state(self, read: StateRead, layout: StateLayout) -> str:
        return self._write(ReadState("stored", read, layout.columns), ())

    def source(self, scan: Scan, kind: str) -> str:
        """Name of the relation that gives a source new, old or as delta; written when first asked for."""
        source = self.sources[scan.source]
        name = f"{kind}_{source.alias}"
        if name not in self.steps:
            self.steps[name] = self._source_step(kind, name, source, scan)
            self._notice_size(name)
        return name

    def _source_step(self, kind: str, name: str, source: Source, scan: Scan) -> Step:
        window = self.windows[source.alias]
        if kind == "new":
            return ReadSource(name, source, None if window.is_open else window.upto)
        if kind == "delta":
            is_plain_stream = window.is_open or (self.options.insert_only and window.insert_only)
            return CaptureDelta(name, source, window, condense=self.options.condense and not is_plain_stream)
        return RestoreSource(name, source, new=self.source(scan, "new"), delta=self.source(scan, "delta"))

    def _hint(self, queries: tuple[exp.Query, ...]) -> None:
        for query in queries if self._small and self.options.hint_broadcast else ():
            add_hints(query, self._small)

    def _write(self, step: Step, queries: tuple[exp.Query, ...]) -> str:
        """Add a step under a name of its own, unless the same is there already."""
        content = replace(step, name="")
        if content not in self._written:
            name = sql.fresh(step.name, self.steps)
            self.steps[name], self._written[content] = replace(step, name=name), name
            self.queries[name] = queries
            self._notice_size(name)
        return self._written[content]

    def _notice_size(self, name: str) -> None:
        if is_small(self.steps[name], self.queries.get(name, ()), self._small):
            self._small.add(name)

    def _remembered(self, node: Node, kind: str, make: "object") -> Bag:
        if (id(node), kind) not in self._memo:
            self._memo[(id(node), kind)] = make()  # type: ignore[operator]
        return self._memo[(id(node), kind)]


def labels(bag: Bag) -> str:
    """The occurrences whose changes stand behind a bag."""
    return ", ".join(dict.fromkeys(place for block in bag for place in block.label.split(", ") if place))


def repeated(block: Block, times: exp.Expr) -> Block:
    """Each row as often as it counts."""
    generator = exp.Explode(this=exp.GenerateSeries(start=exp.Literal.number(1), end=times))
    alias = sql.fresh("lv_copies", {each.alias for each in block.laterals})
    return replace(block, laterals=(*block.laterals, sql.Lateral(generator, alias, ("lv_copy",), outer=False)))


def by_position(query: exp.Select, keys: int) -> exp.Select:
    """GROUP BY the first columns; by position, because a constant key would be taken for one."""
    return query.group_by(*(exp.Literal.number(position + 1) for position in range(keys)), copy=False)


def matches_some(block: Block, keys: Iterable[tuple[exp.Expr, str]], relation: str) -> Block:
    """Keep the rows whose key expressions equal, null-safe, a row of a relation of keys (expression, its column)."""
    return replace(block, where=(*block.where, _exists(block, keys, relation)))


def matches_none(block: Block, keys: Iterable[tuple[exp.Expr, str]], relation: str) -> Block:
    """Keep the rows whose key expressions equal no row of a relation of keys."""
    return replace(block, where=(*block.where, exp.Not(this=_exists(block, keys, relation))))


def _exists(block: Block, keys: Iterable[tuple[exp.Expr, str]], relation: str) -> exp.Exists:
    alias = f"lv_{relation}"
    conditions = [
        exp.NullSafeEQ(this=sql.column(name, alias), expression=sql.as_factor(sql.substitute(each, block.columns)))
        for each, name in keys
    ]
    table = exp.Table(this=sql.identifier(relation), alias=exp.TableAlias(this=sql.identifier(alias)))
    return exp.Exists(this=exp.select("1").from_(table).where(*conditions))


def is_plain(node: Node) -> bool:
    """Whether a node's rows are filtered, joined and joined up rows of sources: nothing is computed across rows."""
    return is_linear(node) and all(is_plain(each) for each in node.inputs)


def is_linear(node: Node) -> bool:
    """Whether a node's rows may be computed from a weighted bag."""
    return _rule(node).is_linear


def text(query: exp.Expr) -> str:
    """Print as Spark SQL an expression that is nobody else's: printing may change it."""
    return query.sql(dialect=DIALECT, pretty=True, copy=False)


def _rule(node: Node) -> Rule[Any]:
    from dbt_lazyview.compiler.operators import RULES

    return RULES[type(node)]
