"""Renders the package's macros without dbt: pure macros need no more than dispatch and return."""

from functools import cache
from pathlib import Path
from typing import Any

import jinja2

MACROS = Path(__file__).parents[1] / "macros"


class MacroRenderer:
    """All macros of the package in one namespace; `prefixes` are tried in order by dispatch, as dbt does."""

    def __init__(self, prefixes: tuple[str, ...] = ("default",), overrides: dict[str, Any] | None = None) -> None:
        self._prefixes, self._overrides = prefixes, overrides or {}
        self._macros = _package_macros().make_module({"adapter": self, "return": _same})

    def render(self, name: str, **arguments: Any) -> str:
        return str(getattr(self._macros, name)(**arguments)).strip()

    def dispatch(self, name: str, _package: str) -> Any:
        for prefix in self._prefixes:
            found = self._overrides.get(f"{prefix}__{name}") or getattr(self._macros, f"{prefix}__{name}", None)
            if found is not None:
                return found
        raise LookupError(name)


@cache
def _package_macros() -> jinja2.Template:
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, extensions=["jinja2.ext.do"])
    paths = sorted(
        [
            *MACROS.glob("*.sql"),
            *MACROS.glob("stream_apply/*.sql"),
            *MACROS.glob("metadata/*.sql"),
            *MACROS.glob("view_delta/*.sql"),
        ]
    )
    return environment.from_string("".join(path.read_text() for path in paths))


def _same(value: Any) -> Any:
    """`return` of pure macros: the text itself."""
    return str(value).strip()
