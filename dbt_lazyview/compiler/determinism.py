"""Stage determinism: a query without one answer has nothing to be kept equal to; each such call is named."""

from sqlglot import exp

from dbt_lazyview.compiler.functions import function_name, is_non_deterministic
from dbt_lazyview.compiler.parse import position, source_line
from dbt_lazyview.compiler.reasons import Problem, Reason


def non_deterministic_calls(query: exp.Query, sql: str) -> tuple[Problem, ...]:
    """A problem for every call that gives another result each time."""
    return tuple(_problem(node, sql) for node in query.walk() if is_non_deterministic(node))


def _problem(node: exp.Expr, sql: str) -> Problem:
    line, column, length = position(node)
    name = function_name(node).upper()
    return Problem(
        Reason.NON_DETERMINISTIC,
        f"{name} gives another result each time.",
        "A view is kept equal to its query; a query without one answer has nothing to be equal to.",
        f"Either remove {name} here, or set refresh_mode: full for this model.",
        line,
        column,
        length,
        source_line(sql, line),
    )
