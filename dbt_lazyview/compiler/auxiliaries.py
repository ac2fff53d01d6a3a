"""
Auxiliary states: inner aggregates that refreshes would compute from all rows are kept as lazy views of their own, which
only their owner reads. A refresh brings them to the cut first, and then reads what they store.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.algebra import Aggregate, Node, Project, Scan, rewritten, walk
from dbt_lazyview.compiler.catalog import Catalog, Column, Name, Table
from dbt_lazyview.compiler.demand import needed_in_full
from dbt_lazyview.compiler.derivation import Derivation
from dbt_lazyview.compiler.folding import build_query
from dbt_lazyview.compiler.plan import Source
from dbt_lazyview.compiler.sources import used_sources
from dbt_lazyview.compiler.state import State, partials_of, stored_state
from dbt_lazyview.compiler.types import UNCHANGED, TypeReader, as_query
from dbt_lazyview.compiler.view import Auxiliary, View, digest
from dbt_lazyview.names import AUXILIARY_ALIAS, AUXILIARY_INFIX, COUNT, STATE_SUFFIX


@dataclass
class Auxiliaries:
    """Takes inner aggregates out of the tree of a view; `tables` then has their states too."""

    owner: Name
    fingerprint: str  # of the owner, and so of what they mean
    query: exp.Query
    tables: dict[str, Table]
    catalog: Catalog
    exact: bool
    found: dict[str, Auxiliary] = field(default_factory=dict)  # by the short name of their state

    def taken_out(self, root: Node, stored: State, types: TypeReader) -> Node:
        """The tree over auxiliary states; `stored` and `types` are those of the tree as it is."""

        def is_cheap(aggregate: Aggregate) -> bool:
            return bool(aggregate.keys) or partials_of(aggregate, types, self.exact)[0].always_add_up

        wanted = needed_in_full(stored.aggregate.input, not is_cheap(stored.aggregate), is_cheap)
        replaced: dict[int, Node] = {}
        for aggregate in wanted:
            over_states = _with(replaced, aggregate)
            assert isinstance(over_states, Aggregate)
            read = self._stored_apart(over_states)
            if read is not None:
                replaced[id(aggregate)] = read
        return _with(replaced, root)

    def read_by(self, root: Node) -> tuple[Auxiliary, ...]:
        """Those that a tree reads."""
        names = dict.fromkeys(node.source for node in walk(root) if isinstance(node, Scan))
        return tuple(self.found[name] for name in names if name in self.found)

    def _stored_apart(self, aggregate: Aggregate) -> Node | None:
        """The finished groups over a state of their own; None where they cannot be found again by their keys."""
        sources = used_sources(aggregate, self.tables)
        types = TypeReader(self.tables, sources, self.catalog)
        state = stored_state(aggregate, types, self.exact)
        if state.is_bag:
            return None
        number = len(self.found) + 1
        alias = f"{AUXILIARY_ALIAS}{number}"
        name = auxiliary_name(self.owner, number)
        rows = _rows(state, {each.alias: each for each in sources}, self.tables)
        stored = self.catalog.describe(rows)
        kinds = types.types_of(aggregate, [sql.column(each) for each in aggregate.columns])
        columns = tuple(Column(*each) for each in zip(aggregate.columns, kinds, strict=True))
        self.found[alias] = Auxiliary(
            name,
            View(
                rows, columns, sources, self._fingerprint(rows), state.layout, (), self.read_by(aggregate),
                self.query, aggregate, aggregate.columns, state, dict(self.tables),
            ),
        )  # fmt: skip
        self.tables[alias] = Table((*name[:-1], name[-1] + STATE_SUFFIX), stored, rows=rows)
        return _finished(alias, state, columns, self.tables[alias])

    def _fingerprint(self, rows: str) -> str:
        """Numbers may mean something else in the next release; rows do not."""
        return digest(f"{self.fingerprint} auxiliary {rows}")


def auxiliary_name(owner: Name, number: int) -> Name:
    """
    The name of an auxiliary, made from that of its owner.

    Example:
        >>> auxiliary_name(("x", "v"), 1)
        ('x', 'v__aux_1')
    """
    return (*owner[:-1], f"{owner[-1]}{AUXILIARY_INFIX}{number}")


def _finished(alias: str, state: State, columns: tuple[Column, ...], table: Table) -> Node:
    """The groups as the aggregate gives them, from what is stored."""
    reads = {each.name: f"{alias}_{each.name}" for each in table.columns}
    scan = Scan(alias, alias, tuple((own, stored) for stored, own in reads.items()))
    names = {stored: sql.column(reads[stored]) for stored in (COUNT, *state.partials.stored)}
    finished = {name: sql.substitute(each, names) for name, each in state.finished.items()}
    keys = {name: sql.column(reads[name]) for name in state.keys}
    outputs = [
        (each.name, keys[each.name] if each.name in keys else sql.finished(finished[each.name], each.type))
        for each in columns
    ]
    return Project(scan, tuple(outputs))


def _rows(state: State, sources: Mapping[str, Source], tables: Mapping[str, Table]) -> str:
    derivation = Derivation(sources, dict.fromkeys(sources, UNCHANGED))
    last = build_query(state, derivation)
    return as_query(derivation, last, tables)


def _with(replaced: Mapping[int, Node], root: Node) -> Node:
    return rewritten(root, lambda node, rebuilt: replaced.get(id(node), rebuilt))
