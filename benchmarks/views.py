"""The views that are measured."""

from benchmarks.lake import Subject

V1 = """
    select n_name, c_mktsegment, count(*) as totalcnt, sum(l_extendedprice) as totalprice,
        sum(l_quantity) as totalquantity
    from customer, orders, lineitem, nation
    where c_custkey = o_custkey and o_orderkey = l_orderkey and n_nationkey = c_nationkey
    group by n_name, c_mktsegment
"""
V2 = """
    select s_name, c_name, c_mktsegment, ps_comment, o_orderkey, l_linenumber, l_quantity
    from customer, orders, lineitem, supplier, partsupp
    where c_custkey = o_custkey and o_orderkey = l_orderkey and l_suppkey = ps_suppkey and l_partkey = ps_partkey
        and ps_suppkey = s_suppkey and s_nationkey <> c_nationkey
"""
CURVES = {
    "aggregate of a table": """
        select l_returnflag, l_linestatus, l_shipmode, count(*) as lines, sum(l_quantity) as quantity,
            sum(l_extendedprice) as price, avg(l_discount) as discount
        from lineitem group by l_returnflag, l_linestatus, l_shipmode
    """,
    "join and aggregate": """
        select o_orderpriority, l_shipmode, count(*) as lines, sum(l_extendedprice) as price
        from lineitem join orders on l_orderkey = o_orderkey group by o_orderpriority, l_shipmode
    """,
    "V1 of paper Z": V1,
    "V2 of paper Z": V2,
    "star of five tables": """
        select n_name, p_mfgr, o_orderpriority, count(*) as lines, sum(l_extendedprice * (1 - l_discount)) as revenue
        from lineitem
        join orders on l_orderkey = o_orderkey
        join part on l_partkey = p_partkey
        join supplier on l_suppkey = s_suppkey
        join nation on s_nationkey = n_nationkey
        group by n_name, p_mfgr, o_orderpriority
    """,
    "left join to an aggregate": """
        select c_custkey, c_name, c_mktsegment, orders, spent
        from customer left join (
            select o_custkey, count(*) as orders, sum(o_totalprice) as spent from orders group by o_custkey
        ) on c_custkey = o_custkey
    """,
    "count distinct": """
        select l_shipmode, l_returnflag, count(distinct l_suppkey) as suppliers, count(*) as lines
        from lineitem group by l_shipmode, l_returnflag
    """,
    "window": """
        select o_orderkey, o_custkey, o_totalprice,
            row_number() over (partition by o_custkey order by o_totalprice desc, o_orderkey) as place
        from orders
    """,
    "rows of a join": """
        select o_orderkey, l_linenumber, o_orderdate, o_orderpriority, l_quantity, l_extendedprice
        from lineitem join orders on l_orderkey = o_orderkey where l_quantity > 45
    """,
}  # fmt: skip
# Each reads the one before it.
CHAIN = {
    "chain_1": """
        select o_orderkey, o_custkey, year(o_orderdate) as year, l_extendedprice
        from lineitem join orders on l_orderkey = o_orderkey where o_orderdate >= date '1997-01-01'
    """,
    "chain_2": """
        select o_custkey, year, count(*) as lines, sum(l_extendedprice) as price from chain_1 group by o_custkey, year
    """,
    "chain_3": """
        select c_mktsegment, c_nationkey, year, sum(price) as price, sum(lines) as lines
        from chain_2 join customer on c_custkey = o_custkey group by c_mktsegment, c_nationkey, year
    """,
    "chain_4": """
        select n_name, year, sum(price) as price from chain_3 join nation on c_nationkey = n_nationkey
        group by n_name, year
    """,
}  # fmt: skip
CHAIN_OF_FOUR = "chain of four lazy views"


def subjects() -> list[Subject]:
    """What the curves are drawn of."""
    single = [Subject.of(title, f"curve_{number}", sql) for number, (title, sql) in enumerate(CURVES.items())]
    return [*single, Subject(CHAIN_OF_FOUR, CHAIN)]


def subject(title: str) -> Subject:
    return next(each for each in subjects() if each.title == title)
