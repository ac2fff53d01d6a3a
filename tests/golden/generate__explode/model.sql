select o_orderkey, k from orders lateral view explode(array(o_custkey, o_orderkey)) e as k
