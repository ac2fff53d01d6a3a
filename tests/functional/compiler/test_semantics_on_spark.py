"""Semantics that bite, each by its name: the view answers what Spark answers, in value and in type."""

import datetime
import itertools
import math
from decimal import Decimal

import pytest

from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.plan import Window
from tests.functional.bags import bag
from tests.functional.compiler.rows_on_spark import RowsOnSpark

pytestmark = pytest.mark.in_process("rows and changes are temporary views of this process, no tables")

_numbers = itertools.count()


@pytest.fixture
def rows(spark):
    """Makes relations on a session of their own."""
    return lambda **schemas: RowsOnSpark(spark.newSession(), schemas)


def follow(lake, sql, commits, **declared):
    """Build, then refresh after each commit; the view equals its query each time. Its rows at the end, in order."""
    view = lake.build(f"v_{next(_numbers)}", sql, **declared)
    assert view.differences() == {}
    for commit in commits:
        for table in lake.schemas:
            lake.commit(table, *commit.get(table, ()))
        view.refresh()
        assert view.differences() == {}, commit
    return sorted(view.rows(), key=repr)


def test_sum_over_no_known_value_is_null(rows):
    lake = rows(t="k int, x int")
    lake.commit("t", [(1, 5), (1, None), (2, None)])
    found = follow(lake, "select k, sum(x) s, avg(x) a, count(x) n from t group by k", [{"t": ([], [(1, 5)])}])
    assert found == [(1, None, None, 0), (2, None, None, 0)]


def test_average_of_decimals_has_sparks_type(rows):
    lake = rows(t="k int, x decimal(12,2), y decimal(30,10), z bigint")
    lake.commit("t", [(1, Decimal("0.01"), Decimal("0.0000000001"), 2**53)])
    sql = "select k, avg(x) a, sum(x) s, avg(y) b, sum(y) t, avg(z) c from t group by k"
    found = follow(lake, sql, [{"t": ([(1, Decimal("0.02"), Decimal(1), 2**53 + 1)], [])}])
    assert found[0][1] == Decimal("0.015000")


@pytest.mark.parametrize("is_ansi", [True, False], ids=["ansi", "not ansi"])
def test_overflow_and_bad_casts_follow_sparks_mode(rows, is_ansi):
    lake = rows(t="k int, x int, s string")
    lake.session.conf.set("spark.sql.ansi.enabled", str(is_ansi).lower())
    lake.commit("t", [(1, 2**31 - 1, "7")])
    view = lake.build("overflow", "select k, x + k as more, cast(s as int) as n from t where k < 1 or k > 1")
    lake.commit("t", [(2, 2**31 - 1, "no number")])
    if is_ansi:
        with pytest.raises(Exception, match=r"CAST_INVALID_INPUT|ARITHMETIC_OVERFLOW"):
            view.refresh()
        assert view.rows() == []
    else:
        view.refresh()
        assert view.rows() == [(2, -(2**31) + 1, None)]


def test_a_group_comes_with_its_first_row_and_goes_with_its_last(rows):
    lake = rows(t="k int, x int")
    commits = [{"t": ([(1, 1)], [])}, {"t": ([(2, 0)], [(1, 1)])}]
    assert follow(lake_with(lake), "select k, sum(x) s from t group by k", commits) == [(2, 0)]


def test_null_is_a_group_and_no_key(rows):
    lake = rows(t="k int, x int", d="k int, name string")
    lake.commit("t", [(None, 1), (1, 2)])
    lake.commit("d", [(None, "nobody"), (1, "one")])
    commits = [{"t": ([(None, 5)], [(1, 2)]), "d": ([(None, "none")], [])}, {"t": ([], [(None, 1)])}]
    assert follow(lake, "select k, sum(x) s from t group by k", commits) == [(None, 5)]
    lake.commit("t", [(1, 7)])
    joined = """select t.k, x, name, n.m from t left join d on t.k = d.k
        left join (select k, max(name) m from d group by k) n on t.k <=> n.k"""
    commits = [{"t": ([(None, 8)], [(1, 7)])}, {"d": ([], [(None, "nobody")])}]
    assert follow(lake, joined, commits) == [(None, 5, None, "none"), (None, 8, None, "none")]


def test_duplicates_are_counted(rows):
    lake = rows(t="x int")
    lake.commit("t", [(1,), (1,), (2,)])
    commits = [{"t": ([(2,), (2,)], [(1,)])}, {"t": ([], [(2,)])}]
    assert follow(lake, "select x from t union all select x from t where x = 2", commits) == [
        (1,),
        (2,),
        (2,),
        (2,),
        (2,),
    ]


