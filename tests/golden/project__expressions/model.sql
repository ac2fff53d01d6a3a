select o_orderkey, upper(o_status) as status, o_price * 2 as twice from orders
