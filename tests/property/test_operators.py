# ruff: noqa: E501
"""Every operator, by name, through batches that insert, update, delete, clear and refill."""

from itertools import cycle

import pytest

from dbt_lazyview.compiler.derivation import ALL_OFF, ALL_ON, Options
from tests.property.duck_lake import DuckLake
from tests.property.duck_views import DuckView

TABLES = {
    "orders": [("id", "int"), ("cust", "int"), ("price", "decimal(12,2)"), ("st", "string")],
    "customers": [("c_id", "int"), ("nation", "string")],
}

CASES = {
    "filter": "select id, price from orders where price > 6",
    "project": "select id + 1 as next, upper(st) as st, coalesce(price, 0) * 2 as twice from orders",
    "join": "select o.*, nation from orders o, customers c where o.cust = c.c_id and price > 3",
    "join__using": "select c_id, st, nation from (select cust as c_id, st from orders) join customers using (c_id)",
    "join__self": "select a.st, b.st as st2 from orders a join orders b on a.cust = b.cust",
    "join__three": "select a.id, b.id as id2, nation from orders a join orders b on a.cust = b.cust "
    "join customers on b.cust = c_id",
    "join__cross": "select id, nation from orders cross join customers",
    "join__of_groups": "with g as (select cust, sum(price) s from orders group by cust) "
    "select nation, g.s, h.s as s2 from g join customers on g.cust = c_id join g h on h.cust = g.cust",
    "outer_join__left": "select id, nation from orders left join customers on cust = c_id",
    "outer_join__right": "select id, nation from orders right join customers on cust = c_id and price > 6",
    "outer_join__full_or": "select id, nation from orders full join customers on cust = c_id or price = 9",
    "outer_join__to_groups": "select c_id, n from customers c left join "
    "(select cust, count(distinct st) n from orders group by cust) o on o.cust = c.c_id",
    "outer_join__to_two_groups": "select c_id, nation, n, coalesce(top, 0) as top from customers left join "
    "(select cust, count(*) n from orders group by cust) a on a.cust = c_id left join "
    "(select cust, max(price) top from orders where st <> 'b' group by cust) b on b.cust = c_id where c_id > 0",
    "outer_join__to_groups_of_two_keys": "select c_id, nation, n from customers left join (select cust, st, count(*) n "
    "from orders group by cust, st) o on o.st = nation and o.cust = c_id",
    "outer_join__to_float_groups": "select c_id, x.cust from customers left join (select cust from (select cust, st, "
    "sum(cast(price as double)) s from orders group by cust, st) where s > 7.03) x on x.cust = c_id",
    "semi_join__exists": "select * from orders where exists (select 1 from customers where c_id = cust)",
    "semi_join__not_exists": "select * from customers "
    "where not exists (select 1 from orders where cust = c_id and price > 6)",
    "semi_join__in": "select * from orders where cust in (select c_id from customers)",
    "semi_join__not_in": "select * from orders where cust not in (select c_id from customers where nation <> 'XX')",
    "semi_join__not_in_nulls": "select * from customers where c_id not in (select cust from orders)",
    "semi_join__same_table_nested": "select * from customers where c_id in (select c_id from customers where nation in "
    "(select nation from customers where c_id > 1))",
    "semi_join__in_float_groups": "select * from customers where c_id in (select cust from (select cust, st, "
    "sum(cast(price as double)) s from orders group by cust, st) where s > 7.03)",
    "semi_join__under_or": "select * from orders where cust in (select c_id from customers) or price > 15",
    "subquery__scalar": "select nation, (select max(price) from orders) as s from customers "
    "where c_id > (select min(cust) from orders)",
    "subquery__correlated": "select nation, (select sum(price) from orders where cust = c_id) as s, "
    "(select count(*) from orders where cust = c_id) as n from customers",
    "subquery__nested": "select nation, (select count(*) from orders o where o.cust = c_id and o.price >= "
    "(select avg(price) from orders o2 where o2.cust = o.cust)) k from customers",
    "subquery__two_levels_up": "select nation, (select count(*) from orders where cust < c_id and price > "
    "(select avg(price) from orders o2 where o2.cust = c_id)) k from customers",
    "subquery__in_join_condition": "select id, nation from orders join customers on cust = c_id "
    "and price > (select avg(price) from orders)",
    "subquery__in_having": "select nation, count(*) n from customers c group by nation "
    "having count(*) > (select count(*) from orders where st = nation)",
    "subquery__lateral": "select c_id, x.p from customers c, lateral (select max(price) p from orders where cust = c_id) x",
    "aggregate": "select nation, count(*) as n, sum(price) as rev, avg(price) av from orders join customers on cust = c_id "
    "group by nation having count(*) > 0",
    "aggregate__global": "select count(*) as n, sum(price) s, min(price) m, avg(price) a from orders",
    "aggregate__expressions": "select price > 6 as big, sum(price) / count(*) as mean, max(id) - min(id) as spread "
    "from orders group by price > 6",
    "aggregate__null_key": "select cust, count(*) n, count(st) c from orders group by cust",
    "aggregate__wide_decimals": "select st, sum(cast(price as decimal(32,4))) w, sum(cast(price as decimal(36,10))) d, count(*) n "
    "from orders left join customers on cust = c_id group by st",
    "aggregate__wide_decimals_in_all": "select sum(cast(price as decimal(32,4))) w, count(id) n from orders",
    "aggregate__recomputed": "select nation, min(price) mi, max(price) ma, count(distinct st) cd "
    "from orders join customers on cust = c_id group by nation",
    "aggregate__extremes_of_unmatched": "select nation, max(coalesce(price, 99)) as most, min(coalesce(id, -1)) as least "
    "from customers left join orders on cust = c_id group by nation",
    "aggregate__extremes_without": "select max(c_id) as most from customers "
    "where not exists (select 1 from orders where cust = c_id)",
    "aggregate__filter": "select cust, sum(price) filter (where st = 'a') s, count(*) filter (where price > 6) n "
    "from orders group by cust",
    "aggregate__of_aggregate": "select n, count(*) k from (select cust, count(*) n from orders group by cust) group by n",
    "aggregate__by_float_total": "select s, count(*) n from (select cust, sum(cast(price as double)) s from orders "
    "group by cust) group by s order by s, n limit 2",
    "aggregate__rollup": "select st, cust, count(*) n, sum(price) s, grouping(st) g from orders group by rollup(st, cust)",
    "aggregate__grouping_sets": "select st, cust, count(*) n from orders group by grouping sets ((st), (cust), ())",
    "aggregate__pivot": "select * from (select cust, st, price from orders) "
    "pivot (sum(price) for st in ('a' as a, 'b' as b, 'c' as c))",
    "distinct": "select distinct st, nation from orders, customers where cust = c_id",
    "union_all": "select cust as k from orders union all select c_id from customers",
    "union_all__union": "select cust as k from orders union select c_id from customers",
    "set_operation__except": "select st from orders except select nation from customers",
    "set_operation__except_all": "select cust from orders except all select c_id from customers",
    "set_operation__intersect": "select cust from orders intersect select c_id from customers",
    "set_operation__intersect_all": "select cust from orders intersect all select c_id from customers",
    "window": "select st, price, row_number() over (partition by cust order by price desc, id, st) rn, "
    "sum(price) over (partition by st) sp from orders",
    "window__latest": "select cust, id, price from (select *, row_number() over (partition by cust order by price desc, id) "
    "as n from orders) where n = 1",
    "window__over_groups": "select st, rank() over (order by sum(price)) r from orders group by st",
    "window__qualify": "select id, st from orders qualify row_number() over (partition by cust order by price, id, st) = 1",
    "window__named": "select id, sum(price) over w as s from orders window w as (partition by cust)",
    "generate__in_select": "select id, explode(array(id, cust)) as k from orders",
    "join__in_parentheses": "select a.id, nation from (orders a join customers on a.cust = c_id) join orders b on b.id = a.id",
    "values__query": "select * from (values (1, 'a'), (2, 'b')) as v(n, w) union all select id, st from orders",
    "limit__after_union": "select cust as k from orders union all select c_id from customers order by k desc limit 3",
    "limit__root": "select st, sum(price) s from orders group by st order by s desc, st limit 2",
    "limit__inside": "select st, s from (select st, sum(price) s from orders group by st order by s desc, st limit 1) x",
    "generate": "select id, k from orders lateral view explode(array(id, cust)) e as k",
    "values": "select st, w from orders join (values ('a', 1), ('b', 2)) as v(name, w) on st = name",
    "values__no_from": "select 1 as one, 'x' as word",
    "generate__unpivot": "select * from (select id, cust, id * 2 as twice from orders) unpivot (v for n in (cust, twice as t))",
    "generate__unpivot_several": "select * from (select id, st, cust, price, id * 2 as i2, price * 2 as p2 from orders) "
    "unpivot ((v, w) for n in ((cust, price) as a, (i2, p2)))",
    "generate__unpivot_include_nulls": "select n, count(*) as k, count(v) as c "
    "from (select id, cust from orders) unpivot include nulls (v for n in (id, cust)) as u group by n",
    "generate__in_from": "select e.x, st from explode(array(1, 2, 3)) as e(x) left join orders on id = e.x",
    "generate__range": "select r.n, count(id) as k from range(1, 8, 2) as r(n) left join orders on id = r.n group by r.n",
    "generate__range_down": "select n, st from range(8, 1, -3) as r(n) join orders on id = n",
    "generate__lateral": "select id, e.col from orders, lateral explode(array(id, cust)) e",
    "generate__lateral_left": "select id, k from orders left join lateral explode(array(id, cust)) as e(k) on k > 2",
    "generate__lambda": "select id, k from orders lateral view explode(filter(array(id, cust, 1), x -> x > 1)) e as k",
    "set_operation__by_name": "select cust as k, st as w from orders union all by name select nation as w, c_id as k from customers",
    "outer_join__scalar_subquery": "select id, nation from orders left join customers "
    "on cust = c_id and price > (select avg(price) from orders)",
    "outer_join__right_subquery": "select id, nation from orders right join customers "
    "on cust = c_id and nation in (select nation from customers where c_id > 1)",
    "outer_join__exists_over_both": "select o.id, nation from orders o left join customers "
    "on cust = c_id and exists (select 1 from orders x where x.cust = c_id and x.id > o.id)",
    "outer_join__full_exists_over_both": "select o.id, o.st, nation from orders o full join customers "
    "on cust = c_id and exists (select 1 from orders x where x.cust = c_id and x.price > o.price)",
    "outer_join__lateral_condition": "select c_id, x.p from customers left join lateral (select price as p from orders where cust = c_id) x on x.p > 6",
    "semi_join__left_semi": "select id, st from orders left semi join customers on cust = c_id and price > (select min(price) from orders)",
    "semi_join__left_anti": "select id, st from orders left anti join customers on cust = c_id",
    "semi_join__tuple": "select * from orders where (cust, st) in (select c_id, 'b' from customers)",
    "semi_join__not_in_tuple": "select * from orders where (id, cust) not in (select c_id, c_id from customers)",
    "semi_join__tuple_under_or": "select id from orders where (id, cust) in (select c_id, c_id from customers) or price > 9",
    "semi_join__not_tuple_under_or": "select id from orders where not (id, cust) in (select c_id, c_id from customers) or price > 9",
    "project__lambda": "select id, list_sum(transform(array(id, cust), x -> x + id)) as s from orders",
    "project__alias_of_alias": "select price * 2 as twice, twice + 1 as more from orders",
    "project__star_except": "select o.* except (st), nation as st from orders o join customers on cust = c_id",
    "join__natural": "select * from (select cust as c_id, id from orders) natural join customers",
    "outer_join__using_full": "select c_id, id, nation from (select cust as c_id, id from orders) full join customers using (c_id)",
    "aggregate__alias_in_having": "select cust + 1 as next, sum(price) as s from orders group by next having s > 6",
    "aggregate__group_by_all": "select cust, st, count(*) + 1 as n from orders group by all",
    "window__qualify_alias": "select id, row_number() over (partition by cust order by id, price, st) as rn from orders qualify rn = 1",
    "window__frames": "select id, sum(price) over (partition by cust order by id, price, st rows between 1 preceding and current row) as s, "
    "count(*) over (order by id range between 2 preceding and 1 following) as n from orders",
    "limit__order_by_all": "select cust, id from orders order by all desc limit 3",
    "limit__offset_inside": "select * from (select id, cust from orders order by id, cust limit 2 offset 1)",
    "with__shadowed": "with t as (select id from orders), u as (with t as (select cust as id from orders) select * from t) "
    "select t.id, u.id as other from t join u on t.id = u.id",
}  # fmt: skip

