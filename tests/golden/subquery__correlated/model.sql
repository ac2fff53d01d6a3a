select c_name, (select count(*) from orders where o_custkey = c_custkey) as orders from customers
