"""Which columns a view may have, and which it may read."""

from collections.abc import Mapping

from sqlglot import exp

from dbt_lazyview.compiler.catalog import Catalog, CatalogError, Column, Table
from dbt_lazyview.compiler.lowering.scope import Unsupported
from dbt_lazyview.compiler.plan import Source
from dbt_lazyview.compiler.reasons import ModelError, Problem, Reason
from dbt_lazyview.names import SSN, WEIGHT


def described_columns(sql: str, catalog: Catalog) -> tuple[Column, ...]:
    try:
        return catalog.describe(sql)
    except CatalogError as error:
        raise ModelError(
            (Problem(Reason.INVALID_QUERY, "Spark does not accept the query.", str(error), "Correct the SQL."),)
        ) from None


def refuse_bad_columns(columns: tuple[Column, ...], tables: Mapping[str, Table]) -> None:
    problems = []
    names = [column.name.lower() for column in columns]
    for name in sorted({each for each in names if names.count(each) > 1}):
        problems.append(
            Problem(
                Reason.DUPLICATE_COLUMN,
                f"Column {name} is there {names.count(name)} times.",
                "A view needs names that differ, whatever their case.",
                "Give each its own alias.",
            )
        )
    for table in tables.values():
        for own in table.columns:
            if own.name.lower() in (WEIGHT, SSN):
                problems.append(
                    Problem(
                        Reason.RESERVED_NAME,
                        f"{'.'.join(table.name)} has a column {own.name}.",
                        "That name is reserved for maintenance.",
                        "Rename the column, or read it through a view that does.",
                    )
                )
    if problems:
        raise ModelError(tuple(problems))


def refuse_incomparable(
    query: exp.Query, columns: tuple[Column, ...], sources: tuple[Source, ...], tables: Mapping[str, Table]
) -> None:
    """Rows are told apart by their columns; Spark cannot compare some types."""
    used = [each for source in sources for each in tables[source.alias].columns if each.name in source.columns]
    for each in (*used, *columns):
        if "variant" in each.type:
            named = (node for node in query.find_all(exp.Column, exp.Alias) if node.alias_or_name == each.name)
            where = next(named, query)
            raise Unsupported(where, f"column {each.name} of type {each.type}, which has no equality")
