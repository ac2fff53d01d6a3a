select c_name from customers where exists (select 1 from orders where o_custkey = c_custkey)
