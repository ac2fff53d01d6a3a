"""
The oracle: a view equals its query as bags, both ways; and so does every committed version of its state, over the base
tables at the cut that version records, checked by time travel. Independent of the compiler: it only rewrites names.
"""

from collections.abc import Mapping

from sqlglot import exp, parse_one

from dbt_lazyview.compiler.compile import compile_view
from tests.functional.bags import bag, in_one_only
from tests.functional.maintenance.lake import Lake

Rows = list[tuple[str, ...]]


class Oracle:
    """Judges the lazy views of a lake; `views` are their queries by name."""

    def __init__(self, lake: Lake, views: Mapping[str, str]) -> None:
        self.lake, self.views = lake, views

    def differences(self, name: str) -> Rows:
        """Rows that only the view or only its query has, now."""
        return self._compare(f"select * from `{name}`", self._over_tables(name, {}))

    def differences_in_history(self, name: str) -> dict[int, Rows]:
        """For every version of the state with a record that is wrong: the rows that differ."""
        view = compile_view(self.views[name], self.lake.engine().catalog())
        found = {}
        for version, record in self.lake.records(name):
            cut = {table.replace("`", ""): position.version for table, position in record.cut.items()}
            public = view.public(f"`{name}__state` version as of {version}").query
            found[version] = self._compare(public, self._over_tables(name, cut))
        return {version: rows for version, rows in found.items() if rows}

    def cuts(self, name: str) -> list[dict[str, int]]:
        """The recorded cuts, oldest first."""
        records = reversed(self.lake.records(name))
        return [{table: at.version for table, at in record.cut.items()} for _, record in records]

    def _over_tables(self, name: str, cut: Mapping[str, int]) -> str:
        """The view's query with lazy views written out and every table at its version."""
        query = parse_one(self.views[name], dialect="spark")
        for table in list(query.find_all(exp.Table)):
            if table.name in self.views:
                inner = self._over_tables(table.name, cut)
            else:
                at = cut.get(f"spark_catalog.{self.lake.schema}.{table.name}")
                inner = f"select * from {table.name}" + (f" version as of {at}" if cut else "")
            alias = exp.TableAlias(this=exp.to_identifier(table.alias_or_name))
            table.replace(exp.Subquery(this=parse_one(inner, dialect="spark"), alias=alias))
        return query.sql("spark")

    def _compare(self, view: str, query: str) -> Rows:
        session = self.lake.session
        return in_one_only(bag(session, view), bag(session, query))
