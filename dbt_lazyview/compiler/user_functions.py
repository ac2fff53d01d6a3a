"""
Functions that users made: the rows behind a call are only maintained if nothing but its arguments decides its value.

A function counts as deterministic unless its definition says otherwise; one that reads tables would hide a source.
"""

from collections.abc import Iterator

from sqlglot import exp

from dbt_lazyview.compiler.catalog import Catalog, Name, UserFunction
from dbt_lazyview.compiler.functions import AGGREGATES, GENERATORS
from dbt_lazyview.compiler.parse import position_of_words, source_line
from dbt_lazyview.compiler.reasons import Problem, Reason


def functions_called(query: exp.Query, catalog: Catalog, namespace: Name | None) -> list[UserFunction]:
    """The functions of users that a text calls, where `namespace` is that of the text."""
    names = dict.fromkeys(_names(query))
    found = (catalog.function(name, namespace) for name in names)
    return [each for each in found if each is not None]


def _names(query: exp.Query) -> Iterator[Name]:
    """Names of calls that might be functions of users, with their qualifiers."""
    for call in query.find_all(exp.Anonymous):
        above = call.parent
        qualifier = above.left if isinstance(above, exp.Dot) and above.right is call else None
        if qualifier is not None:
            yield (*(part.name for part in qualifier.find_all(exp.Identifier)), call.name.lower())
        elif call.name.lower() not in AGGREGATES | GENERATORS:
            yield (call.name.lower(),)


def problems_of(functions: list[UserFunction], sql: str) -> tuple[Problem, ...]:
    """What keeps a query from being maintained because of the functions it calls."""
    return tuple(_problem(each, sql) for each in functions if each.reads_tables or not each.is_deterministic)


def _problem(function: UserFunction, sql: str) -> Problem:
    line, column, length = position_of_words(function.name[-1], sql)
    shown = ".".join(function.name)
    if function.reads_tables:
        what = f"{shown} reads tables, so it may give another result each time."
        why = "Changes are looked for in the tables that the query itself names."
        remedy = "Write its query into the model, or set refresh_mode: full for this model."
    else:
        what = f"{shown} is declared NOT DETERMINISTIC."
        why = "A view is kept equal to its query; a query without one answer has nothing to be equal to."
        remedy = "If it has one answer for given arguments, declare it DETERMINISTIC; else set refresh_mode: full."
    return Problem(Reason.NON_DETERMINISTIC, what, why, remedy, line, column, length, source_line(sql, line))
