"""
Tables that a statement pins to their newest version, read from the files that they are known to consist of, and of
these only such as may have rows within the bounds that follow. Delta would reconstruct each table from its log first,
and choose among its files by one more job.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf

from sqlglot.tokens import Token, TokenType

from dbt_lazyview.adapter.contents import LARGEST, Contents, Value, Within, contents
from dbt_lazyview.adapter.logs import Logs
from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.dialect import DIALECT

VIEW = "lazyview_pinned_"  # and a number: temporary views
_DOTTED = [TokenType.IDENTIFIER, TokenType.DOT, TokenType.IDENTIFIER, TokenType.DOT, TokenType.IDENTIFIER]
_OF_ROWS = {TokenType.SELECT, TokenType.WITH, TokenType.INSERT, TokenType.MERGE}
_PINNED = ("VERSION", "AS", "OF")
_LENGTH = len(_DOTTED) + len(_PINNED) + 1  # tokens
_VALUE = r"(-?\d+)[LSY]?|DATE '(\d{4}-\d\d-\d\d)'"
_BOUND = re.compile(rf"\s+(?:where|and) \(`([^`]+)` between (?:{_VALUE}) and (?:{_VALUE}) or `\1` is null\)")
_END = re.compile(r"\s*\)")  # of a subquery: nothing is added to the bounds


@dataclass(frozen=True)
class Pin:
    """A place in a statement that reads a table at a version."""

    name: Name
    version: int
    start: int
    end: int
    bounds: tuple[Within, ...] = ()

    @property
    def rows(self) -> tuple[Name, int, tuple[Within, ...]]:
        """What is read, wherever."""
        return self.name, self.version, self.bounds


@contextmanager
def pins_replaced(logs: Logs, statement: str) -> Iterator[str]:
    """The statement, with temporary views of known files instead of pinned tables."""
    pins = pins_of(statement)
    wanted = dict.fromkeys(pin.rows for pin in pins)
    known = {each: found for each in wanted if (found := _contents(logs, *each))}
    views = {each: f"{VIEW}{number}" for number, each in enumerate(known)}
    try:
        for each, view in views.items():
            known[each].rows(logs.session, each[2]).createOrReplaceTempView(view)
        yield _replaced(statement, pins, views)
    finally:
        for view in views.values():
            logs.session.catalog.dropTempView(view)


def pins_of(statement: str) -> list[Pin]:
    """
    Where a query, or a statement that writes rows, reads a table at a version: outside of texts and comments, by a
    quoted name of three parts. Conditions that follow are bounds, or Delta's own matter; what is created has to last.

    Example:
        >>> pins_of("select a from `c`.`s`.`t` version as of 7")
        [Pin(name=('c', 's', 't'), version=7, start=14, end=41, bounds=())]
        >>> within = "(select `a` from `c`.`s`.`t` version as of 7 where (`a` between -1L and 2L or `a` is null))"
        >>> pins_of(f"select * from {within}")[0].bounds
        (Within(column='a', low=-1, high=2),)
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
    pins = [_pin(each, statement) for each in found if _is_pin(each)]
    return [each for each in pins if each is not None]


def _is_pin(tokens: list[Token]) -> bool:
    words = tuple(each.text.upper() for each in tokens[len(_DOTTED) : _LENGTH - 1])
    return (
        [each.token_type for each in tokens[: len(_DOTTED)]] == _DOTTED
        and words == _PINNED
        and tokens[_LENGTH - 1].token_type is TokenType.NUMBER
    )


def _pin(tokens: list[Token], statement: str) -> Pin | None:
    version, follows = tokens[_LENGTH - 1], tokens[_LENGTH:]
    end = version.end + 1
    bounds = _bounds(statement, end) if follows and follows[0].token_type is TokenType.WHERE else ()
    name = (tokens[0].text, tokens[2].text, tokens[4].text)
    return None if bounds is None else Pin(name, int(version.text), tokens[0].start, end, bounds)


def _bounds(statement: str, position: int) -> tuple[Within, ...] | None:
    """The bounds of a subquery from there to its end; None where it has other conditions as well."""
    found = []
    while bound := _BOUND.match(statement, position):
        found.append(Within(bound[1], _value(bound[2], bound[3]), _value(bound[4], bound[5])))
        position = bound.end()
    return tuple(found) if found and _END.match(statement, position) else None


def _value(number: str | None, date: str | None) -> Value:
    return int(number) if number is not None else str(date)


def known_contents(logs: Logs, name: Name, version: int, largest: float = LARGEST) -> Contents | None:
    """What a table consists of at a version, if that is its newest one and its checksum tells."""
    table = logs.look_again(name)
    return contents(*table, largest) if table and table[1].version() == version else None


def _contents(logs: Logs, name: Name, version: int, bounds: tuple[Within, ...]) -> Contents | None:
    """The same of what a pin reads: within bounds, large tables are read by their statistics here as well."""
    return known_contents(logs, name, version, inf if bounds else LARGEST)


def _replaced(statement: str, pins: list[Pin], views: Mapping[tuple[Name, int, tuple[Within, ...]], str]) -> str:
    for pin in reversed(pins):
        view = views.get(pin.rows)
        statement = f"{statement[: pin.start]}{view}{statement[pin.end :]}" if view else statement
    return statement
