"""
Tables that a statement pins to their newest version, read from the files that they are known to consist of. Delta
would reconstruct each of them from its log first, and choose among its files by one more job.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from sqlglot.tokens import Token, TokenType

from dbt_lazyview.adapter.contents import Contents, contents
from dbt_lazyview.adapter.logs import Logs
from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.dialect import DIALECT

VIEW = "lazyview_pinned_"  # and a number: temporary views
_DOTTED = [TokenType.IDENTIFIER, TokenType.DOT, TokenType.IDENTIFIER, TokenType.DOT, TokenType.IDENTIFIER]
_OF_ROWS = {TokenType.SELECT, TokenType.WITH, TokenType.INSERT, TokenType.MERGE}
_PINNED = ("VERSION", "AS", "OF")
_LENGTH = len(_DOTTED) + len(_PINNED) + 1  # tokens


@dataclass(frozen=True)
class Pin:
    """A place in a statement that reads a table at a version."""

    name: Name
    version: int
    start: int
    end: int


@contextmanager
def pins_replaced(logs: Logs, statement: str) -> Iterator[str]:
    """The statement, with temporary views of known files instead of pinned tables."""
    pins = pins_of(statement)
    tables = dict.fromkeys((pin.name, pin.version) for pin in pins)
    known = {each: found for each in tables if (found := known_contents(logs, *each))}
    views = {each: f"{VIEW}{number}" for number, each in enumerate(known)}
    try:
        for each, view in views.items():
            known[each].rows(logs.session).createOrReplaceTempView(view)
        yield _replaced(statement, pins, views)
    finally:
        for view in views.values():
            logs.session.catalog.dropTempView(view)


def pins_of(statement: str) -> list[Pin]:
    """
    Where a query, or a statement that writes rows, reads all of a table at a version: outside of texts and comments, by
    a quoted name of three parts. Where bounds follow, files are to be skipped; what is created has to last.

    Example:
        >>> pins_of("select a from `c`.`s`.`t` version as of 7")
        [Pin(name=('c', 's', 't'), version=7, start=14, end=41)]
        >>> pins_of("select '`c`.`s`.`t` version as of 7' from `c`.`s`.`t` version as of 7 where a between 1 and 2")
        []
        >>> pins_of("create view `c`.`s`.`v` as select a from `c`.`s`.`t` version as of 7")
        []
    """
    if _PINNED[0].lower() not in statement.lower():
        return []
    tokens = list(DIALECT.tokenize(statement))
    if not tokens or tokens[0].token_type not in _OF_ROWS:
        return []
    found = (tokens[at : at + _LENGTH + 1] for at in range(len(tokens) - _LENGTH + 1))
    return [_pin(each) for each in found if _is_pin(each)]


def _is_pin(tokens: list[Token]) -> bool:
    words = tuple(each.text.upper() for each in tokens[len(_DOTTED) : _LENGTH - 1])
    return (
        [each.token_type for each in tokens[: len(_DOTTED)]] == _DOTTED
        and words == _PINNED
        and tokens[_LENGTH - 1].token_type is TokenType.NUMBER
        and (len(tokens) == _LENGTH or tokens[_LENGTH].token_type is not TokenType.WHERE)
    )


def _pin(tokens: list[Token]) -> Pin:
    version = tokens[_LENGTH - 1]
    return Pin((tokens[0].text, tokens[2].text, tokens[4].text), int(version.text), tokens[0].start, version.end + 1)


def known_contents(logs: Logs, name: Name, version: int) -> Contents | None:
    """What a table consists of at a version, if that is its newest one and its checksum tells."""
    table = logs.look_again(name)
    return contents(*table) if table and table[1].version() == version else None


def _replaced(statement: str, pins: list[Pin], views: Mapping[tuple[Name, int], str]) -> str:
    for pin in reversed(pins):
        view = views.get((pin.name, pin.version))
        statement = f"{statement[: pin.start]}{view}{statement[pin.end :]}" if view else statement
    return statement
