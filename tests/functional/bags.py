"""Rows of queries as bags, collected and compared here: several times cheaper than set operations on Spark."""

from collections import Counter
from typing import Any

from pyspark.sql import SparkSession

Bag = Counter[tuple[str, ...]]
DIGITS = 12  # of floating-point numbers: the last ones depend on the order in which rows were added up


def bag(session: SparkSession, sql: str) -> Bag:
    """The rows of a query, comparable whatever their types."""
    return Counter(tuple(comparable(value) for value in row) for row in session.sql(sql).collect())


def in_one_only(one: Bag, other: Bag) -> list[tuple[str, ...]]:
    """Rows that one bag has more often than the other, both ways."""
    return [*(one - other).elements(), *(other - one).elements()]


def comparable(value: Any) -> str:
    """
    A value as text; NaN equals NaN, and zero has no sign.

    Example:
        >>> comparable(0.1 + 0.2), comparable(-0.0), comparable(float("nan"))
        ('0.3', '0.0', 'nan')
    """
    return repr(float(f"{value:.{DIGITS}g}") + 0.0 if isinstance(value, float) else value)
