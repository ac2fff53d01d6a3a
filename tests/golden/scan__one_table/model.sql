select o_orderkey, o_price from orders
