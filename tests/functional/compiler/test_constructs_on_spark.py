# ruff: noqa: E501
"""Constructs that only Spark can run, or runs in a way of its own: each view is maintained, and equals its query."""

from decimal import Decimal

import pytest

from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.functions import AGGREGATES, GENERATORS, NON_DETERMINISTIC
from dbt_lazyview.compiler.reasons import Reason
from tests.functional.compiler.rows_on_spark import RowsOnSpark

pytestmark = pytest.mark.in_process("rows and changes are temporary views of this process, no tables")

ORDERS = "id int, cust int, price decimal(12,2), st string"
CUSTOMERS = "c_id int, nation string"

VIEWS = {
    "expressions": '''select id,
        'it''s' as doubled, "say ""hi""" as quoted, r'raw\\n' as raw, 'tab\\t' as tab, st like 'a\\%' as escaped, st like any ('a%', 'b%') as liked,
        to_char(price, '999.99') as formatted, date_format(timestamp '2024-03-04 05:06:07', 'yyyy-MM-dd HH:mm:ss E') as moment, mask(st, upperChar => 'Q') as masked,
        dateadd(day, id, date '2024-01-01') as later, date_diff(month, date '2024-01-01', date '2024-05-01') as months, date 'epoch' as epoch,
        timestamp '2024-01-01 00:00:00' - interval 2 hours as earlier, extract(week from date '2024-01-01') as week, unix_date(date '1970-01-02') as unix,
        1.5D as d, 5L as l, 2.5BD as bd, price div 2 as whole, price % 3 as rest, id & 3 as bits, id <=> cust as same, cast(st as int) as n, try_cast(st as int) as m, X'1F' as bytes,
        transform(array(id, cust), (x, i) -> x + i) as moved, aggregate(array(id, cust), 0, (acc, x) -> acc + coalesce(x, 0), acc -> acc * 10) as total,
        filter(array(id, cust), id -> id > 1) as shadowed, exists(array(id), x -> x > 1) as some_, array_sort(array(3, id), (l, r) -> l - r) as sorted,
        map_filter(map('a', id), (k, v) -> v > 1) as m1, map('k', id)['k'] as m2, element_at(array(id, 2), -1) as last, array(struct(id as x)).x as xs,
        to_json(struct(id, cust as c, price + 1)) as j1, get_json_object('{"a":[{"b":7}]}', '$.a[0].b') as j2, from_json('{"a":1}', 'a INT').a as j3, parse_json('{"a":1}'):a::int as j4,
        to_json(arrays_zip(array(id, cust), array(1))) as zipped, xxhash64(*) as hashed, md5(concat_ws('|', st, 'x')) as digest, nvl2(cust, 'y', 'n') as n2, decode(cust, 1, 'one', null, 'none', 'x') as dec,
        max(st) over (partition by cust) as best
        from orders''',
    "aggregates": """select cust,
        count_if(price > 5) a1, bool_and(price > 5) a2, any(id > 2) a3, some(id > 1) a4, every(id > 1) a5, bit_xor(id) a6, bit_and(id) a7, mean(price) a8, variance(price) a9, stddev_pop(id) a10,
        covar_samp(price, id) a11, corr(price, id) a12, regr_slope(price, id) a13, listagg(st) within group (order by st) a14, max_by(st, id, 2) a15, min_by(st, price) a16, mode(cust) a17,
        percentile_cont(0.25) within group (order by price) a18, percentile_disc(0.5) within group (order by id desc) a19, percentile(price, 0.5) a20, median(id) a21, approx_percentile(id, 0.5) a22,
        approx_count_distinct(st) a23, sort_array(collect_list(st)) a24, array_join(sort_array(collect_set(st)), ',') a25, kurtosis(id) a26, skewness(id) a27, histogram_numeric(id, 3) a28,
        hll_sketch_estimate(hll_sketch_agg(id)) a29, try_sum(id) a30, max(struct(price, id)) a31, sum(price) filter (where st = 'a') a32, count(st, id) a33, first(cust ignore nulls) a34, to_char(max(price), '999.99') a35
        from orders group by cust having a1 >= 0""",
    "generators": """select id, key, value, pos, c0, col1, f, k2
        from orders lateral view explode(map('a', id, 'b', cust)) m lateral view posexplode(array(id)) p lateral view json_tuple('{"a":1}', 'a') j
        lateral view stack(2, 'a', id, 'b', cust) s lateral view inline(array(struct(id as f))) i lateral view outer explode(filter(array(cust), c -> c > 1)) o as k2""",
    "generators in select": "select id, inline(array(struct(id as a, cust as b))) from orders",
    "fields": "select t.s.*, s.a.b as inner_b from (select struct(struct(id as b) as a, cust as c) as s from orders) as t",
    "unpivot": "select * from (select id, cust as CuSt, id * 2 as X2, price, price * 2 as p2 from orders) unpivot ((v, w) for n in ((Cust, price), (x2, p2) as Two))",
    "in as a value": """select id, cust in (select c_id from customers) as known, cust not in (select c_id from customers) as unknown,
        not (cust in (select c_id from customers) or price > 9) as neither, (id, cust) in (select c_id, c_id from customers) as both_ from orders""",
    "outer join": "select o.id, nation from orders o left join customers on cust = c_id and price > (select avg(price) from orders) and nation in (select nation from customers)",
    "windows": """select id, last_value(st) ignore nulls over w as l, lag(st, 1, 'z') over w as g, sum(price) over (order by id range between 2 preceding and current row) as s,
        count(*) over (order by date_add(date '2024-01-01', id) range between interval '1' day preceding and current row) as n, row_number() over (w) as rn
        from orders window w as (partition by cust order by id, price, st) qualify rn <= 2""",
    "from": "select r.id, x.p, v.w from range(1, 8) r left join lateral (select max(price) as p from orders where cust = r.id) x on x.p > 5 left join values (1, 'one'), (2, 'two') as v(n, w) on v.n = r.id",
    "windows of time": """select window.end as until, sum(price) as s, count(*) as n
        from (select timestamp '2024-01-01 00:10:00' + make_dt_interval(0, cust * 3) as ts, price from orders) group by window(ts, '3 hours', '2 hours')""",
    "last moments": """select window_time(w) as last, w, n
        from (select window(timestamp '2024-01-01 00:10:00' + make_dt_interval(0, id), '2 hours') as w, count(*) as n from orders group by 1)""",
    "sessions": """select session_window.start as s, cust, count(*) as n, sum(price) as p, session_window.end as e
        from (select timestamp '2024-01-01 00:10:00' + make_dt_interval(0, 0, id * 4) as ts, cust, price from orders) group by cust, session_window(ts, '4 minutes')""",
    "sessions of any length": """select session_window(ts, case when cust = 1 then '4 minutes' when cust = 2 then '-1 minutes' else '9 minutes' end) as w, count(*) as n
        from (select if(id = 3, null, timestamp '2024-01-01 00:10:00' + make_dt_interval(0, 0, id * 4)) as ts, cust from orders) group by 1 having n > 0 order by w""",
    "pipe": "from orders |> where price > 4 |> aggregate sum(price) as s group by cust |> order by s desc |> limit 2",
}  # fmt: skip


