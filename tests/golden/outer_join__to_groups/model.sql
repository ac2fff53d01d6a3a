select c_custkey, c_name, n, spent from customers left join (select o_custkey, count(*) as n, sum(o_price) as spent from orders group by o_custkey) on o_custkey = c_custkey
