select c_nation, count(*) as orders, sum(o_price) as revenue
from orders join customers on o_custkey = c_custkey
where o_price > (select avg(o_price) from orders)
group by c_nation
