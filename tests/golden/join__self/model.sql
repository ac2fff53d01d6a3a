select a.o_orderkey, b.o_orderkey as other from orders a join orders b on a.o_custkey = b.o_custkey
