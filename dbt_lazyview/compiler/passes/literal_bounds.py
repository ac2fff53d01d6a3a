"""
Literal bounds: rows of a large table that only matter where a key equals one in a delta lie between the least and the
greatest key of the delta. Written as literals, the two let Delta skip files.

A relation may be bounded on a column if every place that reads it either equates the column with one that comes from a
delta, or passes it on to a relation of which the same is true.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from sqlglot import exp

from dbt_lazyview.compiler.block import conjuncts
from dbt_lazyview.compiler.derivation import Derivation, text
from dbt_lazyview.compiler.plan import (
    Bound,
    CaptureDelta,
    DeltaColumn,
    Range,
    ReadSource,
    RefreshPlan,
    RestoreSource,
    Source,
    Stage,
    Step,
)

Place = tuple[str, str]  # an alias and a column of it
Origins = frozenset[tuple[str, str]]  # relations and columns of deltas
NOWHERE: Origins = frozenset()
TypeOf = Callable[[Source, str], str]  # the type of a column of a source

# Types whose literals sort like their values, with what follows a number; the zone of timestamps may repeat an hour.
_SUFFIXES = {"tinyint": "Y", "smallint": "S", "int": "", "bigint": "L", "date": "", "string": ""}


def ranges(derivation: Derivation, plan: RefreshPlan) -> tuple[Range, ...]:
    """What may be bounded in a plan: columns of sources that it reads, and keys of the state."""
    if not derivation.options.literal_bounds:
        return ()
    names = {step.name for stage in plan.stages for step in stage.steps} | {step.name for step in plan.steps}
    reads = _Reads(derivation, names, plan.change)
    sources = [step for name in names if isinstance(step := derivation.steps[name], ReadSource)]
    of_sources = [
        _range(step, each, reads.origins_of_readers(step.name, each), derivation)
        for step in sorted(sources, key=lambda step: step.name)
        for each in step.source.columns
    ]
    of_keys = [_range(None, key.name, reads.origins(plan.change, key.name), derivation) for key in plan.layout.keys]
    return tuple(each for each in (*of_sources, *of_keys) if each is not None)


def of_one_type(found: Range, type_of: TypeOf) -> Range | None:
    """The range with its type, where all columns have the same one and its order is that of its literals."""
    kinds = {type_of(each.delta.source, each.column) for each in found.deltas}
    if found.source is not None:
        kinds.add(type_of(found.source, found.column))
    kind = kinds.pop() if len(kinds) == 1 else ""
    return replace(found, type=kind) if kind in _SUFFIXES or kind.startswith("decimal") else None


def literal(value: str, kind: str) -> str:
    """
    A value as text, as a literal of its type.

    Example:
        >>> literal("5", "bigint"), literal("2024-02-29", "date"), literal("it's", "string")
        ('5L', "DATE '2024-02-29'", "'it\\\\'s'")
    """
    if kind == "date":
        return text(exp.Introducer(this=exp.Var(this="DATE"), expression=exp.Literal.string(value)))
    if kind == "string":
        return text(exp.Literal.string(value))
    return f"{value}{_SUFFIXES.get(kind, 'BD')}"


def bounded(plan: RefreshPlan, bounds: Mapping[Range, Bound]) -> RefreshPlan:
    """The plan with some ranges written down."""
    by_step: dict[str, tuple[Bound, ...]] = {}
    for each, bound in bounds.items():
        by_step[each.step] = (*by_step.get(each.step, ()), bound)

    def of(step: Step) -> Step:
        return replace(step, bounds=by_step.get(step.name, ())) if isinstance(step, ReadSource) else step

    stages = tuple(Stage(each.relation, tuple(map(of, each.steps))) for each in plan.stages)
    return replace(plan, stages=stages, steps=tuple(map(of, plan.steps)), bounds=by_step.get("", ()))


def _range(step: ReadSource | None, column: str, origins: Origins | None, derivation: Derivation) -> Range | None:
    if not origins:
        return None
    deltas = []
    for relation, own in sorted(origins):
        delta = derivation.steps[relation]
        assert isinstance(delta, CaptureDelta)
        deltas.append(DeltaColumn(delta, own))
    return Range(step.name if step else "", step.source if step else None, column, tuple(deltas))


class _Select:
    """What a SELECT reads, and which columns it equates; `step` is the relation that it gives the rows of, if any."""

    def __init__(self, select: exp.Select, step: str | None) -> None:
        self.select, self.step = select, step
        self.tables = {each.alias_or_name: each.name for each in _tables(select)}
        joins = _joins(select)
        self.padded = {join.this.alias_or_name for join in joins if join.side}
        self.is_full = any(join.side == "FULL" for join in joins)
        self.equal: dict[Place, list[Place]] = {}  # columns that all rows that matter have equal; NULLs, too
        where = select.args.get("where")
        for predicate in conjuncts(where.this if where is not None else None):
            self._learn(predicate)
        for join in joins:
            for predicate in conjuncts(join.args.get("on")):
                self._learn(predicate, only=join.this.alias_or_name if join.side else None)

    def _learn(self, predicate: exp.Expr, only: str | None = None) -> None:
        """`only`: the condition of an outer join says nothing about rows of the other side."""
        if isinstance(predicate, exp.Exists) and isinstance(predicate.this, exp.Select):
            where = predicate.this.args.get("where")
            inner = self._named_apart(predicate.this)
            for each in conjuncts(where.this if where is not None else None):
                self._learn_equation(each, only, inner)
        else:
            self._learn_equation(predicate, only, {})

    def _named_apart(self, inner: exp.Select) -> dict[str, str]:
        """The aliases inside an EXISTS, each with a name of its own outside: other EXISTS may have the same."""
        names = {}
        for table in _tables(inner):
            names[table.alias_or_name] = f"{table.alias_or_name} in {len(self.tables)}"
            self.tables[names[table.alias_or_name]] = table.name
        return names

    def _learn_equation(self, predicate: exp.Expr, only: str | None, inner: Mapping[str, str]) -> None:
        """`inner`: the relations of an EXISTS, of which some row has the same value."""
        if not isinstance(predicate, exp.EQ | exp.NullSafeEQ):
            return
        for one, other in ((predicate.left, predicate.right), (predicate.right, predicate.left)):
            if isinstance(one, exp.Column) and isinstance(other, exp.Column) and only in (None, one.table):
                is_about_outside = one.table not in inner and (not inner or other.table in inner)
                if is_about_outside:
                    place = (inner.get(other.table, other.table), other.name)
                    self.equal.setdefault((one.table, one.name), []).append(place)

    @cached_property
    def passed_on(self) -> dict[Place, str]:
        """The names under which columns are given away, where rows with other values do not show in the result."""
        if self.is_full or not self.step or self._looks_across():
            return {}
        group = self.select.args.get("group")
        keys = self.select.selects[: len(group.expressions)] if group is not None else self.select.selects
        columns = ((item.unalias(), item.alias_or_name) for item in keys)
        return {
            (own.table, own.name): name
            for own, name in columns
            if isinstance(own, exp.Column) and own.table not in self.padded  # they decide which rows are padded
        }

    def _looks_across(self) -> bool:
        """Whether a row of the result depends on rows of other groups: of other windows, or of all rows."""
        items, is_grouped = self.select.selects, self.select.args.get("group") is not None
        is_total = not is_grouped and any(item.find(exp.AggFunc) for item in items)
        return is_total or bool(self.select.args.get("limit")) or any(item.find(exp.Window) for item in items)


class _Reads:
    """Who reads what in a plan, and where columns come from."""

    def __init__(self, derivation: Derivation, names: set[str], last: str) -> None:
        self.derivation, self.last = derivation, last
        self.readers: dict[str, list[tuple[_Select, str]]] = {}  # by relation: the SELECT and its alias there
        self.restored: dict[str, list[str]] = {}
        self.giving: dict[str, list[_Select]] = {}  # by relation
        self.around: dict[int, _Select] = {}
        self.known: dict[tuple[str, str], Origins | None] = {}
        self.known_of_readers: dict[tuple[str, str], Origins | None] = {}
        for name in names:
            step = derivation.steps[name]
            if isinstance(step, RestoreSource):
                self.restored.setdefault(step.new, []).append(name)
            for query in derivation.queries.get(name, ()):
                self._add(query, name)

    def _add(self, query: exp.Expr, name: str) -> None:
        giving = {id(each) for each in _giving(query)}
        for each in query.find_all(exp.Select):
            select = _Select(each, name if id(each) in giving else None)
            self.around[id(each)] = select
            if select.step:
                self.giving.setdefault(name, []).append(select)
            for table in _tables(each):
                self.readers.setdefault(table.name, []).append((select, table.alias_or_name))

    def origins_of_readers(self, relation: str, column: str) -> Origins | None:
        """The columns of deltas among whose values are all of this column that matter; None where all may matter."""
        if (relation, column) not in self.known_of_readers:
            self.known_of_readers[relation, column] = self._origins_of_readers(relation, column)
        return self.known_of_readers[relation, column]

    def _origins_of_readers(self, relation: str, column: str) -> Origins | None:
        if relation == self.last:
            return None
        readers = self.readers.get(relation, ())
        found = [self._origins_of_reader(select, (alias, column)) for select, alias in readers]
        found += [self.origins_of_readers(name, column) for name in self.restored.get(relation, ())]
        return _all(found)

    def _origins_of_reader(self, select: _Select, place: Place) -> Origins | None:
        """Where the values come from that one reader compares a column with, or that the readers of its rows do."""
        if select.is_full:
            return None
        origins = self._origins_of_equals(select, place, set())
        output = select.passed_on.get(place) if origins is None else None
        return self.origins_of_readers(select.step, output) if select.step and output else origins

    def _origins_of_equals(self, select: _Select, place: Place, seen: set[Place]) -> Origins | None:
        """Where the columns come from that equal this one, directly or by way of others."""
        seen.add(place)
        for other in select.equal.get(place, ()):
            if other not in seen:
                origins = self._origins_in(select, other)
                if origins is None:
                    origins = self._origins_of_equals(select, other, seen)
                if origins is not None:
                    return origins
        return None

    def origins(self, relation: str, column: str) -> Origins | None:
        """The columns of deltas that a relation's column has its values from."""
        if isinstance(self.derivation.steps.get(relation), CaptureDelta):
            return frozenset({(relation, column)})
        if (relation, column) not in self.known:
            giving = self.giving.get(relation, ())
            found = [self._origins_of_output(select, column) for select in giving]
            self.known[relation, column] = _all(found) if found else None
        return self.known[relation, column]

    def _origins_of_output(self, select: _Select, output: str) -> Origins | None:
        item = next((each.unalias() for each in select.select.selects if each.alias_or_name == output), None)
        if not isinstance(item, exp.Column):
            return None
        place = (item.table, item.name)
        origins = self._origins_in(select, place)
        return self._origins_of_equals(select, place, set()) if origins is None and not select.is_full else origins

    def _origins_in(self, select: _Select, place: Place) -> Origins | None:
        """Where a column comes from that a SELECT sees, its own or one of a SELECT around it."""
        alias, name = place
        if alias in select.tables:
            return self.origins(select.tables[alias], name)
        around = select.select.parent_select
        return self._origins_in(self.around[id(around)], place) if around is not None else None


def _all(found: list[Origins | None]) -> Origins | None:
    known = [each for each in found if each is not None]
    return NOWHERE.union(*known) if len(known) == len(found) else None


def _giving(query: exp.Expr) -> Iterator[exp.Select]:
    """The SELECTs whose rows are those of a query."""
    if isinstance(query, exp.Select):
        yield query
    elif isinstance(query, exp.SetOperation):
        yield from _giving(query.left)
        yield from _giving(query.right)
    elif isinstance(query, exp.Subquery):
        yield from _giving(query.this)


def _joins(select: exp.Select) -> list[exp.Join]:
    return select.args.get("joins") or []


def _tables(select: exp.Select) -> list[exp.Table]:
    first = [select.args["from_"].this] if select.args.get("from_") else []
    return [each for each in first + [join.this for join in _joins(select)] if isinstance(each, exp.Table)]
