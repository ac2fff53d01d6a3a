"""The compiler's view of Spark's catalog; remembers what it looked up."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dbt_lazyview.compiler.catalog import CatalogError, Column, Name, StoredView, Table, UserFunction
from dbt_lazyview.maintenance.engine import Engine, EngineError
from dbt_lazyview.maintenance.probes import Probes
from dbt_lazyview.maintenance.public import PROPERTY_STANDS_IN, REPLACED, materialized_text
from dbt_lazyview.maintenance.tables import is_state_name, sql_name

Row = Mapping[str, Any]

_DETAILS = "# Detailed Table Information"
_PART = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)")


@dataclass
class SparkCatalog:
    """Looks names up by DESCRIBE; make a new one for every refresh."""

    engine: Engine
    probes: Probes = field(default_factory=Probes)  # tables that others have looked up not long ago
    _relations: dict[Name, Table | StoredView] = field(default_factory=dict)
    _functions: dict[Name | None, set[str]] = field(default_factory=dict)

    def relation(self, name: Name, namespace: Name | None) -> Table | StoredView:
        full = qualify(name, namespace)
        if full not in self._relations:
            found = self.probes.look(("relation", *full), lambda: self._described(full), is_source)
            self._relations[full] = self._relations[found.name] = found
        return self._relations[full]

    def _described(self, name: Name) -> Table | StoredView:
        shortcuts = self.engine.shortcuts
        if shortcuts and (found := shortcuts.table(name)) is not None:
            return found
        return describe_relation(name, self._rows("describe_relation", relation=sql_name(name)))

    def describe(self, sql: str) -> tuple[Column, ...]:
        return columns_of(self._rows("describe_query", query=sql))

    def function(self, name: Name, namespace: Name | None) -> UserFunction | None:
        if len(name) == 1 and name[0] not in self._user_functions(namespace):
            return None
        full = qualify(name, namespace)
        return described_function(full, self._rows("describe_function", function=sql_name(full)))

    def _user_functions(self, namespace: Name | None) -> set[str]:
        """Names that mean a function of a user where no qualifier stands before them."""
        if namespace not in self._functions:
            within = sql_name(namespace) if namespace else ""
            rows = self._rows("user_functions", namespace=within)
            self._functions[namespace] = {parts(row["function"])[-1].lower() for row in rows}
        return self._functions[namespace]

    def _rows(self, macro: str, **arguments: str) -> list[dict[str, Any]]:
        try:
            return self.engine.query(self.engine.render(macro, **arguments))
        except EngineError as error:
            if error.is_lost_connection:
                raise
            raise CatalogError(str(error)) from error


def is_source(relation: Table | StoredView) -> bool:
    """Whether a relation is a table of the user's: views and states are what refreshes themselves change."""
    return isinstance(relation, Table) and not is_state_name(relation.name)


def qualify(name: Name, namespace: Name | None) -> Name:
    """
    A name as the enclosing view resolves it.

    Example:
        >>> qualify(("t",), ("spark_catalog", "x"))
        ('spark_catalog', 'x', 't')
        >>> qualify(("y", "t"), ("spark_catalog", "x"))
        ('spark_catalog', 'y', 't')
    """
    missing = 3 - len(name)
    return (*(namespace or ())[:missing], *name) if missing > 0 else name


def describe_relation(name: Name, rows: Sequence[Row]) -> Table | StoredView:
    """The table or view that DESCRIBE TABLE EXTENDED tells of."""
    columns, details = columns_of(rows), details_of(rows)
    if not details:
        raise CatalogError(f"{sql_name(name)} is a temporary view: it has no lasting definition.")
    full = _full_name(details) or name
    if details.get("Type") != "VIEW":
        return Table(full, columns, format=_format(name, details))
    if f"{PROPERTY_STANDS_IN}={REPLACED}" in details.get("Table Properties", ""):
        raise CatalogError(f"{sql_name(full)} was not completely rebuilt: refresh it first.")
    namespace = parts(details.get("View Catalog and Namespace", ""))
    text = materialized_text(details.get("Table Properties", "")) or details["View Text"]
    return StoredView(full, text, namespace, _output(columns, details))


def _full_name(details: Mapping[str, str]) -> Name | None:
    """Catalog, schema and table as the catalog spells them; a table by path has none."""
    schema = details.get("Database") or details.get("Namespace")
    return (details["Catalog"], schema, details["Table"]) if schema and "Table" in details else None


def _format(name: Name, details: Mapping[str, str]) -> str:
    """The format that is told; of a table by path it is part of its name."""
    is_path = len(name) > 1 and "/" in name[-1]
    return (details.get("Provider") or (name[-2] if is_path else "")).lower()


def _output(columns: Sequence[Column], details: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Which column of the text gives which column of the view."""
    public = [column.name for column in columns]
    own = parts(details.get("View Query Output Columns", "").strip("[]").replace("`, `", "`.`")) or public
    return tuple(zip(own, public, strict=True))


def described_function(name: Name, rows: Sequence[Row]) -> UserFunction:
    """
    The function that DESCRIBE FUNCTION EXTENDED tells of; what a function in another language does is not told.

    Example:
        >>> told = ["Function:  f", "Deterministic: false", "Data Access:  CONTAINS SQL", "Body:  rand()"]
        >>> described_function(("f",), [{"function_desc": each} for each in told])
        UserFunction(name=('f',), definition='rand()', is_deterministic=False, reads_tables=False)
    """
    lines = [row["function_desc"].partition(":") for row in rows]
    told = {label.strip(): value.strip() for label, colon, value in lines if colon}
    definition = told.get("Body") or told.get("Class", "")
    return UserFunction(
        name, definition, told.get("Deterministic") != "false", told.get("Data Access") == "READS SQL DATA"
    )


def columns_of(rows: Sequence[Row]) -> tuple[Column, ...]:
    """The columns, which come first, up to an empty line or a heading."""
    found = []
    for row in rows:
        if not row["col_name"] or row["col_name"].startswith("# "):
            break
        found.append(Column(row["col_name"], row["data_type"]))
    return tuple(found)


def details_of(rows: Sequence[Row]) -> dict[str, str]:
    """What is told after the columns."""
    headings = [index for index, row in enumerate(rows) if row["col_name"] == _DETAILS]
    return {row["col_name"]: row["data_type"] or "" for row in rows[headings[-1] + 1 :]} if headings else {}


def parts(text: str) -> Name:
    """
    The parts of a dotted name, quoted where needed.

    Example:
        >>> parts("spark_catalog.`odd.name`")
        ('spark_catalog', 'odd.name')
    """
    return tuple(quoted_part.replace("``", "`") or plain for quoted_part, plain in _PART.findall(text))
