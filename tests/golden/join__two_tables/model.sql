select o_orderkey, c_name from orders join customers on o_custkey = c_custkey