# What DuckDB cannot run, or reads in its own way, in other words.
_OVER_BOTH = "cust = c_id and exists (select 1 from orders x where x.cust = c_id and x.id > o.id)"
_OVER_BOTH_PRICES = "cust = c_id and exists (select 1 from orders x where x.cust = c_id and x.price > o.price)"
IN_OTHER_WORDS = {
    "generate__unpivot_several": "select id, st, 'a' as n, cust as v, price as w from orders where coalesce(cust, price) is not null "
    "union all select id, st, 'i2_p2', id * 2, price * 2 from orders where coalesce(id, price) is not null",
    "generate__lateral": "select id, col from orders lateral view explode(array(id, cust)) e as col",
    "generate__lateral_left": "select id, k from orders lateral view explode(array(id, cust)) e as k where k > 2 "
    "union all select id, null from orders where not coalesce(id > 2, false) and not coalesce(cust > 2, false)",
    "outer_join__scalar_subquery": "select id, nation from (select *, price > (select avg(price) from orders) as high from orders) "
    "left join customers on cust = c_id and high",
    "outer_join__right_subquery": "select id, nation from orders right join "
    "(select *, nation in (select nation from customers where c_id > 1) as known from customers) on cust = c_id and known",
    "outer_join__exists_over_both": f"select o.id, nation from orders o, customers where {_OVER_BOTH} "
    f"union all select id, null from orders o where not exists (select 1 from customers where {_OVER_BOTH})",
    "outer_join__full_exists_over_both": f"select o.id, o.st, nation from orders o, customers where {_OVER_BOTH_PRICES} "
    f"union all select id, st, null from orders o where not exists (select 1 from customers where {_OVER_BOTH_PRICES}) "
    f"union all select null, null, nation from customers where not exists (select 1 from orders o where {_OVER_BOTH_PRICES})",
}  # fmt: skip


