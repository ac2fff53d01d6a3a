select * from (select o_orderkey, o_custkey, o_status from orders) unpivot (value for name in (o_orderkey as number, o_custkey))
