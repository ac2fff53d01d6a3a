"""Operators in the words of the query: its clauses, and columns under the names that they have there."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable

from sqlglot import exp

from dbt_lazyview.compiler import algebra
from dbt_lazyview.compiler.algebra import Node, walk
from dbt_lazyview.compiler.block import column, conjuncts, substitute
from dbt_lazyview.compiler.dialect import DIALECT

_UNNAMED = re.compile(r"col_\d+(_\d+)?")  # what a column of the query without a name is called


class Labels:
    """Tells what each operator of a tree is about."""

    def __init__(self, root: Node) -> None:
        nodes = walk(root)
        scans = [node for node in nodes if isinstance(node, algebra.Scan)]
        self._columns = _columns_of_tables(scans)
        self._meanings = dict(_meanings(nodes))

    def of(self, node: Node) -> str:
        return _TELL[type(node)](self, node)

    def text(self, expression: exp.Expr) -> str:
        """An expression as the user would write it."""
        return self._told(expression).sql(DIALECT).replace("`", "")

    def list(self, expressions: Iterable[exp.Expr]) -> str:
        return ", ".join(dict.fromkeys(map(self.text, expressions)))

    def condition(self, condition: exp.Expr | None) -> str:
        return " AND ".join(map(self._comparison, conjuncts(condition)))

    def _comparison(self, condition: exp.Expr) -> str:
        if isinstance(condition, exp.Coalesce) and condition.expressions == [exp.true()]:  # NOT IN
            return f"{self.text(condition.this)} or unknown"
        told = self.text(condition)
        return f"({told})" if isinstance(condition, exp.Or) else told

    def _told(self, expression: exp.Expr) -> exp.Expr:
        names = {each.name for each in expression.find_all(exp.Column) if not each.table}
        return substitute(expression, {name: self._column(name) for name in names})

    def _column(self, name: str) -> exp.Expr:
        """A column as the query calls it; one without a name as what it stands for."""
        if name in self._columns:
            return self._columns[name]
        meaning = self._meanings.get(name)
        return self._told(meaning) if meaning is not None else column(name)

    def _scan(self, node: algebra.Scan) -> str:
        alias = f" as {node.occurrence}" if node.occurrence != node.source else ""
        return f"From {node.source}{alias} ({', '.join(own for _, own in node.reads)})"

    def _values(self, node: algebra.Values) -> str:
        return f"Values ({len(node.rows)} row{'s' if len(node.rows) != 1 else ''})"

    def _filter(self, node: algebra.Filter) -> str:
        return f"Where {self.condition(node.predicate)}"

    def _project(self, node: algebra.Project) -> str:
        return f"Select {self.list(each for _, each in node.outputs)}"

    def _generate(self, node: algebra.Generate) -> str:
        return f"Lateral view {self.text(node.generator)}"

    def _join(self, node: algebra.Join) -> str:
        return f"Join on {self.condition(node.condition)}" if node.condition is not None else "Cross join"

    def _outer_join(self, node: algebra.OuterJoin) -> str:
        return f"{'Full' if node.is_full else 'Left'} join on {self.condition(node.condition)}"

    def _semi_join(self, node: algebra.SemiJoin) -> str:
        return f"Where {'not exists' if node.is_anti else 'exists'}: {self.condition(node.condition)}"

    def _union(self, _node: algebra.UnionAll) -> str:
        return "Union all"

    def _aggregate(self, node: algebra.Aggregate) -> str:
        keys, calls = self.list(each for _, each in node.keys), self.list(each for _, each in node.aggregates)
        if not keys:
            return f"Total {calls}"
        return f"Group by {keys}: {calls}" if calls else f"Distinct {keys}"

    def _window(self, node: algebra.Window) -> str:
        return f"Window {self.list(each for _, each in node.functions)}"

    def _sort(self, node: algebra.Sort) -> str:
        return f"Order by {self.list(node.order)}"

    def _limit(self, node: algebra.Limit) -> str:
        offset = f" offset {self.text(node.offset)}" if node.offset is not None else ""
        return (f"Limit {self.text(node.count)}" if node.count is not None else "Rows") + offset


_TELL: dict[type[Node], Callable[..., str]] = {
    algebra.Scan: Labels._scan,
    algebra.Values: Labels._values,
    algebra.Filter: Labels._filter,
    algebra.Project: Labels._project,
    algebra.Generate: Labels._generate,
    algebra.Join: Labels._join,
    algebra.OuterJoin: Labels._outer_join,
    algebra.SemiJoin: Labels._semi_join,
    algebra.UnionAll: Labels._union,
    algebra.Aggregate: Labels._aggregate,
    algebra.Window: Labels._window,
    algebra.Sort: Labels._sort,
    algebra.Limit: Labels._limit,
}


def _columns_of_tables(scans: list[algebra.Scan]) -> dict[str, exp.Expr]:
    """Columns of the tree that are columns of tables: under their own name, with the table's where it takes that."""
    owners = defaultdict(set)
    for scan in scans:
        for _, own in scan.reads:
            owners[own].add(scan.occurrence)
    return {
        name: column(own, scan.occurrence if len(owners[own]) > 1 else None)
        for scan in scans
        for name, own in scan.reads
    }


def _meanings(nodes: Iterable[Node]) -> Iterable[tuple[str, exp.Expr]]:
    """What columns stand for that are only other names, or that the query gave no name."""
    for node in nodes:
        if isinstance(node, algebra.Aggregate):
            yield from (*node.keys, *node.aggregates)
        elif isinstance(node, algebra.Window):
            yield from node.functions
        elif isinstance(node, algebra.UnionAll):
            pairs = zip(node.names, node.branches[0].columns, strict=True)
            yield from ((name, column(own)) for name, own in pairs if name != own)
        elif isinstance(node, algebra.Project):
            for name, each in node.outputs:
                is_renamed = isinstance(each, exp.Column) and each.name != name
                if is_renamed or (not isinstance(each, exp.Column) and _UNNAMED.fullmatch(name)):
                    yield name, each


def clipped(told: str, width: int) -> str:
    """
    As much of a text as fits.

    Example:
        >>> clipped("a long condition", 9)
        'a long...'
    """
    return told if len(told) <= width else told[: width - 3] + "..."


def any_of(names: list[str]) -> str:
    """
    Names as alternatives.

    Example:
        >>> any_of(["a", "b", "c"])
        'a, b or c'
    """
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
