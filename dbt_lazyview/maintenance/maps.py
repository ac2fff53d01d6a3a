"""MAP columns as drivers return them: PySpark as a dict, Thrift as text in which quotes are not escaped."""

import json
import re
from typing import Any

_KEY = re.compile(r'"([^"]*)":')
_NULL = "null"


def mapping(value: Any) -> dict[str, Any]:
    """
    A MAP column as a dict.

    Example:
        >>> mapping('{"mode":"Append","properties":"{"a.b":"true","c":"x"}","description":null}')
        {'mode': 'Append', 'properties': '{"a.b":"true","c":"x"}', 'description': None}
        >>> mapping(None), mapping(""), mapping({"a": "b"})
        ({}, {}, {'a': 'b'})
    """
    if not isinstance(value, str):
        return dict(value or {})
    return _parsed(value) if value else {}


def _parsed(text: str) -> dict[str, Any]:
    """
    What Spark prints for its JDBC clients looks like JSON, and is where no value has quotes in it.

    Example:
        >>> _parsed('{"comment":"say "hi", or not","n":"1"}')
        {'comment': 'say "hi", or not', 'n': '1'}
    """
    try:
        return dict(json.loads(text))
    except json.JSONDecodeError:
        return _entries(text)


def _entries(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    at = 1
    while at < len(text) - 1:
        key = _KEY.match(text, at)
        if key is None:
            raise ValueError(f"not a map as Spark prints it: {text}")
        found[key[1]], at = _value(text, key.end())
    return found


def _value(text: str, start: int) -> tuple[str | None, int]:
    """A value, and where the next entry begins."""
    if text.startswith(_NULL, start):
        return None, start + len(_NULL) + 1
    ends = [each.start() for each in re.finditer('"', text[: len(text) - 1]) if each.start() > start]
    possible = [(text[start + 1 : end], end + 2) for end in ends if _ends(text, end + 1)]
    if not possible:
        raise ValueError(f"not a map as Spark prints it: {text}")
    return next((each for each in possible if _is_whole(each[0])), possible[0])


def _ends(text: str, at: int) -> bool:
    """Whether an entry may end here."""
    return at == len(text) - 1 or (text.startswith(",", at) and _KEY.match(text, at + 1) is not None)


def _is_whole(content: str) -> bool:
    """JSON in a value goes to its own end."""
    if not content.startswith(("{", "[")):
        return True
    try:
        json.loads(content)
    except json.JSONDecodeError:
        return False
    return True
