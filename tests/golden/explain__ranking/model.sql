select c_nation, o_orderkey, o_price, row_number() over (order by o_price desc, o_orderkey) as place
from orders join customers on o_custkey = c_custkey
where o_status <> 'cancelled'
