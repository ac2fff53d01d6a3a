select o_custkey, o_orderkey, o_price from orders qualify row_number() over (partition by o_custkey order by o_price desc) = 1