@pytest.fixture(scope="module")
def rows(spark):
    lake = RowsOnSpark(spark.newSession(), {"orders": ORDERS, "customers": CUSTOMERS})
    lake.commit(
        "orders", [_order(1, 1, 10, "a"), _order(2, 1, 20, "b"), _order(3, 2, 5, None), _order(7, None, 9, "b")]
    )
    lake.commit("customers", [(1, "DE"), (2, "FR"), (None, "XX"), (9, "DE")])
    return lake


def _order(number, customer, price, status):
    return number, customer, Decimal(price), status


@pytest.mark.long
def test_views_equal_their_queries(rows):
    views = {name: rows.build(name.replace(" ", "_"), sql) for name, sql in VIEWS.items()}
    assert {name: found for name, view in views.items() if (found := view.differences())} == {}
    rows.commit("orders", [_order(4, 2, 7, "c"), _order(5, 1, 8, "a")], [_order(3, 2, 5, None)])
    rows.commit("customers", [(2, "IT")], [(2, "FR")])
    for view in views.values():
        view.refresh()
    assert {name: found for name, view in views.items() if (found := view.differences())} == {}


def test_every_function_of_spark_is_known_for_what_it_is(spark):
    """A new release may bring aggregates, generators, and functions without one answer."""
    kinds = _kinds(spark)
    assert kinds["AggregateFunction"] - kinds["WindowFunction"] <= AGGREGATES
    assert kinds["Generator"] - {"collations", "sql_keywords"} <= GENERATORS
    assert kinds["Nondeterministic"] <= NON_DETERMINISTIC