def test_minus_zero_and_nan(rows):
    lake = rows(t="k double, x double")
    lake.commit("t", [(0.0, 1.0), (math.nan, 2.0)])
    commits = [{"t": ([(-0.0, 5.0), (math.nan, math.nan)], [])}, {"t": ([], [(0.0, 1.0)])}]
    found = follow(lake, "select k, count(*) n, max(x) m, min(x) l from t group by k", commits)
    assert [(repr(abs(k)), n, repr(m), low) for k, n, m, low in found] == [
        ("0.0", 1, "5.0", 5.0),
        ("nan", 2, "nan", 2.0),
    ]
    follow(lake, "select distinct k, x from t", [{"t": ([(math.nan, math.nan), (0.0, 5.0)], [])}])


def test_names_are_the_same_in_any_case(rows):
    lake = rows(orders="Id int, AMOUNT int")
    lake.commit("orders", [(1, 5)])
    sql = "select o.ID as Number, sum(o.Amount) as `Total Amount` from ORDERS o group by o.iD having SUM(o.amount) > 1"
    assert follow(lake, sql, [{"orders": ([(1, 3)], [])}]) == [(1, 8)]


def test_moments_in_the_time_zone_of_the_session(rows):
    lake = rows(t="id int, at timestamp")
    lake.session.conf.set("spark.sql.session.timeZone", "America/New_York")
    evening = datetime.datetime(2024, 3, 10, 4, 30, tzinfo=datetime.UTC)  # the evening before, in New York
    lake.commit("t", [(1, evening)])
    sql = "select date(at) as day, date_trunc('DAY', at) as start, count(*) n, max(at) last from t group by all"
    later = evening + datetime.timedelta(hours=3)
    found = follow(lake, sql, [{"t": ([(2, later)], [])}])
    assert {day for day, *_ in found} == {datetime.date(2024, 3, 9), datetime.date(2024, 3, 10)}


def test_types_and_order_of_columns_are_those_of_the_query(rows):
    lake = rows(t="k tinyint, s smallint, f float, d decimal(5,1), b binary, a array<int>, m struct<x: int>")
    lake.commit("t", [(1, 2, 0.5, Decimal("1.5"), bytearray(b"x"), [1, None], (3,))])
    sql = """select m, sum(s) as total, k + k as twice, avg(f) as f, sum(d) / 3 as third, b, a, 'x' as word,
        null as nothing, cast(count(*) as smallint) as n from t group by m, k, b, a"""
    follow(lake, sql, [{"t": ([(1, 3, 1.5, Decimal(2), bytearray(b"x"), [1, None], (3,))], [])}])


def test_a_source_under_two_names(rows):
    lake = rows(t="id int, parent int")
    lake.commit("t", [(1, None), (2, 1)])
    sql = """select c.id, p.id as parent, (select count(*) from t s where s.parent = c.id) n
        from t c left join t p on c.parent = p.id"""
    found = follow(lake, sql, [{"t": ([(3, 1), (4, 3)], [(2, 1)])}, {"t": ([(1, 4)], [(1, None)])}])
    assert found == [(1, 4, 1), (3, 1, 1), (4, 3, 1)]


def test_a_row_that_leaves_and_comes_back_in_one_window(rows):
    lake = rows(t="k int, x int")
    lake.commit("t", [(1, 5), (2, 6)])
    commits = [{"t": ([(1, 5), (3, 1)], [(1, 5), (3, 1)][:1])}, {"t": ([(2, 6)], [(2, 6)])}]
    assert follow(lake, "select k, max(x) m, sum(x) s from t group by k", commits) == [(1, 5, 5), (2, 6, 6), (3, 1, 1)]


def test_an_update_moves_a_row_between_groups(rows):
    lake = rows(t="k int, x int")
    lake.commit("t", [(1, 5), (1, 6), (2, 7)])
    sql = "select k, sum(x) s, max(x) m, count(distinct x) n from t group by k"
    assert follow(lake, sql, [{"t": ([(2, 6)], [(1, 6)])}]) == [(1, 5, 5, 1), (2, 13, 7, 2)]


def test_a_change_of_one_dimension_moves_a_million_facts(rows):
    lake = rows(facts="id bigint, d bigint", dims="d bigint, name string")
    lake.commit("dims", [(0, "a"), (1, "b")])
    lake.commit("facts", [])
    lake.session.sql("create or replace temp view facts as select id, id % 2 as d from range(2000000)")
    for generated, value in (("wholeStage", "true"), ("factoryMode", "FALLBACK")):
        lake.session.conf.set(f"spark.sql.codegen.{generated}", value)
    sql = "select name, count(*) n, sum(id) s from facts join dims using (d) group by name"
    view = lake.build("moved", sql)
    lake.commit("dims", [(1, "a")], [(1, "b")])
    view.refresh()
    assert view.rows() == [("a", 2000000, 1999999000000)]


