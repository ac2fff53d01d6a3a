select o_custkey, min(o_price) as least, count(distinct o_status) as kinds from orders group by o_custkey
