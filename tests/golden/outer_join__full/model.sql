select c_name, o_orderkey from customers full join orders on o_custkey = c_custkey
