select o_orderkey from orders where o_status = 'open' and o_price > 10
