"""UNPIVOT as a generator: each row times an array that holds its turned columns."""

from sqlglot import exp

_RELATION, _TABLE, _ROW = "lv_relation", "lv_unpivot", "lv_turned"


def unpivoted(relation: exp.Expr) -> exp.Subquery:
    """A relation with UNPIVOT as a subquery; joins and laterals beside it stay where they are."""
    inner = relation.copy()
    for each in ("joins", "laterals", "pivots"):
        inner.set(each, None)
    outside = {each: relation.args.get(each) for each in ("joins", "laterals")}
    pivots = list(relation.args["pivots"])
    for number, pivot in enumerate(pivots):
        if pivot.args.get("unpivot"):
            inner = _turned(inner, pivot)
        else:
            inner.append("pivots", pivot)
            if number + 1 < len(pivots):
                inner = exp.Subquery(this=exp.select("*").from_(inner), alias=_alias(inner, pivot))
    assert isinstance(inner, exp.Subquery)
    for name, nodes in outside.items():
        inner.set(name, nodes)
    return inner


def _turned(relation: exp.Expr, pivot: exp.Pivot) -> exp.Subquery:
    """SELECT the other columns, the label and the values FROM relation LATERAL VIEW EXPLODE(ARRAY(STRUCT(…), …))."""
    if not relation.alias_or_name:
        relation.set("alias", exp.TableAlias(this=exp.to_identifier(_RELATION)))
    field = pivot.args["fields"][0]
    label, values = field.this.name, _names(pivot.expressions)
    items = [_Item(each, label, values) for each in field.expressions]
    turned = {column.name for item in items for column in item.columns}
    others = exp.Column(
        this=exp.Star(except_=[exp.to_identifier(name, quoted=True) for name in sorted(turned)]),
        table=exp.to_identifier(relation.alias_or_name, quoted=True),
    )
    select = exp.select(others, *(exp.alias_(_field(name), name, quoted=True) for name in (label, *values)))
    select = select.from_(relation).lateral(_lateral(items), append=True)
    if not pivot.args.get("include_nulls"):
        select = select.where(exp.or_(*(_is_there(_field(name)) for name in values)))
    return exp.Subquery(this=select, alias=_alias(relation, pivot))


class _Item:
    """One column, or several that belong together, with the label of their row."""

    def __init__(self, item: exp.Expr, label: str, values: list[str]) -> None:
        alias = item.args.get("alias") if isinstance(item, exp.PivotAlias) else None
        columns = item.this if isinstance(item, exp.PivotAlias) else item
        self.columns = columns.expressions if isinstance(columns, exp.Tuple) else [columns.unnest()]
        word = alias.name if alias is not None else "_".join(column.name for column in self.columns)
        pairs = [(label, exp.Literal.string(word)), *zip(values, self.columns, strict=True)]
        self.row = exp.Struct(
            expressions=[
                exp.PropertyEQ(this=exp.to_identifier(name, quoted=True), expression=each.copy())
                for name, each in pairs
            ]
        )


def _lateral(items: list[_Item]) -> exp.Lateral:
    rows = exp.Anonymous(this="ARRAY", expressions=[item.row for item in items])
    alias = exp.TableAlias(this=exp.to_identifier(_TABLE), columns=[exp.to_identifier(_ROW)])
    return exp.Lateral(this=exp.Explode(this=rows), view=True, alias=alias)


def _field(name: str) -> exp.Expr:
    return exp.Dot(this=exp.column(_ROW, table=_TABLE), expression=exp.to_identifier(name, quoted=True))


def _is_there(value: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.Is(this=value, expression=exp.Null()))


def _names(expressions: list[exp.Expr]) -> list[str]:
    return [each.name for group in expressions for each in (group.expressions or [group])]


def _alias(relation: exp.Expr, pivot: exp.Pivot) -> exp.TableAlias:
    name = pivot.alias or relation.alias_or_name
    return exp.TableAlias(this=exp.to_identifier(name, quoted=True))
