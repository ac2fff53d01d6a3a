select o_custkey, sum(o_price) as total from orders group by o_custkey order by total desc, o_custkey limit 3
