select c_name from customers join (select o_custkey from orders order by o_price desc, o_orderkey limit 3) t on t.o_custkey = c_custkey
