"""Every class of dbt's own adapter tests is run, or left out in docs/dbt.md with a reason: none is forgotten."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import dbt.tests.adapter as suites
import pytest
from dbt.contracts.graph import nodes

ROOT = Path(__file__).resolve().parents[2]
PLACES = (ROOT / "tests" / "dbt_adapter", ROOT / "tests" / "functional" / "dbt_basic")
PAGE = (ROOT / "docs" / "dbt.md").read_text()
LEFT_OUT = re.compile(r"^\| `(\w+)` \| (.+?) \|.*\|$", re.MULTILINE)
CLASS = re.compile(r"`(\w+)`")


def offered():
    """All classes with tests, by family; those that only run another one under a name of PostgreSQL's left out."""
    found = {}
    folder = Path(next(iter(suites.__path__)))
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        module = importlib.import_module(".".join([suites.__name__, *parts]))
        own = {each: name for name, each in vars(module).items() if getattr(each, "__module__", "") == module.__name__}
        found |= {each: parts[0] for each, name in own.items() if inspect.isclass(each) and _has_tests(name, each)}
    return found


def _has_tests(name, each):
    return not name.startswith("Test") and any(attribute.startswith("test_") for attribute in dir(each))


def subclassed():
    """The classes of dbt that ours are made of, and what these are made of."""
    found = set()
    for path in (path for place in PLACES for path in place.glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(suites.__name__):
                module = importlib.import_module(node.module)
                found |= {getattr(module, alias.name, None) for alias in node.names}
    return {base for each in found if inspect.isclass(each) for base in each.__mro__}


def left_out():
    return {(family, name) for family, names in LEFT_OUT.findall(PAGE) for name in CLASS.findall(names)}


@pytest.mark.skipif(
    not hasattr(nodes, "FunctionNode"), reason="dbt-tests-adapter can only be imported as a whole beside dbt-core 1.11"
)
def test_none_is_forgotten():
    run = subclassed()
    missing = {(family, each.__name__) for each, family in offered().items() if each not in run}
    assert sorted(missing) == sorted(left_out())


def test_subclasses_are_run():
    """Whatever is imported is also a base of a class that pytest collects."""
    for path in (path for place in PLACES for path in place.glob("test_*.py")):
        tree = ast.parse(path.read_text())
        bases = {name.id for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for name in node.bases}
        imported = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(suites.__name__)
            for alias in node.names
            if re.match(r"Base|Store|Simple|Materialized|Metadata|Catalog|\w*UDF", alias.name)
        }
        assert imported <= bases, path.name
