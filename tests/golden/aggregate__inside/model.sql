select c_name, t.total from customers join (select o_custkey, sum(o_price) as total from orders group by o_custkey) t on t.o_custkey = c_custkey
