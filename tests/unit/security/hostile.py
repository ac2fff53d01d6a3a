"""Names and texts that break or inject wherever they are not quoted, and the SQL of a view that is made of them."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import parse_one

from dbt_lazyview.compiler.catalog import Column, Name, Table
from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.dialect import DIALECT
from dbt_lazyview.compiler.plan import Window
from dbt_lazyview.maintenance.storage import Storage
from dbt_lazyview.maintenance.tables import sql_name
from dbt_lazyview.names import quoted
from tests.macro_rendering import MacroRenderer

PIECES = (
    "`", "``", "'", "''", '"', ";", "; drop table t; --", "--", "/*", "*/", "${x}", "{{ x }}", "{% endmacro %}", "{#",
    "\\", "\\'", "\\u0027", "é", "表", "😀", " ", ".", "a", "b", "select", ")", "(", "%", "#",
)  # fmt: skip
NAMES = ("sales", "regions", "id", "region", "amount", "name", "orders", "most")
LITERAL, PATH, COMMENT = "a literal", "/lake/path", "a comment"


class NumbersOnly:
    """A catalog of tables whose columns are numbers, and so are those of every query."""

    def __init__(self, tables: Mapping[str, Sequence[str]]) -> None:
        self.tables = tables

    def relation(self, name: Name, _namespace: Name | None) -> Table:
        return Table((name[-1],), tuple(Column(each, "int") for each in self.tables[name[-1]]))

    def describe(self, sql: str) -> tuple[Column, ...]:
        return tuple(Column(each, "int") for each in parse_one(sql, dialect=DIALECT).named_selects)

    def function(self, _name: Name, _namespace: Name | None) -> None:
        """There are none."""


def hostile_text(source: random.Random) -> str:
    return "".join(source.choice(PIECES) for _ in range(source.randint(1, 6)))


def hostile_name(source: random.Random, number: int) -> str:
    """Never twice the same, and no name of ours."""
    return f"n{number}{hostile_text(source)}"


@dataclass(frozen=True)
class Words:
    """What a tame project calls its things, and what a hostile one calls them."""

    names: Mapping[str, str]
    literal: str = LITERAL
    path: str = PATH
    comment: str = COMMENT


TAME = Words({name: name for name in NAMES})


def hostile_words(seed: int) -> Words:
    source = random.Random(seed)
    names = {name: hostile_name(source, number) for number, name in enumerate(NAMES)}
    return Words(names, *(hostile_text(source) for _ in range(3)))


def statements(words: Words, macros: MacroRenderer) -> dict[str, str]:
    """Everything that maintaining a view says to the engine."""
    n = {name: quoted(hostile) for name, hostile in words.names.items()}
    tables = {"sales": ("id", "region", "amount"), "regions": ("name",)}
    catalog = NumbersOnly(
        {words.names[table]: [words.names[each] for each in columns] for table, columns in tables.items()}
    )
    literal = macros.render("text_literal", text=words.literal)
    sql = f"""
        select s.{n["region"]}, count(*) as {n["orders"]}, max(s.{n["amount"]}) as {n["most"]}
        from {n["sales"]} as s left join {n["regions"]} as r on s.{n["region"]} = r.{n["name"]}
        where s.{n["id"]} <> {literal}
        group by s.{n["region"]}
    """
    view = compile_view(sql, catalog)
    state = sql_name(("x", words.names["orders"] + "__state"))
    windows = {each.name: Window(4, 7, changed=True, location=words.path) for each in view.sources}
    plan, build = view.refresh(windows), view.build({each.name: 7 for each in view.sources})
    properties = {"lazyview.note": words.comment}
    storage = Storage(properties, (quoted(words.names["region"]),), (), words.path)
    public = view.public(state)
    columns = [{"quoted": quoted(each.name), "comment": words.comment} for each in public.columns]
    rendered = {
        "merge": macros.render("refresh_state", plan=plan, state=state, strategy="merge", state_version=3),
        "overwrite": macros.render("refresh_state", plan=plan, state=state, strategy="overwrite", state_version=3),
        "build": macros.render("build_state", plan=build, state=state, storage=storage, exists=False),
        "rebuild": macros.render("build_state", plan=build, state=state, storage=storage, exists=True),
        "public": macros.render(
            "public_view", relation=state, columns=columns, query=public.query, comment=words.comment,
            properties=properties,
        ),
        "properties": macros.render("set_properties", relation=state, properties=properties),
        "clone": macros.render("clone_state", state=state, origin=state, version=3, properties=properties),
        "unset": macros.render("unset_properties", relation=state, keys=[words.comment]),
        "constraint": macros.render(
            "add_constraint", relation=state, constraint=n["orders"],
            condition=view.checked(f"{n['most']} <> {literal}"),
        ),
        "detail": macros.render("describe_detail", relation=state),
        "drop": macros.render("drop_table", relation=state),
    }  # fmt: skip
    stages = {f"stage {number}": macros.render("stage_relation", stage=each) for number, each in enumerate(plan.stages)}
    return {**rendered, **stages}
