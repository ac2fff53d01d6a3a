"""Spark's SQL, types and values as DuckDB has them."""

from sqlglot import exp, parse_one

Value = int | float | str | bool | None  # decimals and dates as text

_SPARK_TYPES = {"varchar": "string", "integer": "int", "hugeint": "decimal(38,0)"}
IN_DUCKDB = {"RAISE_ERROR": "ERROR", "TIMESTAMP_MILLIS": "MAKE_TIMESTAMP_MS"}  # functions by Spark's name


def to_duckdb(spark_sql: str) -> str:
    return parsed_for_duckdb(spark_sql).sql("duckdb", copy=False)


def parsed_for_duckdb(spark_sql: str) -> exp.Expression:
    """All versions that a statement names are the present ones here; hints mean nothing."""
    parsed = parse_one(spark_sql, dialect="spark")
    for node in parsed.find_all(exp.Table, exp.Select):
        node.set("version", None)
        node.set("hint", None)
    for call in parsed.find_all(exp.Anonymous):
        call.set("this", IN_DUCKDB.get(call.name.upper(), call.this))
    return parsed


def with_certain_membership(query: exp.Expression) -> exp.Expression:
    """Spark's IN and NOT IN over a subquery are true or false, never unknown."""
    for test in reversed(list(query.find_all(exp.In))):  # the inner ones first
        if test.args.get("query"):
            certain = test.parent if isinstance(test.parent, exp.Not) else test
            certain.replace(exp.Coalesce(this=certain.copy(), expressions=[exp.false()]))
    return query


def literal(value: Value) -> str:
    if value is None:
        return "null"
    return f"'{value}'" if isinstance(value, str) else str(value)


def duck_type(kind: str) -> str:
    return {"string": "varchar"}.get(kind, kind)


def spark_type(kind: str) -> str:
    lowered = kind.lower()
    return _SPARK_TYPES.get(lowered, lowered)
