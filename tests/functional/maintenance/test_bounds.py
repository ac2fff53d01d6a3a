"""Large tables are read within the keys of the changes, large states merged into; many changes are grouped first."""

import re

import pytest

from dbt_lazyview.compiler.passes import broadcast_hints
from dbt_lazyview.maintenance import bounds

FACTS = "select /*+ coalesce(1) */ cast(id as int) k, id b, date_add('2024-01-01', cast(id as int)) d, 'it''s ' || id s"
BY_INT = "select name, count(*) as n, sum(f.b) as total from facts f join dims d on f.k = d.k group by name"
BY_OTHERS = "select name, count(*) as n from facts f join dims x on f.b = x.b and f.d = x.d and f.s = x.s group by name"
PER_KEY = "select k, count(*) as n, max(b) as largest from facts group by k"


@pytest.fixture
def views(lake, merges, monkeypatch):
    """Four files of facts with keys of their own, and views over them."""
    monkeypatch.setattr(bounds, "BOUNDED_BYTES", 0)
    monkeypatch.setattr(bounds, "LARGE_BYTES", 0)
    monkeypatch.setattr(bounds, "LARGE_FILES", 1)
    lake.run(
        "create table facts (k int, b bigint, d date, s string) using delta",
        *(f"insert into facts {FACTS} from range({start}, {start + 100})" for start in (0, 100, 200, 300)),
        "insert into facts values (null, 1, null, null)",
        f"create table dims using delta as select *, 'old' as name from ({FACTS} from range(0, 400, 40))",
    )
    found = {"by_int": BY_INT, "by_others": BY_OTHERS, "per_key": PER_KEY}
    for name, sql in found.items():
        lake.refresh(name, sql, is_parent=True)
    return found


def _statements(lake, views):
    """What each view's refresh ran; every view equals its query then."""
    found = {}
    for name, sql in views.items():
        engine = lake.engine()
        assert lake.refresh(name, sql, engine, is_parent=True).kind == "incremental"
        assert lake.differences(name, sql) == []
        found[name] = next(each for each in engine.ran if each.startswith("merge"))
    return found


LITERALS = {
    "by_int": ["`k` between 120 and 161"],
    "by_others": [
        "`b` between 0L and 161L",
        "`d` between DATE '2024-04-30' and DATE '2024-06-09'",
        r"`s` between 'it\'s 120' and 'it\'s 160'",
    ],
}


def test_files_without_keys_of_the_changes_are_skipped(lake, views):
    lake.run(
        "update dims set name = 'new' where k between 120 and 170",
        "insert into dims values (null, 1, null, null, 'x')",
    )
    statements = _statements(lake, {name: views[name] for name in LITERALS})
    for name, literals in LITERALS.items():
        assert [each for each in literals if each not in statements[name]] == []
        read = re.search(
            r"select [^()]*?\s+from \S*facts\S* version as of \d+\s+where [^;]*?null\)(?=\s+\))", statements[name]
        )
        assert read is not None
        assert len(lake.session.sql(read[0]).inputFiles()) == 2, "one with the keys, and one with NULLs"


def test_keys_of_rows_that_only_came_are_known_without_a_query(lake, views, monkeypatch):
    monkeypatch.setattr(bounds, "LARGE_BYTES", 2**60)
    view = {"by_int": views["by_int"]}
    lake.run("insert into dims values (130, 1, null, null, 'x')", "insert into dims values (-9, 7, null, null, 'y')")
    assert "(`k` between -10 and 131 or `k` is null)" in _statements(lake, view)["by_int"]
    lake.run("insert into dims values (130, 1, null, null, 'x')", "insert into dims values (null, 7, null, null, 'y')")
    assert "between" not in _statements(lake, view)["by_int"], "a file of NULLs alone has no least key"


NULLS = ("update dims set k = null where k = 240", "insert into dims values (250, 1, null, null, 'x')")
CHANGES = {
    "updated": (["update dims set name = 'new' where k between 120 and 170"], "120 and 161"),
    "deleted": (["delete from dims where k between 80 and 130"], "80 and 120"),
    "moved": (["update dims set k = k + 3 where k = 200"], "200 and 203"),
    "all of it, by whole files": (["delete from dims"], "0 and 363"),
    "some of it NULL": (NULLS, "240 and 251"),
    "restored": (["delete from dims where k > 300", "restore table dims to version as of {before}"], "0 and 363"),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_keys_of_rows_that_went_are_known_without_a_query(lake, views, monkeypatch, kind):
    monkeypatch.setattr(bounds, "LARGE_BYTES", 2**60)
    view = {"by_int": views["by_int"]}
    statements, expected = CHANGES[kind]
    before = lake.history("dims")[0]["version"]
    lake.run(*(each.format(before=before) for each in statements))
    assert f"(`k` between {expected} or `k` is null)" in _statements(lake, view)["by_int"]


def test_states_are_merged_into_within_the_keys(lake, views):
    lake.run("delete from facts where k between 210 and 215", "update facts set b = b + 1 where k is null")
    statement = _statements(lake, {"per_key": views["per_key"]})["per_key"]
    assert re.search(r"and \(t\.`k\w*` between 210 and 215 or t\.`k\w*` is null\)", statement)


@pytest.mark.long
def test_large_changes_are_grouped_before_they_are_joined(lake, monkeypatch):
    monkeypatch.setattr(broadcast_hints, "FEW_ROWS", 0)
    lake.run(
        "create table sales (k int, amount decimal(12,2), pieces int) using delta",
        "insert into sales select id % 7, id / 3, nullif(id % 5, 0) from range(100)",
        "create table names using delta as select cast(id as int) as k, 'n' || id % 2 as name from range(7)",
    )
    totals = "count(*) as n, sum(amount) as s, avg(amount) as a, sum(pieces) as p, avg(pieces) as m"
    sql = f"select name, {totals} from sales join names on sales.k = names.k where pieces > 1 group by name"
    lake.refresh("totals", sql)
    for change in (
        "insert into sales select id % 7, 1.25, 3 from range(20)",
        "update sales set amount = -amount, pieces = pieces + 1 where k in (1, 2)",
    ):
        lake.run(change)
        engine = lake.engine()
        assert lake.refresh("totals", sql, engine).kind == "incremental"
        assert any("grouped_delta" in each for each in engine.ran)
        assert lake.differences("totals", sql) == []
