select o_orderkey, row_number() over (partition by o_custkey order by o_price desc) as place from orders
