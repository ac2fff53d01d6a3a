"""`lazyview explain`."""

import sys
from argparse import Namespace

from dbt_lazyview.cli.project import Impossible, ask
from dbt_lazyview.cli.screen import Screen

FROM_INPUT = "-"


def run(options: Namespace, screen: Screen) -> bool:
    """Show how a view or a query is maintained."""
    model = None if options.model in (None, FROM_INPUT) else options.model
    sql = query_on_input(options.model) if model is None else None
    text = ask(options, screen, lambda adapter: adapter.explained(model, sql))
    if options.json:
        screen.json({"view": model, "sql": sql, "explanation": text})
    else:
        screen.line(text)
    return False


def query_on_input(asked_for: str | None) -> str:
    """What stands on standard input; at a terminal, only where it was asked for."""
    if asked_for is None and sys.stdin.isatty():
        raise Impossible("explain wants the name of a view, or a query on standard input.")
    sql = sys.stdin.read().strip().removesuffix(";")
    if not sql:
        raise Impossible("There is no query on standard input.")
    return sql
