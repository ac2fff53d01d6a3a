"""Hostile names, texts, paths and data stay what they are: the SQL read back has the same words, and no others."""

import json
import re

import pytest
from sqlglot import exp, parse
from sqlglot.tokens import Token

from dbt_lazyview.compiler.dialect import DIALECT
from dbt_lazyview.maintenance.journal import Entry
from dbt_lazyview.maintenance.outcome import Outcome
from dbt_lazyview.maintenance.record import Position, Record, Settings, from_json, to_json
from dbt_lazyview.maintenance.tables import name_of, sql_name
from dbt_lazyview.names import STATE_SUFFIX, quoted
from tests.macro_rendering import MacroRenderer
from tests.unit.security.hostile import COMMENT, LITERAL, NAMES, PATH, TAME, Words, hostile_words, statements

MACROS = MacroRenderer()
SAFE = re.compile(r"\w+")  # names of ours that are made from others
SEEDS = range(60)


@pytest.fixture(scope="module")
def tame() -> dict[str, list[Token]]:
    return {name: DIALECT.tokenize(sql) for name, sql in statements(TAME, MACROS).items()}


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_words(tame, seed):
    words = hostile_words(seed)
    for name, sql in statements(words, MACROS).items():
        assert name == "detail" or len(parse(sql, dialect="spark")) == 1, name  # sqlglot has no DESCRIBE DETAIL
        told = DIALECT.tokenize(sql)
        assert [each.token_type for each in told] == [each.token_type for each in tame[name]], (name, sql)
        wrong = [
            (one.text, other.text)
            for one, other in zip(tame[name], told, strict=True)
            if not is_same(words, one, other)
        ]
        assert wrong == [], name


def is_same(words: Words, tame: Token, hostile: Token) -> bool:
    texts = {LITERAL: words.literal, PATH: words.path, COMMENT: words.comment, **words.names}
    texts |= {name + STATE_SUFFIX: hostile_name + STATE_SUFFIX for name, hostile_name in words.names.items()}
    text = hostile.text.replace("\\u0024", "$")
    if tame.text == text or texts.get(tame.text) == text:
        return True
    is_made_from_a_name = any(name in tame.text for name in NAMES) and tame.text not in (LITERAL, PATH, COMMENT)
    return is_made_from_a_name and SAFE.fullmatch(text) is not None


@pytest.mark.parametrize("seed", SEEDS)
def test_names_and_texts_are_read_back(seed):
    words = hostile_words(seed)
    for name in words.names.values():
        assert name_of(sql_name(("x", name))) == ("x", name)
        assert DIALECT.tokenize(quoted(name))[0].text == name
    for text in (words.literal, words.path, words.comment):
        (literal,) = DIALECT.tokenize(MACROS.render("text_literal", text=text))
        assert literal.text.replace("\\u0024", "$") == text


@pytest.mark.parametrize("seed", SEEDS)
def test_a_record_travels_in_a_setting(seed):
    """Between `set key=` and the end of the statement: nothing that ends it, nothing that Spark would replace."""
    words = hostile_words(seed)
    at = Position(1, 2, "id")
    tables = {sql_name(("x", name)): at for name in words.names.values()}
    record = Record(1, "t", "full", 0, tables, tables, Settings("UTC", "false"), "f", reason=words.comment)
    statement = MACROS.render("set_setting", key="k", value=to_json(record))
    assert not {";", "$", "\n"} & set(statement)
    assert from_json(statement.removeprefix("set k=")) == record
    assert json.loads(to_json(record))["lazyview"]["reason"] == words.comment


def test_a_row_of_the_journal():
    words = hostile_words(7)
    record = Record(1, "t", "full", 0, {}, {}, Settings("UTC", "false"), "f", trigger=words.literal)
    entry = Entry(Outcome(sql_name(("c", "x", words.names["orders"])), "full", words.comment, record=record))
    statement = MACROS.render("write_journal", journal=sql_name(("x", "j")), entries=[entry])
    (insert,) = parse(statement, dialect=DIALECT)
    texts = {each.this.replace("\\u0024", "$") for each in insert.find_all(exp.Literal) if each.is_string}
    assert {f"x.{words.names['orders']}", words.comment, words.literal} <= texts
