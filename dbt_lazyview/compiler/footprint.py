"""
What a refresh computes from all rows of a source, found in the steps of the plan itself.

A step grows with the sources unless something that goes with the changes restricts what it reads: a delta it joins with
by an equation, or keys in an EXISTS. A step is computed in full if it computes across rows (groups, windows, distinct)
that grow, and somebody reads it without restricting it to keys in turn. Auxiliary states are no sources.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from dbt_lazyview.compiler.block import conjuncts
from dbt_lazyview.compiler.derivation import Derivation
from dbt_lazyview.compiler.functions import is_aggregate
from dbt_lazyview.compiler.plan import ReadSource, RestoreSource


def computed_in_full(derivation: Derivation, last: str) -> set[str]:
    """The steps behind `last` that compute across all rows of a source."""
    return _Footprint(derivation).in_full(last)


@dataclass
class _Footprint:
    derivation: Derivation
    grows: set[str] = field(default_factory=set)  # steps whose size goes with the sources
    computes: set[str] = field(default_factory=set)  # steps that compute across rows that grow

    def __post_init__(self) -> None:
        for name, step in self.derivation.steps.items():
            selects = list(_selects(self.derivation.queries.get(name, ())))
            if isinstance(step, ReadSource | RestoreSource) and not step.source.is_auxiliary:
                self.grows.add(name)
            for select in selects:
                if self._unrestricted(select):
                    self.computes |= {name} if _computes_across(select) else set()
                    self.grows |= set() if _is_one_row(select) else {name}

    def in_full(self, last: str) -> set[str]:
        wanted = {last}  # in full, not only by keys
        for name in reversed(self.derivation.steps):
            if name in wanted:
                for select in _selects(self.derivation.queries.get(name, ())):
                    aliases = _aliases(select)
                    by_keys = self._restricted(select) - self._small(aliases)
                    wanted |= {aliases[alias] for alias in set(aliases) - by_keys}
        return self.computes & wanted

    def _unrestricted(self, select: exp.Select) -> bool:
        """Whether a SELECT reads something that grows, and nothing restricts it."""
        aliases = _aliases(select)
        return any(aliases[alias] in self.grows for alias in set(aliases) - self._restricted(select))

    def _restricted(self, select: exp.Select) -> set[str]:
        """The relations in FROM that go with the changes, or are tied by equations to one that does."""
        aliases = _aliases(select)
        predicates = list(_predicates(select))
        found = self._small(aliases)
        for each in predicates:
            if isinstance(each, exp.Exists):
                found |= self._restricted_by_keys(each.this)
        ties = [tables for each in predicates if len(tables := _equated(each)) > 1]
        while more := {alias for tie in ties if tie & found for alias in tie & set(aliases)} - found:
            found |= more
        return found

    def _small(self, aliases: dict[str, str]) -> set[str]:
        return {alias for alias, name in aliases.items() if name not in self.grows | self.computes}

    def _restricted_by_keys(self, keys: exp.Select) -> set[str]:
        """The outer relations that an EXISTS over keys ties to them."""
        inner = _aliases(keys)
        if any(name in self.grows for name in inner.values()):
            return set()
        ties = [_equated(each) for each in _predicates(keys)]
        return {alias for tie in ties if tie & set(inner) for alias in tie - set(inner)}


def _selects(queries: tuple[exp.Query, ...]) -> Iterator[exp.Select]:
    for query in queries:
        if isinstance(query, exp.Select):
            yield query
        elif isinstance(query, exp.SetOperation):
            yield from _selects((query.left, query.right))


def _aliases(select: exp.Select) -> dict[str, str]:
    """The named relations in FROM."""
    first = [select.args["from_"].this] if select.args.get("from_") else []
    relations = first + [join.this for join in select.args.get("joins") or []]
    return {each.alias_or_name: each.name for each in relations if isinstance(each, exp.Table)}


def _predicates(select: exp.Select) -> Iterator[exp.Expr]:
    where = select.args.get("where")
    yield from conjuncts(where.this if where is not None else None)
    for join in select.args.get("joins") or []:
        yield from conjuncts(join.args.get("on"))


def _equated(predicate: exp.Expr) -> set[str]:
    """The relations that an equation ties together; nothing for any other predicate."""
    predicate = predicate.unnest()
    if isinstance(predicate, exp.Or):
        return _equated_in_all(list(predicate.flatten()))
    if isinstance(predicate, exp.Coalesce):  # NOT IN: equal, or unknown because of a NULL
        return _equated(predicate.this)
    if not isinstance(predicate, exp.EQ | exp.NullSafeEQ):
        return set()
    sides = [{each.table for each in side.find_all(exp.Column)} for side in (predicate.left, predicate.right)]
    return sides[0] | sides[1] if all(sides) else set()


def _equated_in_all(alternatives: list[exp.Expr]) -> set[str]:
    """What each of several alternatives ties together: Spark takes such an equation out of them."""
    ties = [{frozenset(_equated(each)) for each in conjuncts(one)} - {frozenset()} for one in alternatives]
    common = set.intersection(*ties)
    return set(next(iter(sorted(common, key=sorted)), ()))


def _computes_across(select: exp.Select) -> bool:
    has_calls = any(
        is_aggregate(each) or isinstance(each, exp.Window) for item in select.selects for each in item.walk()
    )
    outer = any(join.side for join in select.args.get("joins") or [])
    return bool(has_calls or outer or select.args.get("group") or select.args.get("distinct"))


def _is_one_row(select: exp.Select) -> bool:
    has_windows = any(item.find(exp.Window) for item in select.selects)
    return not select.args.get("group") and not has_windows and any(item.find(exp.AggFunc) for item in select.selects)
