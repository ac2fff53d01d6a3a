"""
Shorthand that is spelled out before names lose their case: UNPIVOT, VALUES without names, ARRAYS_ZIP.

Each gives columns or fields that are called as the user wrote them.
"""

from sqlglot import exp

from dbt_lazyview.compiler.functions import function_name
from dbt_lazyview.compiler.rewriting.unpivot import unpivoted

_ELEMENT = "lv_element"


def spelled_out(query: exp.Query) -> exp.Query:
    """The query without such shorthand."""
    holder = exp.Subquery(this=query)  # so that the root can be replaced like any other node
    for values in query.find_all(exp.Values):
        _name_columns(values)
    for call in list(query.find_all(exp.Anonymous)):
        if function_name(call) == "arrays_zip":
            call.replace(_with_named_fields(call))
    for relation in list(query.find_all(exp.Table, exp.Subquery)):
        if any(pivot.args.get("unpivot") for pivot in relation.args.get("pivots") or []):
            relation.replace(unpivoted(relation))
    spelled = holder.this
    assert isinstance(spelled, exp.Query)
    return spelled


def _name_columns(values: exp.Values) -> None:
    """Columns of VALUES are called col1, col2, … unless the query says otherwise."""
    alias = values.args.get("alias") or exp.TableAlias()
    rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in values.expressions]
    last = rows[-1][-1]
    if isinstance(last, exp.Alias):  # VALUES 1, 2 AS t(n): the parser takes the table's name for the value's
        alias.set("this", last.args["alias"])
        last.replace(last.this)
    if not alias.this:
        alias.set("this", exp.to_identifier("lv_values"))
    if not alias.args.get("columns"):
        alias.set("columns", [exp.to_identifier(f"col{number + 1}") for number in range(len(rows[0]))])
    values.set("alias", alias)


def _with_named_fields(call: exp.Anonymous) -> exp.Expr:
    """
    ARRAYS_ZIP calls its fields like the columns it is given; these get other names in maintenance SQL.

    So the columns are hidden from it, and the fields named afterwards.
    """
    hidden = [exp.Coalesce(this=each.copy(), expressions=[]) for each in call.expressions]
    element = exp.to_identifier(_ELEMENT)
    fields = [
        exp.PropertyEQ(
            this=exp.to_identifier(each.name if isinstance(each, (exp.Column, exp.Dot)) else str(number), quoted=True),
            expression=exp.Dot(this=element.copy(), expression=exp.to_identifier(str(number), quoted=True)),
        )
        for number, each in enumerate(call.expressions)
    ]
    named = exp.Lambda(this=exp.Struct(expressions=fields), expressions=[element])
    zipped = exp.Anonymous(this=call.this, expressions=hidden)
    return exp.Anonymous(this="TRANSFORM", expressions=[zipped, named])
