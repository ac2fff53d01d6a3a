"""Stars inside: the fields of a struct (`s.*`), the arguments of a call (`f(*)`)."""

from sqlglot import exp

from dbt_lazyview.compiler.lowering.scope import Unsupported
from dbt_lazyview.compiler.rewriting.context import Context


def without_inner_stars(query: exp.Query, context: Context) -> exp.Query:
    """Each such star becomes what it stands for."""
    for select in list(query.find_all(exp.Select)):
        for item in list(select.expressions):
            _refuse_fields(item)
            star = item if _is_star(item) else None
            if star is not None and _is_of_struct(star, select):
                select.set("expressions", _with(select.expressions, star, _fields(star, select, context)))
        for star in [each for each in select.find_all(exp.Star) if _is_argument(each, select)]:
            _spread(star, select, context)
    return query


def _is_star(item: exp.Expr) -> bool:
    return isinstance(item, exp.Column) and isinstance(item.this, exp.Star)


def _is_of_struct(star: exp.Expr, select: exp.Select) -> bool:
    relations = [select.args["from_"].this] if select.args.get("from_") else []
    relations += [join.this for join in select.args.get("joins") or []]
    relations += select.args.get("laterals") or []
    return bool(star.args.get("db")) or star.text("table") not in {each.alias_or_name for each in relations}


def _fields(star: exp.Expr, select: exp.Select, context: Context) -> list[exp.Expr]:
    struct = exp.Column(this=star.args["table"].copy(), table=star.args.get("db") and star.args["db"].copy())
    columns = context.columns(select, star)
    if not columns:
        raise Unsupported(star, "the fields of a struct by *")
    return [
        exp.alias_(
            exp.Dot(this=struct.copy(), expression=exp.to_identifier(column.name, quoted=True)),
            column.name,
            quoted=True,
        )
        for column in columns
    ]


def _is_argument(star: exp.Star, select: exp.Select) -> bool:
    """Whether a star stands in a call of this SELECT; COUNT(*) is not about columns."""
    call = _item(star).parent
    return (
        isinstance(call, (exp.Func, exp.Distinct)) and not isinstance(call, exp.Count) and star.parent_select is select
    )


def _item(star: exp.Star) -> exp.Expr:
    """The star with the name of its relation, if it has one."""
    return star.parent if isinstance(star.parent, exp.Column) else star


def _spread(star: exp.Star, select: exp.Select, context: Context) -> None:
    item = _item(star)
    call = item.parent
    assert call is not None
    names = [column.name for column in context.columns(select, item)]
    if not names or len({each.lower() for each in names}) < len(names):
        raise Unsupported(item, "* as an argument over columns of equal names")
    columns = [_column(name, item, isinstance(call, exp.Struct)) for name in names]
    call.set("expressions", _with(call.expressions, item, columns))


def _column(name: str, item: exp.Expr, is_field: bool) -> exp.Expr:
    table = item.args.get("table") if isinstance(item, exp.Column) else None
    column = exp.Column(this=exp.to_identifier(name.lower(), quoted=True), table=table and table.copy())
    if is_field:
        return exp.PropertyEQ(this=exp.to_identifier(name, quoted=True), expression=column)
    return column


def _with(items: list[exp.Expr], item: exp.Expr, instead: list[exp.Expr]) -> list[exp.Expr]:
    return [new for each in items for new in (instead if each is item else [each])]


def _refuse_fields(item: exp.Expr) -> None:
    star = item if isinstance(item, exp.Star) else item.this if _is_star(item) else None
    for each in (star.args.get("except_") or []) if star is not None else []:
        if isinstance(each, exp.Dot) or (isinstance(each, exp.Column) and each.table):
            raise Unsupported(each, "* EXCEPT of a field")
