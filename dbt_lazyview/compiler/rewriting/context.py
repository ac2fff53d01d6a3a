"""Asks the engine about an expression where it stands: which columns would it give there?"""

from collections.abc import Mapping
from itertools import takewhile

from sqlglot import exp

from dbt_lazyview.compiler.catalog import Catalog, CatalogError, Column, Table
from dbt_lazyview.compiler.dialect import DIALECT


class Context:
    """The tables behind short names, and an engine that knows their columns."""

    def __init__(self, catalog: Catalog, tables: Mapping[str, Table]) -> None:
        self.catalog, self.tables = catalog, tables

    def columns(self, select: exp.Select, item: exp.Expr, before: exp.Expr | None = None) -> tuple[Column, ...]:
        """
        Names and types of an item selected from the relations of a SELECT, or from those that stand before one of them.

        Nothing where the engine cannot tell, because the relations depend on a query around them.
        """
        query = exp.select(item.copy())
        query.set("from_", select.args["from_"].copy() if select.args.get("from_") else None)
        for part in ("joins", "laterals"):
            relations = takewhile(lambda each: not _is(each, before), select.args.get(part) or [])
            query.set(part, [each.copy() for each in relations])
        ctes = _visible_ctes(select)
        if ctes:
            query.set("with_", exp.With(expressions=[cte.copy() for cte in ctes.values()]))
        self._use_real_names(query, set(ctes))
        try:
            return self.catalog.describe(query.sql(DIALECT))
        except CatalogError:
            return ()

    def _use_real_names(self, query: exp.Select, ctes: set[str]) -> None:
        for table in list(query.find_all(exp.Table)):
            if table.name in self.tables and table.name not in ctes:
                real = exp.to_table(self.tables[table.name].sql, dialect=DIALECT)
                for part in ("this", "db", "catalog"):
                    table.set(part, real.args.get(part))


def _is(relation: exp.Expr, wanted: exp.Expr | None) -> bool:
    return wanted is not None and (relation is wanted or relation.this is wanted)


def _visible_ctes(node: exp.Expr) -> dict[str, exp.CTE]:
    """CTEs that a node may name, outer ones first; of several with one name the nearest counts."""
    found: dict[str, exp.CTE] = {}
    path: set[int] = set()
    at: exp.Expr | None = node
    while at is not None:
        path.add(id(at))
        clause = at.args.get("with_")
        if clause is not None:
            earlier = takewhile(lambda cte: id(cte) not in path, clause.expressions)
            found = {**{cte.alias: cte for cte in earlier if cte.alias not in found}, **found}
        at = at.parent
    return found
