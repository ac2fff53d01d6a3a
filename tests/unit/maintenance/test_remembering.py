"""Types are told again without a question, as long as all that they depend on is the same."""

import pytest

from dbt_lazyview.compiler.catalog import Column, StoredView, Table, UserFunction
from dbt_lazyview.maintenance.remembering import Remembered, RememberingCatalog

T = Table(("c", "x", "t"), (Column("a", "int"),))
WIDER = Table(T.name, (Column("a", "bigint"),))
VIEW = StoredView(T.name, "select a from u", ("c", "x"), (("a", "a"),))
F = UserFunction(("c", "x", "f"), "a + 1")


class World:
    """A catalog in which one relation and one function stand for all, and questions are counted."""

    def __init__(self, relation=T, function=None):
        self.found, self.called, self.asked = relation, function, 0

    def relation(self, name, namespace):
        return self.found

    def function(self, name, namespace):
        return self.called

    def describe(self, sql):
        self.asked += 1
        return (Column("a", "int"),)


def questions(types, world, sql="select f(a) from t", setup="utc"):
    """How many questions one compilation asks."""
    catalog = RememberingCatalog(world, setup, types)
    catalog.relation(("t",), None)
    catalog.function(("f",), None)
    assert catalog.describe(sql) == (Column("a", "int"),)
    return world.asked


def test_asks_once():
    types = Remembered()
    assert [questions(types, World()) for _ in range(3)] == [1, 0, 0]


@pytest.mark.parametrize(
    "other",
    [
        {"world": World(WIDER)},
        {"world": World(VIEW)},
        {"world": World(T, F)},
        {"world": World(), "sql": "select f(a), a from t"},
        {"world": World(), "setup": "berlin"},
    ],
    ids=["column", "view", "function", "query", "settings"],
)
def test_asks_again_when_anything_is_different(other):
    types = Remembered()
    questions(types, World())
    assert questions(types, **other) == 1
    assert questions(types, World()) == 0


def test_time_travel_is_asked_for_each_time():
    types = Remembered()
    travel = "select a from t version\nAS  OF 3"
    assert [questions(types, World(), travel) for _ in range(2)] == [1, 1]


def test_answers_get_old_and_many():
    now = [0.0]
    answers = Remembered(most=2, max_age=10, clock=lambda: now[0])
    asked = []

    def ask(question):
        return answers.get(question, lambda: asked.append(question) or question)

    for question in "aab":
        assert ask(question) == question
    assert asked == ["a", "b"]
    ask("c")  # the third: a goes
    ask("a")
    assert asked == ["a", "b", "c", "a"]
    now[0] = 11.0
    ask("a")
    assert asked == ["a", "b", "c", "a", "a"]


def test_a_question_that_fails_is_no_answer():
    answers = Remembered()
    with pytest.raises(ZeroDivisionError):
        answers.get("q", lambda: 1 // 0)
    assert answers.get("q", lambda: 1) == 1