def test_empty_sources(rows):
    lake = lake_with(rows(t="k int, x int"))
    sql = "select k, sum(x) s from t where x > (select coalesce(avg(x), 0) from t) group by k"
    assert follow(lake, sql, [{}, {"t": ([(1, 1), (1, 3)], [])}, {"t": ([], [(1, 1), (1, 3)])}]) == []


def test_a_global_aggregate_over_an_emptied_table_is_one_row(rows):
    lake = lake_with(rows(t="x int"))
    sql = "select count(*) n, sum(x) s, min(x) m, collect_list(x) l from t"
    commits = [{"t": ([(1,), (2,)], [])}, {"t": ([], [(1,), (2,)])}]
    assert follow(lake, sql, commits) == [(0, None, None, [])]


FLOATS = [(1, 0.1), (1, 0.2), (1, 0.3), (2, 1e16), (2, 1.0), (2, -1e16)]
DEEP_SUMS = (
    "select k, sum(x) s, avg(x) a from t group by k",
    "select s, count(*) n from (select k, sum(x) s from t group by k) group by s",
    "select t.k, s, x / s as share from t join (select k, sum(x) s from t group by k) g on t.k = g.k",
    "select distinct round(s, 3) s from (select k, sum(x) s from t group by k) where s >= 0.3",
    "select k, rank() over (order by s) r from (select k, sum(x) s from t group by k)",
)  # fmt: skip


@pytest.mark.parametrize("sql", DEEP_SUMS)
def test_float_sums_leave_no_ghosts(rows, sql):
    lake = rows(t="k int, x double")
    lake.commit("t", FLOATS)
    commits = [{"t": ([(1, 0.4)], [(1, 0.1)])}, {"t": ([], [(1, 0.2), (2, 1e16)])}, {"t": ([(1, 0.1)], [])}]
    rest = [(1, 0.3), (1, 0.4), (2, 1.0), (2, -1e16), (1, 0.1)]
    found = follow(lake, sql, commits)
    assert len(found) == bag(lake.session, sql).total() > 0
    assert follow(lake, sql, [{"t": ([], rest)}]) == []


def test_exact_sums_are_computed_again_even_when_rows_only_come(rows):
    lake = rows(t="k int, x double")
    lake.commit("t", [(1, 1e16), (2, 1.0)])
    sql = "select k, sum(x) s from t group by k"
    modes = {exact: _mode_of_inserts(lake, sql, exact) for exact in (False, True)}
    assert modes == {False: "add", True: "replace"}
    follow(lake, sql, [{"t": ([(1, 1.0), (1, -1e16)], [])}], exact=True)


def _mode_of_inserts(lake, sql, exact):
    return compile_view(sql, lake, exact).refresh({("t",): Window(0, 1, changed=True, insert_only=True)}).mode


def test_variance_of_doubles_that_cancels(rows):
    lake = rows(t="k int, x double, i int")
    lake.commit("t", [(1, 1e9 + each, 2**31 - 1 - each) for each in range(3)])
    sql = """select k, var_samp(x) v, stddev(x) d, covar_pop(x, i) c, variance(i) vi, stddev_pop(i) di, corr(i, k) r,
        covar_samp(i, k) ci, bit_xor(i) b, every(i > 5) e, any(x is null) a from t group by k"""
    commits = [{"t": ([(1, 1e9 + 7, 5)], [(1, 1e9, 2**31 - 1)])}, {"t": ([(2, 3.0, None)], [(1, 1e9 + 7, 5)])}]
    found = follow(lake, sql, commits)
    assert found[0][1] == pytest.approx(0.5)
    assert found[0][4] == 0.5


def test_ties_in_ranking_and_limit(rows):
    lake = rows(t="k int, x int")
    lake.commit("t", [(1, 5), (1, 5), (1, 4), (2, 5)])
    ranked = "select k, x, rank() over w r, dense_rank() over w d from t window w as (partition by k order by x desc)"
    assert follow(lake, ranked, [{"t": ([(2, 5), (1, 6)], [(1, 4)])}]) == [
        (1, 5, 2, 2), (1, 5, 2, 2), (1, 6, 1, 1), (2, 5, 1, 1), (2, 5, 1, 1),
    ]  # fmt: skip
    first = "select x from t order by x desc limit 2"
    assert follow(lake, first, [{"t": ([(3, 6)], [])}, {"t": ([], [(1, 6), (3, 6)])}]) == [(5,), (5,)]
    inner = "select sum(x) s from (select x from t order by x desc limit 2)"
    assert follow(lake, inner, [{"t": ([(9, 9)], [(2, 5)])}]) == [(14,)]


def lake_with(lake):
    """The relations, empty."""
    for table in lake.schemas:
        lake.commit(table)
    return lake
