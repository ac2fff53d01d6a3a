"""What was written is what is printed: nothing means something else afterwards."""

import pytest
from sqlglot import exp, parse_one

from dbt_lazyview.compiler.dialect import DIALECT

# Each of these was once read as another function, or with other arguments.
WORD_FOR_WORD = [
    "LISTAGG(x)",
    "STRING_AGG(DISTINCT x) WITHIN GROUP (ORDER BY x DESC)",
    "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)",
    "PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY x) FILTER(WHERE y > 1)",
    "MAX_BY(x, y, 2)",
    "TO_CHAR(x, '999.99')",
    "UNIX_DATE(d)",
    "PARSE_JSON(s)",
    "LOCALTIMESTAMP()",
    "CURRENT_CATALOG()",
    "ANY(x > 1)",
    "SOME(x > 1)",
    "EXISTS(xs, x -> x > 1)",
    "x LIKE ANY ('a%', 'b%')",
    "TRANSFORM(xs, (x, i) -> x + i)",
    "AGGREGATE(xs, 0, (sum, x) -> sum + x, sum -> sum * 10)",
    "FILTER(xs, x -> x > 1)",
    "COUNT(*) FILTER(WHERE x > 1)",
    "FIRST(x IGNORE NULLS)",
    "LAST_VALUE(x) IGNORE NULLS OVER (ORDER BY y)",
    "DATEADD(DAY, 1, d)",
    "DATE_DIFF(MONTH, a, b)",
    "TIMESTAMPDIFF(HOUR, a, b)",
    "MASK(s, upperChar => 'Q')",
    "GET_JSON_OBJECT(s, '$.a[0].b')",
    "s:a.b[0]",
    "DATE 'today'",
    "TIMESTAMP 'epoch'",
    "TIME '10:11:12'",
    "CAST(x AS TIME(3))",
    "CAST(x AS STRUCT<a: INT, b: ARRAY<TIME>>)",
    "WINDOW(ts, '1 hour')",
    "LEFT(s, 1)",
    "REPLACE(s, 'a', 'b')",
    "CHAR(65)",
    "DECODE(x, 1, 'one', 'more')",
]


@pytest.mark.parametrize("expression", WORD_FOR_WORD)
def test_is_printed_as_written(expression: str) -> None:
    assert parse_one(f"SELECT {expression} FROM t", dialect=DIALECT).sql(DIALECT) == f"SELECT {expression} FROM t"


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("'it''s'", "it's"),
        (r"'it\'s'", "it's"),
        ('"say ""hi"""', 'say "hi"'),
        (r"r'a\n'", r"a\n"),
        (r"'tab\t'", "tab\t"),
        ("'plain \"quotes\"'", 'plain "quotes"'),
    ],
)
def test_literals_keep_their_value(literal: str, value: str) -> None:
    tree = parse_one(f"SELECT {literal}", dialect=DIALECT)
    again = parse_one(tree.sql(DIALECT), dialect=DIALECT)
    assert [each.selects[0].name for each in (tree, again)] == [value, value]


def test_calls_stand_where_they_were_written() -> None:
    call = next(parse_one("select id,\n  listagg(st) from t", dialect=DIALECT).find_all(exp.AggFunc))
    assert (call.meta["line"], call.meta["start"], call.meta["end"]) == (2, 13, 19)