def _lake() -> DuckLake:
    lake = DuckLake(TABLES)
    lake.in_other_words = {CASES[name]: text for name, text in IN_OTHER_WORDS.items()}
    lake.commit("orders", [(1, 1, 10, "a"), (2, 1, 20, "b"), (3, 2, 5, None), (3, 2, 5, None), (7, None, 9, "b")])
    lake.commit("customers", [(1, "DE"), (2, "FR"), (None, "XX"), (9, "DE")])
    return lake


def _batches(lake: DuckLake):  # type: ignore[no-untyped-def]
    lake.commit("orders", [(4, 2, 7, "c"), (8, 9, 3, "d")])
    yield "append"
    lake.commit("orders", [(5, 1, 8, "c")], [(3, 2, 5, None)])
    lake.commit("customers", [(2, "IT")], [(2, "FR")])
    yield "update on both sides"
    yield "nothing"
    lake.commit("orders", [(5, 2, 8, "c"), (5, 2, 8, "c")], [(5, 1, 8, "c")])
    lake.commit("orders", [(5, 1, 8, "c")], [(5, 2, 8, "c"), (5, 2, 8, "c")])
    yield "a row that leaves and comes back"
    lake.commit("orders", [], lake.rows("orders"))
    yield "everything deleted"
    lake.commit("orders", [(4, 2, 7, "c"), (4, 9, 7, "DE")])
    yield "filled again"
    lake.commit("customers", [(4, "a")], [(None, "XX")])
    yield "the other side"


@pytest.mark.parametrize(
    ("options", "strategies"),
    [(ALL_ON, ("merge", "overwrite", "rewrite")), (ALL_OFF, ("rewrite", "overwrite", "merge"))],
    ids=["passes on", "passes off"],
)
@pytest.mark.parametrize("name", CASES)
def test_refresh_equals_recompute(name: str, options: Options, strategies: tuple[str, str]) -> None:
    lake = _lake()
    view = DuckView(lake, "v", CASES[name], options, keeps=options is ALL_ON)
    assert view.view.problems == ()
    assert view.differences() == []
    for batch, strategy in zip(_batches(lake), cycle(strategies), strict=False):
        view.refresh(strategy)
        assert view.differences() == [], f"{batch}, by {strategy}"
    lake.close()
