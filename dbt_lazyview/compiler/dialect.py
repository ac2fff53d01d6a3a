"""
Spark's SQL, read and written word for word.

sqlglot translates between dialects; for that it gives many functions a meaning of its own, and prints what Spark would
call something else. Nothing is translated here: calls stay as they were written, and only those that the compiler
reasons about become nodes of their own kind.
"""

from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.databricks import Databricks
from sqlglot.dialects.spark import Spark
from sqlglot.tokens import Token, TokenType

from dbt_lazyview.compiler.functions import AGGREGATES

# Calls that become nodes of their own kind.
_TYPED = frozenset(
    {"AVG", "COUNT", "COUNT_IF", "MAX", "MIN", "SUM", "COALESCE", "IF", "STRUCT"}
    | {"EXPLODE", "EXPLODE_OUTER", "POSEXPLODE", "POSEXPLODE_OUTER", "INLINE", "INLINE_OUTER"}
    | {"LAG", "LEAD", "NTILE", "ROW_NUMBER"}
)
# Calls with words among their arguments: EXTRACT(year FROM d), TRIM(BOTH ' ' FROM s), CAST(x AS int).
_WITH_WORDS = frozenset(["CAST", "TRY_CAST", "EXTRACT", "OVERLAY", "POSITION", "SUBSTR", "SUBSTRING", "TRIM"])
# Words that may stand before a parenthesis without being a call.
_OPERATORS = frozenset(["AND", "OR", "NOT", "IN", "LIKE", "ILIKE", "RLIKE", "REGEXP", "DIV", "CASE", "VALUES"])
_PREDICATES = frozenset(["ANY", "SOME", "ALL", "EXISTS"])  # before a subquery, and after LIKE
_TRANSLATED = (
    frozenset(Databricks.parser_class.FUNCTIONS)
    | frozenset(Databricks.parser_class.FUNCTION_PARSERS)
    | frozenset(Databricks.parser_class.NO_PAREN_FUNCTION_PARSERS)
    | {"WINDOW"}
) - (_TYPED | _WITH_WORDS | _OPERATORS | _PREDICATES)
# Calls whose first of three arguments is a unit: DATEADD(day, 1, d).
_WITH_UNIT = frozenset(["DATE_ADD", "DATEADD", "TIMESTAMPADD", "DATE_DIFF", "DATEDIFF", "TIMESTAMPDIFF"])

_BEFORE_NO_CALL = {TokenType.ALIAS, TokenType.DCOLON, TokenType.R_PAREN, TokenType.LIKE, TokenType.ILIKE}
_STARTS_QUERY = {TokenType.SELECT, TokenType.WITH, TokenType.FROM, TokenType.VALUES, TokenType.L_PAREN}
_TYPES_OF_MOMENTS = frozenset(["DATE", "TIMESTAMP", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ"])
_WORDS_FOR_MOMENTS = ("epoch", "now", "today", "tomorrow", "yesterday")

_HIDDEN = "lv_hidden_"  # prefix under which the parser does not know a word
_END = Token(TokenType.SENTINEL, "")


class SparkSql(Databricks):
    """
    The SQL of Spark 4.

    Example:
        >>> from sqlglot import parse_one
        >>> parse_one("select listagg(x), 'it''s', dateadd(day, 1, d) from t", dialect=DIALECT).sql(DIALECT)
        "SELECT LISTAGG(x), 'it\\\\'s', DATEADD(DAY, 1, d) FROM t"
    """

    class Tokenizer(Spark.Tokenizer):
        STRING_ESCAPES: ClassVar[list[str]] = ["\\", "'", '"']  # a doubled quote stands for one

    def parse(self, sql: str, **options: Any) -> list[exp.Expr | None]:
        tokens = _with_hidden_words(self.tokenize(sql))
        return [_restored(tree) if tree is not None else None for tree in self.parser(**options).parse(tokens, sql)]


DIALECT = SparkSql()  # one for all: making it takes longer than printing a short query


def _with_hidden_words(tokens: list[Token]) -> list[Token]:
    """Words that the parser would translate get names that it does not know."""
    padded = [_END, *tokens, _END, _END]
    return [
        _hidden(token) if _is_translated(*padded[number : number + 4]) else token for number, token in enumerate(tokens)
    ]


def _is_translated(before: Token, token: Token, following: Token, after: Token) -> bool:
    name = token.text.upper()
    if token.token_type == TokenType.STRING:
        is_word = any(name.strip().lower().startswith(each) for each in _WORDS_FOR_MOMENTS)
        return before.text.upper() == "TIME" or (before.text.upper() in _TYPES_OF_MOMENTS and is_word)
    if following.token_type != TokenType.L_PAREN or before.token_type in _BEFORE_NO_CALL:
        return False
    if name in _PREDICATES:
        return after.token_type not in _STARTS_QUERY
    return name in _TRANSLATED


def _hidden(token: Token) -> Token:
    kind = token.token_type if token.token_type == TokenType.STRING else TokenType.VAR
    return Token(kind, _HIDDEN + token.text, token.line, token.col, token.start, token.end, list(token.comments))


def _restored(tree: exp.Expr) -> exp.Expr:
    for kind in list(tree.find_all(exp.DataType)):
        _keep_time(kind)
    for node in list(tree.find_all(exp.Anonymous, exp.Literal)):
        if isinstance(node, exp.Literal):
            _restore_word(node)
        elif isinstance(node, exp.Anonymous) and isinstance(node.this, str):
            _restore_call(node, node.this.removeprefix(_HIDDEN).upper())
    return tree


def _restore_call(call: exp.Anonymous, name: str) -> None:
    call.set("this", name)
    if name in _WITH_UNIT and len(call.expressions) == 3:
        call.expressions[0].replace(exp.Var(this=call.expressions[0].name.upper()))
    if name.lower() in AGGREGATES:
        aggregate = (
            exp.Avg(this=call.expressions[0])
            if name == "MEAN"
            else exp.AnonymousAggFunc(this=name, expressions=call.expressions)
        )
        aggregate.meta.update(call.meta)
        call.replace(aggregate)


def _restore_word(literal: exp.Literal) -> None:
    """DATE 'today' is not CAST('today' AS DATE), and TIME '10:00' only exists as a literal."""
    cast = literal.parent
    if literal.is_string and literal.this.startswith(_HIDDEN) and isinstance(cast, exp.Cast):
        word = exp.Literal.string(literal.this.removeprefix(_HIDDEN))
        cast.replace(exp.Introducer(this=exp.Var(this=cast.to.sql(DIALECT)), expression=word))


def _keep_time(kind: exp.DataType) -> None:
    """The generator would print TIME as TIMESTAMP."""
    if kind.this == exp.DType.TIME:
        precision = f"({kind.expressions[0].name})" if kind.expressions else ""
        kind.set("kind", f"TIME{precision}")
        kind.set("this", exp.DType.USERDEFINED)
        kind.set("expressions", None)
