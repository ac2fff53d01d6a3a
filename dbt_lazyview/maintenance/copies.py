"""
Copies: a table without versions is followed through a Delta copy of it, which is a source like any other.

The copy is brought up to date before a cut is taken, in one commit of its own. A refresh that dies afterwards finds it
again: nothing is lost, and nothing is applied twice, for the record of a view names a version of the copy.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp, parse_one

from dbt_lazyview.compiler.catalog import Catalog, Column, Name, StoredView, Table, UserFunction
from dbt_lazyview.compiler.dialect import DIALECT
from dbt_lazyview.compiler.reasons import ModelError, Problem, Reason
from dbt_lazyview.maintenance.cut import not_delta
from dbt_lazyview.maintenance.definition import AUTO, DIFF, Definition
from dbt_lazyview.maintenance.engine import EngineError
from dbt_lazyview.maintenance.failures import is_race
from dbt_lazyview.maintenance.history import CHANGE_FEED
from dbt_lazyview.maintenance.log_copies import follow_log
from dbt_lazyview.maintenance.logs import DEBEZIUM, Log
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.names import COPY_INFIX, PROPERTY_COPY, quoted

ATTEMPTS = 3
_ODD = re.compile(r"[ ,;{}()\n\t=]")  # in names of columns: these need a mapping, which copies cannot have


@dataclass(frozen=True)
class SourcesCatalog:
    """A catalog in which a table without versions is its copy, or is refused, as the view's `capture` says."""

    tables: Tables
    catalog: Catalog
    definition: Definition
    schema: Name  # of the view: copies stand beside its state
    captures: bool = True  # bring copies up to date
    instead: dict[Name, Name] = field(default_factory=dict)  # logs that stand for a table, as the query calls them

    def relation(self, name: Name, namespace: Name | None) -> Table | StoredView:
        found = self.catalog.relation(name, namespace)
        if log := self.definition.logs.get(sql_name(found.name)):
            return self.copy_by_log(name, found, log)
        if not isinstance(found, Table) or found.is_versioned:
            return found
        if self.definition.capture == AUTO:
            raise ModelError((not_delta(found.name, found.format),))
        return self.copy_of(found) if self.definition.capture == DIFF else found

    def copy_of(self, source: Table) -> Table:
        copy = copy_name(source.name, self.schema)
        columns = self.catalog.describe(f"SELECT * FROM {source.sql}")
        if self.captures:
            self.tables.probes.look(("copy", *copy), lambda: bring_up_to_date(self.tables, source, copy, columns))
        return Table(copy, columns)

    def copy_by_log(self, name: Name, found: Table | StoredView, log: Log) -> Table:
        """The copy of a source that tells its own changes: of a table, or of a view that shows how things are now."""
        source = found if isinstance(found, Table) else Table(found.name, (), format="view")
        copy = copy_name(source.name, self.schema)
        columns = self.catalog.describe(f"SELECT {self.mirrored(source, log)} FROM {source.sql}")
        self.check_names(source, copy, columns)
        if self.captures:
            self.tables.probes.look(("copy", *copy), lambda: follow_log(self.tables, source, copy, log, columns))
        if not log.has_base:
            self.instead[_lower(name)] = copy
        return Table(copy, columns)

    def mirrored(self, source: Table, log: Log) -> str:
        """The columns that a log tells of."""
        if log.has_base:
            return "*"
        if log.format == DEBEZIUM:
            return "`after`.*"
        return ", ".join(quoted(each.name) for each in source.columns if each.name.lower() not in log.own_columns)

    def check_names(self, source: Table, copy: Name, columns: tuple[Column, ...]) -> None:
        detail = self.tables.detail(copy)
        if detail is not None and detail.properties.get(PROPERTY_COPY) != sql_name(source.name):
            raise ModelError((_foreign(copy),))
        if odd := [column.name for column in columns if _ODD.search(column.name)]:
            raise ModelError((_odd_names(source, odd),))

    def describe(self, sql: str) -> tuple[Column, ...]:
        return self.catalog.describe(reading(self.instead, sql) if self.instead else sql)

    def function(self, name: Name, namespace: Name | None) -> UserFunction | None:
        return self.catalog.function(name, namespace)


