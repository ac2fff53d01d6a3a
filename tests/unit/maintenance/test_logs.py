"""Logs of sources: what their `meta` says, and the SQL that it becomes, whatever things are called."""

import pytest
from sqlglot import exp, parse_one

from dbt_lazyview.compiler.catalog import Column, Table
from dbt_lazyview.maintenance.definition import Definition, from_properties, to_properties
from dbt_lazyview.maintenance.log_copies import LogCopy
from dbt_lazyview.maintenance.logs import Log, log_of
from tests.macro_rendering import MacroRenderer
from tests.unit.security.hostile import PIECES

RENDERER = MacroRenderer()
FORMS = {
    "a bag": {"log": "orders_log", "sequence": ["txsn", "stmtsn"]},
    "by key": {"log": "audit.orders_log", "sequence": ["txsn", "stmtsn"], "key": "id"},
    "debezium": {"format": "debezium", "sequence": "source.lsn", "key": ["id"]},
    "debezium as a bag": {"format": "debezium", "sequence": "source.lsn", "log": "d"},
}


def told(**content) -> Log:
    return log_of({"lazyview": {"capture": "log", **content}}, "orders")


def copy_of(log: Log, *names: str) -> LogCopy:
    columns = tuple(Column(name, "int") for name in names)
    source = Table(("c", "s", "orders"), columns, format="parquet")
    return LogCopy(None, source, ("c", "s", "orders__copy"), log, columns, ("bigint",) * len(log.sequence))


def statements(copy: LogCopy) -> list[str]:
    after, upto = (copy.literals([number] * len(copy.types)) for number in ("1", "9"))
    fold = "merge_log" if copy.log.key else "overwrite_by_log"
    return [
        RENDERER.render("log_head", copy=copy, known=after),
        RENDERER.render("create_copy_by_log", copy=copy, upto=upto, properties={}),
        RENDERER.render(fold, copy=copy, after=after, upto=upto),
    ]


def test_a_source_without_a_log():
    assert log_of({}, "orders") is None
    assert log_of({"lazyview": {"capture": "diff"}}, "orders") is None


def test_a_state_remembers_it():
    definition = Definition("select 1", logs={"`s`.`orders`": told(**FORMS["by key"])})
    assert from_properties(to_properties(definition, "f")) == definition


def test_another_log_is_noticed():
    digests = {told(**form).digest for form in FORMS.values()}
    assert len(digests) == len(FORMS)
    assert told(**FORMS["a bag"]).digest == told(**FORMS["a bag"]).digest


def test_where_the_log_is():
    assert copy_of(told(**FORMS["a bag"]), "id").relation == "`c`.`s`.`orders_log`"
    assert copy_of(told(**FORMS["by key"]), "id").relation == "`c`.`audit`.`orders_log`"
    assert copy_of(told(**FORMS["debezium"]), "id").relation == "`c`.`s`.`orders`"


@pytest.mark.parametrize("form", FORMS)
def test_what_is_rendered_is_sql(form):
    for statement in statements(copy_of(told(**FORMS[form]), "id", "v")):
        assert parse_one(statement, dialect="spark")


@pytest.mark.parametrize("piece", [each for each in PIECES if "." not in each])
def test_no_name_leaves_its_place(piece):
    """The same statements under tame and hostile names have the same shape."""
    for form in FORMS.values():
        tame = {**form, "operation": "op", "inserts": ["I"], "deletes": ["D"], "updates": ["U"]}
        hostile = {**tame, "operation": f"op{piece}", "inserts": [f"I{piece}"]}
        pairs = zip(
            statements(copy_of(told(**tame), "id", "v")),
            statements(copy_of(told(**hostile), "id", f"v{piece}")),
            strict=True,
        )
        for one, other in pairs:
            assert shape(one) == shape(other)


def shape(sql: str) -> list[str]:
    return [type(node).__name__ for node in parse_one(sql, dialect="spark").walk() if not isinstance(node, exp.Comment)]
