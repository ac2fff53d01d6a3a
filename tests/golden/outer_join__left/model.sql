select c_name, o_orderkey from customers left join orders on o_custkey = c_custkey