def reading(instead: Mapping[Name, Name], sql: str) -> str:
    """
    A query that reads the copies of logs, whose columns it means, instead of the logs.

    Example:
        >>> reading({("cdc", "people"): ("c", "people__copy_1")}, "select people.id from cdc.people")
        'SELECT people.id FROM `c`.`people__copy_1` AS people'
    """
    query = parse_one(sql, dialect=DIALECT)
    names = {each.alias for each in query.find_all(exp.CTE)}
    for table in list(query.find_all(exp.Table)):
        copy = instead.get(_lower(tuple(part.name for part in table.parts)))
        if copy and not (len(table.parts) == 1 and table.name in names):
            alias = table.args.get("alias") or exp.TableAlias(this=table.this.copy())
            changed = exp.to_table(sql_name(copy), dialect=DIALECT)
            changed.set("alias", alias)
            table.replace(changed)
    return query.sql(dialect=DIALECT)


def _lower(name: Name) -> Name:
    return tuple(part.lower() for part in name)


def copy_name(source: Name, schema: Name) -> Name:
    """
    Where the copy of a table stands.

    Example:
        >>> copy_name(("spark_catalog", "raw", "Prices 2"), ("spark_catalog", "shop"))
        ('spark_catalog', 'shop', 'prices_2__copy_3cfc98')
    """
    digest = hashlib.sha256(sql_name(source).encode()).hexdigest()[:6]
    plain = re.sub(r"[^a-z0-9_]", "_", source[-1].lower())
    return (*schema, f"{plain}{COPY_INFIX}{digest}")


def bring_up_to_date(tables: Tables, source: Table, copy: Name, columns: tuple[Column, ...]) -> None:
    """Let the copy have the rows of its source; whoever loses a race against another refresher looks again."""
    tables.engine.execute(tables.engine.render("refresh_table", relation=source.sql))
    for attempt in range(ATTEMPTS):
        statement = _statement(tables, source, copy, columns)
        try:
            if statement:
                tables.engine.execute(statement)
                tables.probes.forget_table(copy)
            return
        except EngineError as error:
            if not is_race(error) or attempt + 1 == ATTEMPTS:
                raise


def _statement(tables: Tables, source: Table, copy: Name, columns: tuple[Column, ...]) -> str:
    """What has to be run for it, nothing if the copy is right."""
    engine, names = tables.engine, [quoted(column.name) for column in columns]
    detail = tables.detail(copy)
    if detail is not None and detail.properties.get(PROPERTY_COPY) != sql_name(source.name):
        raise ModelError((_foreign(copy),))
    if odd := [column.name for column in columns if _ODD.search(column.name)]:
        raise ModelError((_odd_names(source, odd),))
    if detail is None or engine.catalog().describe(f"SELECT * FROM {sql_name(copy)}") != columns:
        properties = {CHANGE_FEED: "true", PROPERTY_COPY: sql_name(source.name)}
        return engine.render("create_copy", copy=sql_name(copy), source=source.sql, properties=properties)
    if not engine.query(engine.render("copy_differs", copy=sql_name(copy), source=source.sql, columns=names)):
        return ""
    return engine.render("overwrite_copy", copy=sql_name(copy), source=source.sql)


def _odd_names(source: Table, columns: list[str]) -> Problem:
    return Problem(
        Reason.NOT_DELTA, f"{source.sql} cannot be copied: it has the columns {', '.join(columns)}.",
        "Delta takes no spaces and none of ,;{}()= in names of columns of a table with a change data feed.",
        "Rename these columns, or set capture: full, to compute the view anew each time.",
    )  # fmt: skip


def _foreign(name: Name) -> Problem:
    return Problem(
        Reason.RESERVED_NAME, f"{sql_name(name)} exists and is not a copy of a source.",
        "A lazy view keeps a copy under this name, and this table belongs to somebody else.", "Rename that table.",
    )  # fmt: skip
