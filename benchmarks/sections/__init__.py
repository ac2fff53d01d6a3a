"""
The sections of the benchmark. Each is a module with SECTION, its name; SECONDS, what a point takes at scale factor 1;
`names`, the points of a scope; and `run`, which measures those that are not known. With BY_DBT it runs dbt itself, and
so not inside an invocation of it.
"""
