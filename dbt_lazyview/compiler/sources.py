"""The tables behind a tree, each with the columns that are read."""

from collections.abc import Mapping

from dbt_lazyview.compiler.algebra import Node, Scan, walk
from dbt_lazyview.compiler.catalog import Table
from dbt_lazyview.compiler.plan import Source


def whole_source(alias: str, table: Table) -> Source:
    """A table with all its columns."""
    return Source(table.name, alias, tuple(each.name for each in table.columns), table.at, table.is_versioned)


def used_sources(root: Node, tables: Mapping[str, Table]) -> tuple[Source, ...]:
    """The tables that a tree reads, with the columns it reads."""
    used: dict[str, set[str]] = {}
    for node in walk(root):
        if isinstance(node, Scan):
            used.setdefault(node.source, set()).update(own for _, own in node.reads)
    return tuple(_with_columns(alias, tables[alias], columns) for alias, columns in used.items())


def _with_columns(alias: str, table: Table, columns: set[str]) -> Source:
    names = tuple(each.name for each in table.columns if each.name in columns)
    return Source(table.name, alias, names, table.at, table.is_versioned)
