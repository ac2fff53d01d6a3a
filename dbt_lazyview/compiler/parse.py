"""Stage parse: the model's text as one query, or one clear error with its place."""

import re

from sqlglot import exp, parse
from sqlglot.errors import ParseError, TokenError

from dbt_lazyview.compiler.dialect import DIALECT
from dbt_lazyview.compiler.reasons import ModelError, Problem, Reason


def parse_query(sql: str) -> exp.Query:
    """
    Parse a model.

    Example:
        >>> parse_query("SELECT 1 AS a").sql()
        'SELECT 1 AS a'
    """
    try:
        statements = [each for each in parse(sql, dialect=DIALECT) if each is not None]
    except ParseError as error:
        raise ModelError(tuple(_parse_problem(each, sql) for each in error.errors[:1])) from None
    except TokenError as error:
        raise ModelError((_problem("The SQL cannot be read.", str(error), None, None, sql),)) from None
    if len(statements) == 1 and isinstance(statements[0], exp.Values):
        return exp.select("*").from_(statements[0])
    if len(statements) != 1 or not isinstance(statements[0], exp.Query):
        raise ModelError((_problem("A model is one SELECT.", "The text holds something else.", None, None, sql),))
    return statements[0]


def source_line(sql: str, line: int | None) -> str:
    lines = sql.splitlines()
    return lines[line - 1] if line and 0 < line <= len(lines) else ""


def _parse_problem(details: dict[str, object], sql: str) -> Problem:
    line, end = details.get("line"), details.get("col")
    highlight = str(details.get("highlight") or " ")
    start = int(end) - len(highlight) + 1 if isinstance(end, int) else None
    why = _in_words(str(details.get("description") or "It ends too early")) + "."
    return _problem("The SQL does not parse.", why, line if isinstance(line, int) else None, start, sql)


def _in_words(description: str) -> str:
    """
    The parser's own words, with its tokens as the user wrote them.

    Example:
        >>> _in_words("Expected table name but got <Token token_type: TokenType.SENTINEL, text: SENTINEL, line: 1>")
        'Expected table name but got the end of the text'
    """
    token = re.search(r"<Token token_type: TokenType\.(\w+), text: (.*?), line: .*>", description)
    if token:
        got = "the end of the text" if token[1] == "SENTINEL" else token[2]
        description = description[: token.start()] + got + description[token.end() :]
    return description.rstrip(".")


def _problem(what: str, why: str, line: int | None, column: int | None, sql: str) -> Problem:
    return Problem(
        Reason.PARSE_ERROR,
        what,
        why,
        "Correct the SQL; `dbt compile` shows the text that was read.",
        line=line,
        column=column,
        source_line=source_line(sql, line),
    )


def position(node: exp.Expr) -> tuple[int | None, int | None, int]:
    """Line, first column (1-based) and length of the first token of a construct, where the parser kept them."""
    for each in node.walk():
        if "line" in each.meta and "col" in each.meta:
            length = int(each.meta.get("end", 0)) - int(each.meta.get("start", 0)) + 1
            return int(each.meta["line"]), int(each.meta["col"]) - length + 1, max(length, 1)
    return None, None, 1


def position_of_words(words: str, sql: str) -> tuple[int | None, int | None, int]:
    """
    The place where words stand in a text for the first time, for constructs whose place the parser does not keep.

    Example:
        >>> position_of_words("CURRENT_DATE", "select id,\\n    current_date as today")
        (2, 5, 12)
    """
    pattern = r"\b" + r"\s*".join(map(re.escape, words.split())) + r"(?!\w)"
    for number, line in enumerate(sql.splitlines(), 1):
        found = re.search(pattern, line, re.IGNORECASE)
        if found:
            return number, found.start() + 1, found.end() - found.start()
    return None, None, 1


def without_positions(query: exp.Query) -> exp.Query:
    """The same query, lighter to copy: nothing in it knows any more where it was written."""
    for node in query.walk():
        node._meta = None
    return query
