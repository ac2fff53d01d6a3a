"""A view explained: its tree with rules and costs, what a change of each source causes, and what will be expensive."""

from dataclasses import dataclass, field
from textwrap import fill

from dbt_lazyview.compiler.algebra import Node, Scan, only_renames
from dbt_lazyview.compiler.costs import charge
from dbt_lazyview.compiler.effects import Effect, cost_of, sources_of
from dbt_lazyview.compiler.labels import Labels, any_of, clipped
from dbt_lazyview.compiler.state import State
from dbt_lazyview.compiler.warnings import warnings

WIDTH = 120
_WIDTH_OF_TREE = 62
_WIDTH_OF_RULE = 41


def explained(root: Node, state: State, effects: tuple[Effect, ...]) -> str:
    """One line per operator and per source, then warnings."""
    labels = Labels(root)
    tree = "\n".join(_Tree(state, effects, labels).lines(root))
    changes = "\n".join(_wrapped(_changed(each)) for each in effects)
    told = [tree, _wrapped(_stored(state, labels)), changes, *map(_paragraph, warnings(effects, state, labels))]
    return "\n\n".join(part for part in told if part)


@dataclass
class _Tree:
    state: State
    effects: tuple[Effect, ...]
    labels: Labels
    seen: set[int] = field(default_factory=set)

    def lines(self, root: Node) -> list[str]:
        rows = self._rows(root, 0)
        width = min(_WIDTH_OF_TREE, max(len(told) for told, _, _ in rows))
        return [f"{clipped(told, width):<{width}}  {cost:<13}  {rule}".rstrip() for told, cost, rule in rows]

    def _rows(self, node: Node, depth: int) -> list[tuple[str, str, str]]:
        """The operator, its cost and its rule, for each operator; what a query uses twice is shown once."""
        while only_renames(node):
            node = node.inputs[0]
        own = f"{'  ' * depth}{self.labels.of(node)}"
        if id(node) in self.seen:
            return [(own, "", "the same as above")]
        if not isinstance(node, Scan):
            self.seen.add(id(node))
        below = [row for child in node.inputs for row in self._rows(child, depth + 1)]
        return [(own, *self._cost(node)), *below]

    def _cost(self, node: Node) -> tuple[str, str]:
        return cost_of(node, self.state, self.effects).value, self._rule(node)

    def _rule(self, node: Node) -> str:
        sources = sources_of(node, self.effects)
        if not sources:
            return charge(node, self.state).rule
        when = f"from all rows if {any_of(sources)} changes"
        return when if len(when) <= _WIDTH_OF_RULE else "from all rows, see the warning"


def _stored(state: State, labels: Labels) -> str:
    if state.is_bag:
        return "Stored: the distinct rows, with their count"
    keys = labels.list(each for _, each in state.aggregate.keys)
    return f"Stored: a row for each {keys}" if keys else "Stored: one row"


def _changed(effect: Effect) -> str:
    """The terms, the places in the query whose changes they read, and what is computed from all rows for them."""
    places = list(dict.fromkeys(place for term in effect.terms for place in term.split(", ")))
    of_places = f" ({', '.join(places)})" if places not in ([], [effect.source]) else ""
    work = _many(len(effect.terms), "term") if effect.terms else "rows with the keys it touches are replaced"
    again = f"; {_many(len(effect.recomputed), 'operator')} computed from all rows" if effect.recomputed else ""
    return f"If {effect.source} changes: {work}{of_places}{again}"


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' if count != 1 else ''}"


def _paragraph(sentences: tuple[str, ...]) -> str:
    first, *rest = sentences
    return "\n".join(
        [_wrapped(first), *(fill(each, WIDTH, initial_indent="  ", subsequent_indent="  ") for each in rest)]
    )


def _wrapped(told: str) -> str:
    return fill(told, WIDTH, subsequent_indent="  ")
