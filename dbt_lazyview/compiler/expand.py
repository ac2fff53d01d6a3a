"""Stage expand: views become their queries, until only tables are left; each table gets a short name of its own."""

from dataclasses import dataclass, field, replace

from sqlglot import exp
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers
from sqlglot.optimizer.scope import traverse_scope

from dbt_lazyview.compiler.block import fresh, identifier
from dbt_lazyview.compiler.catalog import Catalog, CatalogError, Name, StoredView, Table, UserFunction
from dbt_lazyview.compiler.dialect import DIALECT
from dbt_lazyview.compiler.parse import parse_query, position, source_line
from dbt_lazyview.compiler.reasons import ModelError, Problem, Reason
from dbt_lazyview.compiler.rewriting.spelling import spelled_out
from dbt_lazyview.compiler.user_functions import functions_called

_MAX_DEPTH = 50


@dataclass
class Expanded:
    """A query over short names only, and the tables behind them."""

    query: exp.Query
    tables: dict[str, Table] = field(default_factory=dict)  # by short name
    functions: list[UserFunction] = field(default_factory=list)  # that users made and the query calls


def read_query(sql: str) -> exp.Query:
    """A text as a query with names in lower case."""
    query = normalize_identifiers(spelled_out(parse_query(sql)), dialect=DIALECT)
    assert isinstance(query, exp.Query)
    return query


def expand_views(query: exp.Query, catalog: Catalog, text: str) -> Expanded:
    """Replace every view by its query and every table by its short name; all unknown relations are told at once."""
    expansion = _Expansion(catalog, text)
    expanded = expansion.run(query.copy(), None, 0)
    if expansion.problems:
        raise ModelError(tuple(expansion.problems))
    return _with_short_names(expanded, expansion)


def _with_short_names(query: exp.Query, expansion: "_Expansion") -> Expanded:
    """Placeholders become names that remind of the tables and that no CTE anywhere in the query hides."""
    taken = {each.alias for each in query.find_all(exp.CTE)}
    short: dict[str, str] = {}
    for placeholder, table in expansion.found.items():
        short[placeholder] = fresh(_identifier_like(table.name[-1]), taken)
        taken.add(short[placeholder])
    for each in query.find_all(exp.Table):
        if each.name in short:
            each.set("this", identifier(short[each.name]))
    tables = {short[placeholder]: table for placeholder, table in expansion.found.items()}
    return Expanded(query, tables, expansion.functions)


@dataclass
class _Expansion:
    catalog: Catalog
    text: str
    problems: list[Problem] = field(default_factory=list)
    found: dict[str, Table] = field(default_factory=dict)  # by placeholder
    functions: list[UserFunction] = field(default_factory=list)

    def run(self, query: exp.Query, namespace: Name | None, depth: int) -> exp.Query:
        self.functions += functions_called(query, self.catalog, namespace)
        holder = exp.Subquery(this=query)  # so that the root can be replaced like any other node
        for table in _real_tables(query):
            try:
                found = self.catalog.relation(_parts(table), namespace)
            except CatalogError as error:
                self.problems.append(self._unknown(table, str(error)))
                continue
            if isinstance(found, StoredView):
                table.replace(self._view(table, found, depth))
            else:
                self._table(table, found)
        inner = holder.this
        assert isinstance(inner, exp.Query)
        return inner.copy() if inner is query else inner

    def _view(self, table: exp.Table, view: StoredView, depth: int) -> exp.Expr:
        if depth > _MAX_DEPTH:
            raise CatalogError(f"views nest deeper than {_MAX_DEPTH}")
        body = self.run(read_query(view.sql), view.namespace, depth + 1)
        inner = exp.Subquery(this=body, alias=exp.TableAlias(this=identifier("v")))
        select = exp.Select()
        for own, public in view.output:
            select = select.select(
                exp.alias_(exp.column(identifier(own), table=identifier("v")), identifier(public)), copy=False
            )
        return exp.Subquery(
            this=select.from_(inner, copy=False),
            alias=_alias_of(table),
            joins=table.args.get("joins"),
            laterals=table.args.get("laterals"),
            pivots=table.args.get("pivots"),
        )

    def _table(self, table: exp.Table, found: Table) -> None:
        alias = _alias_of(table)
        found = self._pinned(table, found)
        known = (
            placeholder for placeholder, each in self.found.items() if (each.name, each.at) == (found.name, found.at)
        )
        placeholder = next(known, f"lv_table_{len(self.found)}")
        self.found[placeholder] = found
        table.set("this", identifier(placeholder))
        table.set("db", None)
        table.set("catalog", None)
        table.set("alias", alias)

    def _pinned(self, table: exp.Table, found: Table) -> Table:
        """The table at the version or time that the query names, with the columns it had then."""
        version = table.args.get("version")
        if version is None or not isinstance(version.expression, exp.Literal):
            return found
        at = version.sql(DIALECT)
        table.set("version", None)
        return replace(found, columns=self.catalog.describe(f"SELECT * FROM {found.sql} {at}"), at=at)

    def _unknown(self, table: exp.Table, engine_words: str) -> Problem:
        line, column, length = position(table)
        name = ".".join(_parts(table))
        return Problem(
            Reason.UNKNOWN_RELATION,
            f"{name} is not known.",
            engine_words,
            "Build it first, or correct the name.",
            line,
            column,
            length,
            source_line(self.text, line),
        )


def _real_tables(query: exp.Query) -> list[exp.Table]:
    """Tables that are not names of CTEs."""
    found: dict[int, exp.Table] = {}
    for scope in traverse_scope(query):
        for table in scope.tables:
            if isinstance(table.this, exp.Identifier) and not _names_cte(table, scope.cte_sources):
                found[id(table)] = table
    return list(found.values())


def _names_cte(table: exp.Table, ctes: object) -> bool:
    return not table.db and table.name in ctes  # type: ignore[operator]


def _parts(table: exp.Table) -> Name:
    return tuple(part.name for part in table.parts)


def _alias_of(table: exp.Table) -> exp.TableAlias:
    alias = table.args.get("alias")
    if isinstance(alias, exp.TableAlias) and alias.this:
        return alias.copy()
    made = exp.TableAlias(this=identifier(table.name))
    if isinstance(alias, exp.TableAlias):
        made.set("columns", alias.args.get("columns"))
    return made


def _identifier_like(name: str) -> str:
    """
    A plain identifier that reminds of a name.

    Example:
        >>> _identifier_like("Über Sicht")
        'ber_sicht'
    """
    plain = "".join(each if each.isascii() and each.isalnum() else "_" for each in name.lower()).strip("_")
    return plain if plain and not plain[0].isdigit() else f"t_{plain}".rstrip("_")
