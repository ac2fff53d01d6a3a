"""dbt's catalog: comments, and for lazy views what their states tell; the states themselves are left out."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

import agate
from dbt.adapters.spark.column import SparkColumn
from dbt_common.clients.agate_helper import build_type_tester
from dbt_common.contracts.metadata import CatalogTable, ColumnMetadata, StatsItem, TableMetadata
from dbt_common.exceptions import DbtRuntimeError

from dbt_lazyview.adapter.lazy_views import LazyViewMethods, full_name
from dbt_lazyview.maintenance.settings import read_settings
from dbt_lazyview.maintenance.state import State, load_state
from dbt_lazyview.maintenance.tables import Tables
from dbt_lazyview.maintenance.tree import state_name
from dbt_lazyview.names import PROPERTY_COPY, PROPERTY_FINGERPRINT, PROPERTY_FORMAT

OURS = (f"{PROPERTY_FORMAT}=", f"{PROPERTY_COPY}=")  # in the properties of states and copies
TEXTS = ("table_comment", "column_comment", "column_name", "column_type", "table_name", "table_schema", "table_owner")


@dataclass
class DocumentedColumn(SparkColumn):
    """A column with its comment and that of its table, which knows the types of Spark by their names."""

    table_comment: str | None = None
    column_comment: str | None = None

    @property
    def _kind(self) -> str:
        """The type without its parameters, in Spark's words."""
        return self.dtype.lower().partition("(")[0].partition("<")[0].strip()

    def is_integer(self) -> bool:
        return self._kind in ("tinyint", "smallint", "int", "integer", "bigint")

    def is_float(self) -> bool:
        return self._kind in ("float", "double")

    def is_numeric(self) -> bool:
        return self._kind in ("decimal", "numeric")

    def is_string(self) -> bool:
        return self._kind in ("string", "varchar", "char")

    def can_expand_to(self, other_column: Any) -> bool:
        """No column has to be widened: a string has no length."""
        return False


class LazyViewDocumentation(LazyViewMethods):
    """What `dbt docs generate` asks for; a base class of the adapter."""

    Column = DocumentedColumn

    def parse_describe_extended(self, relation: Any, raw_rows: Any) -> list[Any]:
        """The columns as dbt-spark reads them, with the comments that the same rows tell."""
        found = super().parse_describe_extended(relation, raw_rows)  # type: ignore[misc]
        rows = list(raw_rows)
        told = {row["col_name"]: row["comment"] for row in rows[: len(found)]}
        comment = next((row["data_type"] for row in rows[len(found) :] if row["col_name"] == "Comment"), None)
        return [
            DocumentedColumn(**each, table_comment=comment or None, column_comment=told.get(each["column"]) or None)
            for each in (column.to_dict() for column in found)
        ]

    def _get_columns_for_catalog(self, relation: Any) -> Iterable[dict[str, Any]]:
        information = relation.information or ""
        if any(word in information for word in OURS):
            return
        stats = self._stats(relation) if f"{PROPERTY_FINGERPRINT}=" in information else {}
        for column in super()._get_columns_for_catalog(relation):  # type: ignore[misc]
            yield {**column, **stats}

    def _stats(self, relation: Any) -> dict[str, Any]:
        """What the state behind a lazy view tells; nothing is no reason to leave the view out."""
        try:
            with self._engine(relation.identifier) as engine:
                tables = Tables(engine, read_settings(engine).time_zone, self.probes)
                return stats_of(load_state(tables, state_name(full_name(engine, relation))))
        except DbtRuntimeError:
            return {}

    def _get_one_catalog(self, information_schema: Any, schemas: Any, used_schemas: Any) -> agate.Table:
        """As dbt-spark does, but a comment stays the text it is, even if it looks like a number or a date."""
        (schema,) = schemas
        relations = self.list_relations(information_schema.database, schema)  # type: ignore[attr-defined]
        columns = [column for relation in relations for column in self._get_columns_for_catalog(relation)]
        told = [name for name in TEXTS if any(name in column for column in columns)]
        return agate.Table.from_object(columns, column_types=build_type_tester(told))

    def get_catalog_for_single_relation(self, relation: Any) -> CatalogTable | None:
        columns = list(self._get_columns_for_catalog(relation))
        return catalog_entry(columns) if columns else None


def catalog_entry(columns: list[dict[str, Any]]) -> CatalogTable:
    """
    One relation of dbt's catalog, from its columns.

    Example:
        >>> table = {"table_type": "table", "table_schema": "x", "table_name": "t"}
        >>> column = {"column_name": "a", "column_type": "int", "column_index": 0}
        >>> catalog_entry([{**table, **column}]).columns["a"].type
        'int'
    """
    stats = _beginning_with("stats:", columns[0])
    told = [StatsItem(id=key, **_beginning_with(f"{key}:", stats)) for key in {name.split(":")[0] for name in stats}]
    has_stats = StatsItem("has_stats", "Has Stats?", bool(told), False, "Whether there are statistics of this table")
    described = [ColumnMetadata(**_beginning_with("column_", column)) for column in columns]
    return CatalogTable(
        metadata=TableMetadata(**_beginning_with("table_", columns[0])),
        columns={column.name: column for column in described},
        stats={each.id: each for each in (*told, has_stats)},
    )


def _beginning_with(prefix: str, entries: dict[str, Any]) -> dict[str, Any]:
    return {name.removeprefix(prefix): value for name, value in entries.items() if name.startswith(prefix)}


def stats_of(state: State) -> dict[str, Any]:
    """
    The entries of dbt's catalog for a state: its size, and the last refresh.

    Example:
        >>> stats_of(State(("x", "v__state")))
        {}
    """
    if state.detail is None or state.record is None or state.recorded is None:
        return {}
    at = datetime.fromtimestamp(state.recorded.timestamp / 1000, timezone.utc)
    return {
        **_stat("bytes", "Size of its state", state.detail.size, "Bytes of the current version of the state table"),
        **_stat("refreshed", "Refreshed", at.isoformat(sep=" ", timespec="seconds"), "When the state was written last"),
        **_stat("kind", "Last refresh", state.record.kind, "How: build, incremental, full, noop, clone"),
    }


def _stat(key: str, label: str, value: Any, description: str) -> dict[str, Any]:
    told = {"label": label, "value": value, "description": description, "include": True}
    return {f"stats:{key}:{name}": each for name, each in told.items()}
