"""What will be expensive about a view, why, and which rewrite would help."""

from sqlglot import exp

from dbt_lazyview.compiler.algebra import Aggregate, Join, Node, OuterJoin, SemiJoin, Values, Window, walk
from dbt_lazyview.compiler.block import conjuncts
from dbt_lazyview.compiler.effects import Effect, sources_of
from dbt_lazyview.compiler.labels import Labels, any_of, clipped
from dbt_lazyview.compiler.partials import Additive
from dbt_lazyview.compiler.state import State

_OF_ITS_OWN = "Make this part a lazy view of its own and read that: there it is kept, and only its changes are read."


_WIDTH_OF_NAME = 100

Warning = tuple[str, ...]  # what it is about, why it is expensive, what would help


def warnings(effects: tuple[Effect, ...], state: State, labels: Labels) -> list[Warning]:
    """For every operator that some change makes compute from all rows of a source, and every join without a key."""
    nodes = {id(node): node for effect in effects for node in effect.recomputed}
    below = {id(each) for node in nodes.values() for child in node.inputs for each in walk(child)}
    nodes = {key: node for key, node in nodes.items() if key not in below}  # the others are so for its sake
    computed = [_recomputed(node, sources_of(node, effects), state, labels) for node in nodes.values()]
    unkeyed = [node for node in walk(state.aggregate.input) if isinstance(node, Join) and not _is_keyed(node)]
    return computed + [_unkeyed(node, labels) for node in unkeyed]


def _recomputed(node: Node, sources: list[str], state: State, labels: Labels) -> Warning:
    why, remedy = _stored_cause(state) if node is state.aggregate else _cause(node)
    name = "The rows with their count" if node is state.aggregate and state.is_bag else labels.of(node)
    return (_heading(name), f"is computed from all rows whenever {any_of(sources)} changes: {why}.", remedy)


def _stored_cause(state: State) -> tuple[str, str]:
    if state.is_bag:
        return (
            "all its columns may come out differently each time, in their last digits or their order",
            "Add a column that identifies a row, such as the key of the groups.",
        )
    if any(partial.additive is Additive.NEVER for partial in state.partials.stored.values()):
        return (
            "without GROUP BY all rows are one group, and it has an aggregate that changes cannot be added to",
            "Give it a GROUP BY. COUNT(DISTINCT x) may also be written as COUNT(*) over a SELECT DISTINCT x.",
        )
    return "a row that went may have decided the value", "While rows only come, they are added."


def _cause(node: Node) -> tuple[str, str]:
    if isinstance(node, Aggregate) and node.is_global:
        return "a value over all rows has no key to look for", _OF_ITS_OWN
    if isinstance(node, Window) and not node.partition:
        return (
            "without PARTITION BY all rows are one partition",
            "Give it a PARTITION BY; for the first rows only, ORDER BY and LIMIT at the end of the model cost nothing.",
        )
    if isinstance(node, (OuterJoin, SemiJoin)) and not _equations(node.condition):
        return "its condition has no equation", "Add an equation between columns of both sides to the condition."
    return "no equation ties its keys to the changed rows", _OF_ITS_OWN


def _unkeyed(node: Join, labels: Labels) -> Warning:
    return (
        _heading(labels.of(node)),
        "compares every changed row with all rows of another input: no equation ties them.",
        "Add an equation to the condition, if there is one that holds.",
    )


def _heading(name: str) -> str:
    return f"Warning: {clipped(name, _WIDTH_OF_NAME)}"


def _is_keyed(node: Join) -> bool:
    """Whether equations tie all inputs together; one row, or the rows of a VALUES, need none."""
    inputs = [set(each.columns) for each in node.members if not _is_few_rows(each)]
    ties = [{column.name for column in each.find_all(exp.Column)} for each in _equations(node.condition)]
    reached, rest = inputs[:1], inputs[1:]
    while more := [each for each in rest if any(tie & each and tie & set().union(*reached) for tie in ties)]:
        reached, rest = reached + more, [each for each in rest if each not in more]
    return not rest


def _is_few_rows(node: Node) -> bool:
    while len(node.inputs) == 1 and not isinstance(node, Aggregate):
        node = node.inputs[0]
    return isinstance(node, Values) or (isinstance(node, Aggregate) and node.is_global)


def _equations(condition: exp.Expr | None) -> list[exp.Expr]:
    """The equations of a condition, and those that each of several alternatives has."""
    found: list[exp.Expr] = []
    for each in conjuncts(condition):
        if isinstance(each, exp.EQ | exp.NullSafeEQ):
            found.append(each)
        elif isinstance(each, exp.Or):
            alternatives = [set(_equations(one)) for one in each.flatten()]
            found.extend(set.intersection(*alternatives))
    return found
