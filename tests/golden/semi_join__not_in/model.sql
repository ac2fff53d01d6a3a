select c_name from customers where c_custkey not in (select o_custkey from orders)
