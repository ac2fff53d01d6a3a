"""Tests that cannot run over Thrift are listed for people, each with its reason."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FUNCTIONAL = ROOT / "tests" / "functional"
MARKER = "in_process"


def marked(module: ast.Module) -> Iterator[tuple[str, str]]:
    """Names in a module that are marked, with the reason; no name for the whole module."""
    for node in ast.walk(module):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            yield from (("", reason) for reason in reasons([node.value]))
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield from ((f"::{node.name}", reason) for reason in reasons(node.decorator_list))


def reasons(expressions: list[ast.expr]) -> Iterator[str]:
    calls = [each for each in expressions if isinstance(each, ast.Call)]
    return (ast.literal_eval(each.args[0]) for each in calls if ast.unparse(each.func).endswith(MARKER))


def test_they_are_listed_with_their_reasons():
    expected = {
        f"| `{path.relative_to(FUNCTIONAL)}{name}` | {reason} |"
        for path in FUNCTIONAL.rglob("test_*.py")
        for name, reason in marked(ast.parse(path.read_text()))
    }
    told = {line for line in (ROOT / "CONTRIBUTING.md").read_text().splitlines() if line.startswith("| `")}
    assert len(expected) > 5
    assert {line for line in told if ".py" in line} == expected
