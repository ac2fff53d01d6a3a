select c_nation, count(*) as orders, sum(o_price) as revenue, avg(o_price) as mean
from orders join customers on o_custkey = c_custkey
group by c_nation
having count(*) > 1
