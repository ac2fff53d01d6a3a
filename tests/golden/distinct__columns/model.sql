select distinct o_custkey, o_status from orders
