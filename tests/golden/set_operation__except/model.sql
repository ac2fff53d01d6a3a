select c_custkey from customers except select o_custkey from orders
