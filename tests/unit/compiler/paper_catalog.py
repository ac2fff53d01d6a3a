"""A catalog on paper: tables are given, and the columns of a query are read off its select list."""

from collections.abc import Mapping, Sequence

from sqlglot import exp, parse_one
from sqlglot.optimizer.qualify import qualify

from dbt_lazyview.compiler.catalog import CatalogError, Column, Name, StoredView, Table
from dbt_lazyview.compiler.dialect import DIALECT

ORDERS = {
    "orders": ["id int", "cust int", "price decimal(12,2)", "st string"],
    "customers": ["c_id int", "nation string"],
}


class PaperCatalog:
    """Every column that is no column of a table is an int; `answers` are the columns of queries that need an engine."""

    def __init__(
        self, tables: Mapping[str, Sequence[str]] = ORDERS, answers: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self.tables = {name: tuple(Column(*each.split(" ", 1)) for each in columns) for name, columns in tables.items()}
        self.answers = answers or {}
        self.asked: list[str] = []

    def relation(self, name: Name, _namespace: Name | None) -> Table | StoredView:
        if name[-1] not in self.tables:
            raise CatalogError(f"no table {name[-1]}")
        return Table((name[-1],), self.tables[name[-1]])

    def describe(self, sql: str) -> tuple[Column, ...]:
        self.asked.append(sql)
        for part, names in self.answers.items():
            if part in sql:
                return tuple(Column(name, "int") for name in names)
        schema = {name: {each.name: "int" for each in columns} for name, columns in self.tables.items()}
        query = parse_one(sql, dialect=DIALECT)
        for table in query.find_all(exp.Table):
            table.set("version", None)
        qualified = qualify(query, schema=schema, dialect=DIALECT, validate_qualify_columns=False)
        return tuple(
            Column(name, self._type(each, qualified))
            for name, each in zip(query.named_selects, qualified.selects, strict=False)
        )

    def function(self, _name: Name, _namespace: Name | None) -> None:
        """There are none."""

    def _type(self, item: exp.Expr, query: exp.Expr) -> str:
        """The type of a column of a table, however many common table expressions it comes through."""
        column = item.unalias()
        if not isinstance(column, exp.Column):
            return "int"
        for each in query.find_all(exp.CTE):
            if each.alias == column.table:
                return self._type(next(one for one in each.this.selects if one.alias_or_name == column.name), query)
        kinds = {each.name: each.type for columns in self.tables.values() for each in columns}
        return kinds.get(column.name, "int")
