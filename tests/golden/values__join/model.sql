select o_orderkey, w from orders join (values ('open', 1), ('done', 2)) as v(name, w) on o_status = name
