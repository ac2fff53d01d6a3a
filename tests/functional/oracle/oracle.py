"""
The oracle: a view equals its query as bags, both ways; and so does every committed version of its state, over the base
tables at the cut that version records, checked by time travel. Independent of the compiler: it only rewrites names.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from sqlglot import exp, parse_one

from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.view import View
from dbt_lazyview.maintenance.record import Record
from tests.functional.bags import Bag, bag, in_one_only
from tests.functional.maintenance.lake import Lake

Rows = list[tuple[str, ...]]
Records = Sequence[tuple[int, Record]]  # by version, newest first
AT_ONCE = 8  # versions in one statement


class Oracle:
    """Judges the lazy views of a lake; `views` are their queries by name, `others` those they had at other times."""

    def __init__(self, lake: Lake, views: Mapping[str, str], *others: Mapping[str, str]) -> None:
        self.lake, self.views, self.others = lake, views, others

    def differences(self, name: str) -> Rows:
        """Rows that only the view or only its query has, now."""
        return self._compare(f"select * from `{name}`", self._over_tables(self.views[name], {}))

    def differences_in_history(self, name: str, records: Records | None = None) -> dict[int, Rows]:
        """For every version of the state with a record (or these) that is wrong: the rows that differ."""
        records = self.lake.records(name) if records is None else records
        queries = self._queries_by_fingerprint(name) if records else {}
        found: dict[int, Rows] = {}
        for fingerprint, (view, sql) in queries.items():
            alike = [each for each in records if each[1].fingerprint == fingerprint]
            for start in range(0, len(alike), AT_ONCE):
                found |= self._compare_versions(name, view, sql, alike[start : start + AT_ONCE])
        assert set(found) == {at for at, _ in records}, "a version was written by a query that nobody knows"
        return {version: rows for version, rows in found.items() if rows}

    def differences_between(self, rows: str, name: str, record: Record) -> Rows:
        """Rows that only a query has, or only that of a view over the cut of a record."""
        return self._compare(rows, self._over_tables(self.views[name], _versions(record)))

    def cuts(self, name: str, records: Records | None = None) -> list[dict[str, int]]:
        """The recorded cuts, oldest first."""
        newest_first = self.lake.records(name) if records is None else records
        return [{table: at.version for table, at in record.cut.items()} for _, record in reversed(newest_first)]

    def steps_back(self, name: str, records: Records | None = None) -> list[tuple[dict[str, int], dict[str, int]]]:
        """Consecutive cuts of which the second is older in some table."""
        steps = pairwise(self.cuts(name, records))
        return [(old, new) for old, new in steps if any(new[table] < old[table] for table in new if table in old)]

    def _queries_by_fingerprint(self, name: str) -> dict[str, tuple[View, str]]:
        catalog = self.lake.engine().catalog()
        queries = {views[name] for views in (self.views, *self.others) if name in views}
        return {view.fingerprint: (view, sql) for sql in queries for view in [compile_view(sql, catalog)]}

    def _over_tables(self, sql: str, cut: Mapping[str, int]) -> str:
        """A view's query with lazy views written out and every table at its version."""
        query = parse_one(sql, dialect="spark")
        for table in list(query.find_all(exp.Table)):
            if table.name in self.views:
                inner = self._over_tables(self.views[table.name], cut)
            else:
                at = cut.get(f"spark_catalog.{self.lake.schema}.{table.name}")
                inner = f"select * from {table.name}" + (f" version as of {at}" if cut else "")
            alias = exp.TableAlias(this=exp.to_identifier(table.alias_or_name))
            table.replace(exp.Subquery(this=parse_one(inner, dialect="spark"), alias=alias))
        return query.sql("spark")

    def _compare_versions(self, name: str, view: View, sql: str, records: Records) -> dict[int, Rows]:
        shown = {at: view.public(f"`{name}__state` version as of {at}").query for at, _ in records}
        meant = {at: self._over_tables(sql, _versions(record)) for at, record in records}
        ours, theirs = self._bags(shown), self._bags(meant)
        return {at: in_one_only(ours[at], theirs[at]) for at in shown}

    def _bags(self, queries: Mapping[int, str]) -> dict[int, Bag]:
        """The rows of several queries with the same columns, by one statement."""
        tagged = " union all ".join(f"select {number} as lv_at, * from ({sql})" for number, sql in queries.items())
        bags: dict[int, Bag] = {number: Counter() for number in queries}
        for (number, *row), times in bag(self.lake.session, tagged).items():
            bags[int(number)][tuple(row)] += times
        return bags

    def _compare(self, view: str, query: str) -> Rows:
        session = self.lake.session
        return in_one_only(bag(session, view), bag(session, query))


def _versions(record: Record) -> dict[str, int]:
    return {table.replace("`", ""): position.version for table, position in record.cut.items()}
