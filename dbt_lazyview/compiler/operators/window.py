"""
Window functions: the partitions in the delta are computed twice, over X+ and over X-.

Without PARTITION BY all rows are one partition. Functions that depend on the order of ties get a total order, so that
the same rows always give the same result.
"""

from dataclasses import replace

from sqlglot import exp

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.algebra import Window
from dbt_lazyview.compiler.block import Bag, Block
from dbt_lazyview.compiler.derivation import Derivation, When, labels, matches_some
from dbt_lazyview.compiler.passes.shared_keys import by_shared_keys

_ORDER_DEPENDENT = (exp.RowNumber, exp.Ntile, exp.Lag, exp.Lead)


class WindowRule:
    is_linear = False

    def rows(self, node: Window, when: When, derivation: Derivation) -> Bag:
        return (windowed(node, derivation.single(derivation.new(node.input), node.input.columns, "input"), derivation),)

    def delta(self, node: Window, derivation: Derivation) -> Bag:
        return by_shared_keys(node, derivation) or self._changed_partitions(node, derivation)

    def _changed_partitions(self, node: Window, derivation: Derivation) -> Bag:
        affected = _affected(node, derivation)
        columns = node.input.columns
        new = derivation.single(_restricted(node, derivation.new(node.input), affected), columns, "partitions_new")
        old = derivation.consolidated(
            _restricted(node, derivation.old(node.input), affected), columns, "partitions_old"
        )
        label = labels(derivation.delta(node.input))
        after, before = (replace(windowed(node, each, derivation), label=label) for each in (new, old))
        return (after, before.negated())


def _affected(node: Window, derivation: Derivation) -> str | None:
    if not node.partition or derivation.is_volatile(node, node.partition):
        return None
    delta = derivation.single(derivation.delta(node.input), node.input.columns, "input_delta")
    keys = delta.project([(f"lv_key_{i}", each) for i, each in enumerate(node.partition)])
    return derivation.derive(keys.query(weight=False).distinct(copy=False), "affected_partitions")


def _restricted(node: Window, bag: Bag, affected: str | None) -> Bag:
    if affected is None:
        return bag
    keys = [(each, f"lv_key_{i}") for i, each in enumerate(node.partition)]
    return tuple(matches_some(block, keys, affected) for block in bag)


def windowed(node: Window, block: Block, derivation: Derivation) -> Block:
    """The functions over plain rows."""
    rows = derivation.named(replace(block, weight=None), "window_input")
    passed = [(each, sql.column(each)) for each in node.input.columns]
    functions = [(name, _totally_ordered(each, node.input.columns)) for name, each in node.functions]
    name = derivation.derive(rows.project([*passed, *functions]).query(weight=False), "windowed")
    return sql.read(name, name, [(each, each) for each in node.columns])


def _totally_ordered(window: exp.Expr, columns: tuple[str, ...]) -> exp.Expr:
    """Ties are broken by all columns where they matter; rows that are equal in all of them cannot be told apart."""
    order, spec = window.args.get("order"), window.args.get("spec")
    by_rows = spec is not None and str(spec.args.get("kind")).upper() == "ROWS"
    if order is None or not (isinstance(window.this, _ORDER_DEPENDENT) or by_rows):
        return window
    result = window.copy()
    known = {each.this.name for each in order.expressions if isinstance(each.this, exp.Column)}
    more = [exp.Ordered(this=sql.column(each), nulls_first=True) for each in columns if each not in known]
    result.args["order"].set("expressions", [*result.args["order"].expressions, *more])
    return result
