"""The page: a template, its style and script, and the document as JSON in it. Nothing else is ever loaded."""

import base64
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

ASSETS = Path(__file__).parent / "assets"
SCRIPTS = ("words.js", "charts.js", "lineage.js", "view.js", "overview.js", "main.js")
ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def page(document: dict[str, Any]) -> str:
    """One self-contained HTML page."""
    script = "\n".join(_asset(name) for name in SCRIPTS)
    style = _asset("page.css")
    parts = {
        "script-hash": _hash(script),
        "style-hash": _hash(style),
        "style": style,
        "script": script,
        "document": embedded(document),  # last: it may contain the names of other places
    }
    text = _asset("page.html")
    for place, part in parts.items():
        text = text.replace(f"<!--{place}-->", part, 1)
    return text


def embedded(document: dict[str, Any]) -> str:
    """
    JSON that can stand in HTML: no name and no text can end the element it stands in.

    Example:
        >>> embedded({"name": "</script>"})
        '{"name":"\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False)
    for sign, code in ESCAPED.items():
        text = text.replace(sign, code)
    return text


def _hash(text: str) -> str:
    """By which a browser knows the one script and the one style that may run."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")
