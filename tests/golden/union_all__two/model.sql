select o_custkey as k from orders union all select c_custkey from customers
