"""Stage determinism: a query without one answer has nothing to be kept equal to; each such call is named."""

from sqlglot import exp

from dbt_lazyview.compiler.dialect import DIALECT
from dbt_lazyview.compiler.functions import function_name, is_non_deterministic
from dbt_lazyview.compiler.parse import position, position_of_words, source_line
from dbt_lazyview.compiler.reasons import Problem, Reason


def non_deterministic_calls(query: exp.Query, sql: str) -> tuple[Problem, ...]:
    """A problem for every call that gives another result each time."""
    return tuple(_problem(node, sql) for node in query.walk() if is_non_deterministic(node) or _is_sample(node))


def _is_sample(node: exp.Expr) -> bool:
    """Any sample chooses rows anew each time, unless it takes all of them."""
    if not isinstance(node, exp.TableSample):
        return False
    percent = node.args.get("percent")
    return not (isinstance(percent, exp.Literal) and percent.is_number and float(percent.name) == 100)


def _problem(node: exp.Expr, sql: str) -> Problem:
    name = _name(node)
    line, column, length = position(node)
    if line is None:
        line, column, length = position_of_words(name, sql)
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


def _name(node: exp.Expr) -> str:
    if isinstance(node, exp.TableSample):
        return "TABLESAMPLE"
    return node.sql(DIALECT) if isinstance(node, exp.Introducer) else function_name(node).upper()
