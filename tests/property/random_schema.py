"""Random tables: few columns of few types, and few values with NULLs among them, so that rows meet and repeat."""

from random import Random

from tests.property.duck_lake import Row
from tests.property.duck_sql import Value

Tables = dict[str, list[tuple[str, str]]]

_NAMES = ["r", "t", "u", "w"]
_COLUMNS = ["a", "b", "c", "d", "e", "Key", "two words", "order"]
_TYPES = ["int", "int", "bigint", "string", "string", "decimal(8,2)", "decimal(30,2)", "double", "boolean", "date"]
_VALUES: dict[str, list[Value]] = {
    "int": [0, 1, 2, 3, 4],
    "string": ["x", "y", "z", "X"],
    "decimal": ["-1.00", "0.00", "0.50", "1.00", "1.50", "2.50", "3.00"],
    "double": [0.1, 0.2, 0.7, 1.3],
    "boolean": [True, False],
    "date": ["2024-01-31", "2024-02-01", "2024-02-29"],
}


def random_tables(random: Random) -> Tables:
    """Two to four tables; each has an integer column, so that any two can be joined."""
    names = _NAMES[: random.choice([2, 3, 3, 3, 4])]
    return {name: _random_columns(random) for name in names}


def _random_columns(random: Random) -> list[tuple[str, str]]:
    odd = random.random() < 0.15
    names = random.sample(_COLUMNS if odd else _COLUMNS[:5], random.randint(2, 5))
    return [(name, random.choice(_TYPES) if position else "int") for position, name in enumerate(names)]


def kind_of(column_type: str) -> str:
    """
    What expressions need to know of a type.

    Example:
        >>> kind_of("decimal(8,2)"), kind_of("bigint"), kind_of("string")
        ('decimal', 'int', 'string')
    """
    plain = column_type.split("(")[0]
    return "int" if plain == "bigint" else plain


def random_row(random: Random, columns: list[tuple[str, str]]) -> Row:
    return tuple(random_value(random, each) for _, each in columns)


def random_value(random: Random, column_type: str) -> Value:
    return None if random.random() < 0.15 else random.choice(_VALUES[kind_of(column_type)])
