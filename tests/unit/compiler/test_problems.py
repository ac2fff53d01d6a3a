"""What cannot be maintained gets one clear problem, which points at the construct; what cannot be a view, an error."""

import pytest

from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.reasons import ModelError, Reason
from tests.unit.compiler.paper_catalog import ORDERS, PaperCatalog

NOT_MAINTAINED = {
    "recursive CTE": (
        "with recursive t(n) as (select 1 union all select n + 1 from t where n < 5)\nselect * from t",
        Reason.RECURSIVE, "a recursive CTE", "t(n)",
    ),
    "time window": (
        "select cust, session_window(ts, '5 minutes') as w, count(*) as n\n"
        "from (select timestamp '2024-01-01' as ts, cust from orders)\n"
        "group by rollup (cust), session_window(ts, '5 minutes')",
        Reason.UNSUPPORTED, "SESSION_WINDOW beside grouping sets", "session_window",
    ),
    "unknown table function": (
        "select *\nfrom some_rows(3) as s(a)", Reason.UNSUPPORTED, "SOME_ROWS(3)", "some_rows",
    ),
    "by name over different columns": (
        "select id, cust from orders\nunion all by name select c_id as id from customers",
        Reason.UNSUPPORTED, "BY NAME over different columns", "id",
    ),
    "a field left out": (
        "select * except (s.a)\nfrom (select struct(id as a, cust as b) as s from orders)",
        Reason.UNSUPPORTED, "* EXCEPT of a field", "a)",
    ),
    "a moment that is computed": (
        "select id\nfrom orders timestamp as of date_sub('2024-01-01', 1)",
        Reason.UNSUPPORTED, "time travel to a moment that is not written out", "date_sub",
    ),
    "rand": ("select id,\n  rand() as r from orders", Reason.NON_DETERMINISTIC, "RAND", "rand"),
    "current_date": (
        "select id,\n  current_date as d from orders", Reason.NON_DETERMINISTIC, "CURRENT_DATE", "current_date",
    ),
    "a word for today": (
        "select id from orders\nwhere date 'today' > date '2024-01-01'",
        Reason.NON_DETERMINISTIC, "DATE 'today'", "date 'today'",
    ),
    "unix_timestamp of now": (
        "select id, unix_timestamp() as t from orders", Reason.NON_DETERMINISTIC, "UNIX_TIMESTAMP", "unix_timestamp",
    ),
    "a random initial vector": (
        "select aes_encrypt(st, 'abcdefghijklmnop') as secret from orders",
        Reason.NON_DETERMINISTIC, "AES_ENCRYPT", "aes_encrypt",
    ),
    "a sample": (
        "select id\nfrom orders tablesample (10 percent)", Reason.NON_DETERMINISTIC, "TABLESAMPLE", "10 percent",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_MAINTAINED)
def test_is_told_with_its_place(name: str) -> None:
    sql, reason, what, at = NOT_MAINTAINED[name]
    (problem,) = compile_view(sql, PaperCatalog()).problems
    assert (problem.reason, what in problem.what) == (reason, True), problem.what
    assert problem.line is not None
    assert problem.column is not None
    assert sql.splitlines()[problem.line - 1][problem.column - 1 :].startswith(at), problem.render()


@pytest.mark.parametrize(
    "sql",
    [
        "select id from orders tablesample (100 percent)",
        "select aes_encrypt(st, 'abcdefghijklmnop', 'ECB') as secret from orders",
        "select unix_timestamp(st, 'yyyy') as t from orders",
        "select date 'epoch' + id as d from orders",
    ],
)
def test_has_one_answer(sql: str) -> None:
    assert compile_view(sql, PaperCatalog()).problems == ()


def test_rows_that_cannot_be_compared() -> None:
    catalog = PaperCatalog({"events": ["id int", "payload variant"]})
    (problem,) = compile_view("select id,\n  payload:a::int as a from events", catalog).problems
    assert (problem.reason, problem.line, problem.column) == (Reason.UNSUPPORTED, 2, 3)
    assert "payload of type variant" in problem.what


def test_every_problem_is_told_at_once() -> None:
    view = compile_view("select rand() as a, uuid() as b, now() as c from orders", PaperCatalog())
    assert [problem.what.split()[0] for problem in view.problems] == ["RAND", "UUID", "NOW"]


REFUSED = {
    Reason.PARSE_ERROR: "select id frm orders where",
    Reason.UNKNOWN_RELATION: "select * from nowhere",
    Reason.DUPLICATE_COLUMN: "select id, cust as ID from orders",
    Reason.RESERVED_NAME: "select * from marked",
}


@pytest.mark.parametrize("reason", REFUSED, ids=lambda reason: reason.word)
def test_is_refused(reason: Reason) -> None:
    with pytest.raises(ModelError) as error:
        compile_view(REFUSED[reason], PaperCatalog({**ORDERS, "marked": ["id int", "lv_weight int"]}))
    assert [problem.reason for problem in error.value.problems] == [reason]
    assert f"docs/reasons.md#{reason.code.lower()}" in str(error.value)
