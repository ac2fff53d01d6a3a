"""Python values as Spark SQL literals, for the rows of a seed."""

import datetime
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

PLACEHOLDER = "%s"


def bind(sql: str, values: Sequence[Any]) -> str:
    """
    Put one literal at each placeholder; other percent signs stay.

    Example:
        >>> bind("values (cast(%s as string), cast(%s as decimal(3, 1)))", ["it's 100 %s", Decimal("1.50")])
        "values (cast('it\\\\'s 100 %s' as string), cast('1.50' as decimal(3, 1)))"
    """
    parts = sql.split(PLACEHOLDER)
    if len(parts) != len(values) + 1:
        raise ValueError(f"{len(parts) - 1} placeholders, but {len(values)} values")
    return parts[0] + "".join(literal(value) + part for value, part in zip(values, parts[1:], strict=True))


def literal(value: Any) -> str:
    """
    Write a value so that a cast to its column's type gives it back exactly.

    Example:
        >>> print(literal(None), literal(True), literal(7), literal(datetime.date(2024, 2, 29)), literal("a\\\\b"))
        NULL true 7 '2024-02-29' 'a\\\\b'
    """
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return _quoted(_text(value))


def _text(value: Any) -> str:
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    return str(value)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    never_a_variable = escaped.replace("${", "$\\{")  # Spark fills in ${name}, in texts too
    return f"'{never_a_variable}'"
