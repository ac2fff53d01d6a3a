"""What a change of one source causes: the terms of the view's delta, and what is computed from all rows for them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dbt_lazyview.compiler.algebra import Aggregate, Node, OuterJoin, SemiJoin, Window, walk
from dbt_lazyview.compiler.costs import Cost, charge
from dbt_lazyview.compiler.derivation import Derivation
from dbt_lazyview.compiler.folding import change_of
from dbt_lazyview.compiler.footprint import computed_in_full
from dbt_lazyview.compiler.plan import StateRead, Sum
from dbt_lazyview.compiler.state import State

if TYPE_CHECKING:
    from dbt_lazyview.compiler.view import View


@dataclass(frozen=True)
class Effect:
    """What a refresh does when one source changed, and rows of it went."""

    source: str
    terms: tuple[str, ...]  # the places in the query whose changes each term reads, with commas
    recomputed: tuple[Node, ...]  # operators computed from all rows of some source


def effect_of(source: str, state: State, derivation: Derivation) -> Effect:
    """`derivation` is that of a refresh in which this source alone changed."""
    change, mode = change_of(state, derivation, StateRead("", 0))
    full = computed_in_full(derivation, change)
    terms = tuple(
        term.changed for step in derivation.steps.values() if isinstance(step, Sum) and step.name == "view_delta"
        for term in step.terms
    )  # fmt: skip
    inner = tuple(node for node in walk(state.aggregate.input) if _own_relations(node, derivation) & full)
    is_whole = (mode == "replace" and not state.keys) or (state.touching is not None and not state.steady_keys)
    return Effect(source, terms, (*([state.aggregate] if is_whole else []), *inner))


def _own_relations(node: Node, derivation: Derivation) -> set[str]:
    """The relations that an operator's rows are computed in, and not only passed on."""
    if not isinstance(node, (Aggregate, OuterJoin, SemiJoin, Window)):
        return set()
    below = set[str]().union(*(derivation.relations(each) for each in node.inputs))
    return derivation.relations(node) - below


def sources_of(node: Node, effects: tuple[Effect, ...]) -> list[str]:
    """The sources whose change makes an operator compute from all rows."""
    return [effect.source for effect in effects if any(node is each for each in effect.recomputed)]


def cost_of(node: Node, state: State, effects: tuple[Effect, ...]) -> Cost:
    """What the upkeep of an operator costs, whichever source changes."""
    return Cost.RECOMPUTED if sources_of(node, effects) else charge(node, state).cost


def recomputing(views: Iterable["View"]) -> list["View"]:
    """The views in whose plans a subtree of a source's size is computed again."""
    return [view for view in views if any(effect.recomputed for effect in view.effects)]
