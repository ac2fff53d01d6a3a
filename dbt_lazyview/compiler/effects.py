"""What a change of one source causes: the terms of the view's delta, and what is computed from all rows for them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dbt_lazyview.compiler.algebra import Aggregate, Node, OuterJoin, SemiJoin, Window, walk
from dbt_lazyview.compiler.derivation import Derivation
from dbt_lazyview.compiler.folding import refresh_plan
from dbt_lazyview.compiler.footprint import computed_in_full
from dbt_lazyview.compiler.plan import StateRead, Sum
from dbt_lazyview.compiler.state import State

if TYPE_CHECKING:
    from dbt_lazyview.compiler.compile import View


@dataclass(frozen=True)
class Effect:
    """What a refresh does when one source changed, and rows of it went."""

    source: str
    terms: tuple[str, ...]  # the places in the query whose changes each term reads, with commas
    recomputed: tuple[Node, ...]  # operators computed from all rows of some source


def effect_of(source: str, state: State, derivation: Derivation) -> Effect:
    """`derivation` is that of a refresh in which this source alone changed."""
    plan = refresh_plan(state, derivation, StateRead("", 0))
    full = computed_in_full(derivation, plan.change)
    terms = tuple(
        term.changed for step in derivation.steps.values() if isinstance(step, Sum) and step.name == "view_delta"
        for term in step.terms
    )  # fmt: skip
    inner = tuple(node for node in walk(state.aggregate.input) if _own_relations(node, derivation) & full)
    is_whole = (plan.mode == "replace" and not state.keys) or (state.touching is not None and not state.steady_keys)
    return Effect(source, terms, (*([state.aggregate] if is_whole else []), *inner))


def _own_relations(node: Node, derivation: Derivation) -> set[str]:
    """The relations that an operator's rows are computed in, and not only passed on."""
    if not isinstance(node, (Aggregate, OuterJoin, SemiJoin, Window)):
        return set()
    below = set[str]().union(*(derivation.relations(each) for each in node.inputs))
    return derivation.relations(node) - below


def recomputing(views: Iterable["View"]) -> list["View"]:
    """The views in whose plans a subtree of a source's size is computed again."""
    return [view for view in views if any(effect.recomputed for effect in view.effects())]
