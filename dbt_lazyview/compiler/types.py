"""Asks the engine for the types of expressions, so that sums and averages keep Spark's own."""

from collections.abc import Mapping

from sqlglot import exp

from dbt_lazyview.compiler.algebra import Node
from dbt_lazyview.compiler.block import identifier
from dbt_lazyview.compiler.catalog import Catalog, Table
from dbt_lazyview.compiler.derivation import Derivation, text
from dbt_lazyview.compiler.parse import parse_query
from dbt_lazyview.compiler.plan import Derive, ReadSource, Source, Step, Sum, Window
from dbt_lazyview.compiler.stability import TypesOf

UNCHANGED = Window(0, 0, changed=False)


def type_reader(tables: Mapping[str, Table], sources: tuple[Source, ...], catalog: Catalog) -> TypesOf:
    """Tells the types of expressions over a node."""

    def types_of(node: Node, expressions: list[exp.Expr]) -> list[str]:
        derivation = Derivation({each.alias: each for each in sources}, {each.alias: UNCHANGED for each in sources})
        rows = derivation.single(derivation.new(node), node.columns, "input")
        query = rows.project([(f"t{number}", each) for number, each in enumerate(expressions)]).query(weight=False)
        ctes = [
            exp.CTE(this=_body(step, tables), alias=exp.TableAlias(this=identifier(step.name)))
            for step in derivation.steps.values()
        ]
        query.set("with_", exp.With(expressions=ctes) if ctes else None)
        return [each.type.lower() for each in catalog.describe(text(query))]

    return types_of


def _body(step: Step, tables: Mapping[str, Table]) -> exp.Query:
    """A step of a build as a query over the tables themselves, for asking types only."""
    if isinstance(step, ReadSource):
        columns = ", ".join(step.source.quoted_columns)
        return parse_query(f"SELECT {columns} FROM {tables[step.source.alias].sql} {step.source.at}")
    if isinstance(step, Sum):
        return exp.union(*(parse_query(term.query) for term in step.terms), distinct=False)
    assert isinstance(step, Derive)
    return parse_query(step.query)
