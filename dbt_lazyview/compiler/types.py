"""Asks the engine for the types of expressions, so that sums and averages keep Spark's own."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from dbt_lazyview.compiler.algebra import Node
from dbt_lazyview.compiler.block import column, identifier, named
from dbt_lazyview.compiler.catalog import Catalog, Table
from dbt_lazyview.compiler.derivation import Derivation, text
from dbt_lazyview.compiler.plan import Derive, ReadSource, Source, Step, Sum, Window

UNCHANGED = Window(0, 0, changed=False)

Question = tuple[Node, list[exp.Expr]]  # expressions over the columns of a node


@dataclass
class TypeReader:
    """Tells the types of expressions over nodes; what is asked together is one question to the engine."""

    tables: Mapping[str, Table]
    sources: tuple[Source, ...]
    catalog: Catalog
    _known: dict[tuple[int, exp.Expr], str] = field(default_factory=dict)
    _asked: list[Node] = field(default_factory=list)  # kept, so that no other node gets the id of one

    def types_of(self, node: Node, expressions: list[exp.Expr]) -> list[str]:
        if any((id(node), each) not in self._known for each in expressions):
            self.ask([(node, expressions)])
        return [self._known[id(node), each] for each in expressions]

    def ask(self, questions: Iterable[Question]) -> None:
        """Learn all these types at once."""
        asked = [(node, list(dict.fromkeys(expressions))) for node, expressions in questions if expressions]
        if asked:
            self._asked.extend(node for node, _ in asked)
            keys = [(id(node), each) for node, expressions in asked for each in expressions]
            kinds = self.catalog.describe(self._query(asked))
            self._known.update({key: each.type.lower() for key, each in zip(keys, kinds, strict=True)})

    def _query(self, asked: list[Question]) -> str:
        """A query whose columns are the expressions asked for, over the tables themselves."""
        unchanged = {each.alias: UNCHANGED for each in self.sources}
        derivation = Derivation({each.alias: each for each in self.sources}, unchanged)
        names = [_typed(node, expressions, derivation) for node, expressions in asked]
        columns = [
            column(f"t{number}", name)
            for name, (_, expressions) in zip(names, asked, strict=True)
            for number in range(len(expressions))
        ]
        query = exp.select(*(named(each, f"t{number}") for number, each in enumerate(columns)))
        for number, name in enumerate(dict.fromkeys(names)):
            table = exp.Table(this=identifier(name))
            query = query.join(table, copy=False) if number else query.from_(table, copy=False)
        return as_query(derivation, text(query), self.tables)


def as_query(derivation: Derivation, last: str, tables: Mapping[str, Table]) -> str:
    """The steps of a build and a query over them as one query over the tables themselves."""
    steps = derivation.steps.values()
    named_steps = [f"{text(identifier(step.name))} AS (\n{_body(step, tables)}\n)" for step in steps]
    return "WITH " + ",\n".join(named_steps) + f"\n{last}"


def _typed(node: Node, expressions: list[exp.Expr], derivation: Derivation) -> str:
    rows = derivation.single(derivation.new(node), node.columns, "input")
    query = rows.project([(f"t{number}", each) for number, each in enumerate(expressions)]).query(weight=False)
    return derivation.derive(query, "typed")


def _body(step: Step, tables: Mapping[str, Table]) -> str:
    """A step of a build as a query over the tables themselves."""
    if isinstance(step, ReadSource):
        columns, table = ", ".join(step.source.quoted_columns), tables[step.source.alias]
        return (
            f"SELECT {columns} FROM ({table.rows})" if table.rows else f"SELECT {columns} FROM {table.sql} {table.at}"
        )
    if isinstance(step, Sum):
        return "\nUNION ALL\n".join(term.query for term in step.terms)
    assert isinstance(step, Derive)
    return step.query