def _kinds(spark):
    """Names of Spark's built-in functions, by the traits of the classes behind them."""
    state, loader = (
        spark._jsparkSession.sessionState(),
        spark._jvm.java.lang.Thread.currentThread().getContextClassLoader(),
    )
    found_class = spark._jvm.java.lang.Class
    package = "org.apache.spark.sql.catalyst.expressions"
    traits = {
        "AggregateFunction": f"{package}.aggregate.AggregateFunction",
        **{each: f"{package}.{each}" for each in ("WindowFunction", "Generator", "Nondeterministic")},
    }
    classes = {trait: found_class.forName(name, False, loader) for trait, name in traits.items()}
    kinds = {trait: set() for trait in traits}
    for registry in (state.functionRegistry(), state.tableFunctionRegistry()):
        names = registry.listFunction().iterator()
        while names.hasNext():
            identifier = names.next()
            own = found_class.forName(registry.lookupFunction(identifier).get().getClassName(), False, loader)
            for trait, known in classes.items():
                if known.isAssignableFrom(own):
                    kinds[trait].add(identifier.funcName())
    return kinds


def test_functions_of_users_are_deterministic_unless_their_definition_says_otherwise(lake):
    lake.run(
        "create table sales (id int, amount int) using delta",
        "create function next_of(x int) returns int return x + 1",
        "create function dice() returns double not deterministic return rand()",
        "create function best() returns int reads sql data return (select max(amount) from sales)",
    )
    texts = {name: f"select id, {name} as value from sales" for name in ("next_of(id)", "dice()", "best()", "abs(id)")}
    views = {name: compile_view(sql, lake.engine().catalog()) for name, sql in texts.items()}
    assert {name: [each.reason for each in view.problems] for name, view in views.items()} == {
        "next_of(id)": [], "dice()": [Reason.NON_DETERMINISTIC], "best()": [Reason.NON_DETERMINISTIC], "abs(id)": [],
    }  # fmt: skip
    lake.run("create or replace function next_of(x int) returns int return x + 2")
    again = compile_view(texts["next_of(id)"], lake.engine().catalog())
    assert again.fingerprint != views["next_of(id)"].fingerprint


def test_a_moment_that_the_query_names_never_changes(lake):
    lake.run(
        "create table sales (id int, amount int) using delta",
        "insert into sales values (1, 10), (2, 20)",
        "insert into sales values (3, 30)",
    )
    sql = "select s.id, s.amount - coalesce(b.amount, 0) as more from sales s left join sales version as of 1 b on b.id = s.id"
    assert lake.refresh("grown", sql).kind == "build"
    lake.run("update sales set amount = amount + 5 where id <> 2", "delete from sales where id = 2")
    assert lake.refresh("grown", sql).kind == "incremental"
    assert lake.differences("grown", sql) == []
    assert sorted(lake.run("select * from grown")) == [(1, 5), (3, 35)]
