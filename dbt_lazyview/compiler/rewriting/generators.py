"""Generators get names for the columns they give, and those in FROM become LATERAL VIEWs over one row."""

from sqlglot import exp

from dbt_lazyview.compiler.block import case_when
from dbt_lazyview.compiler.functions import GENERATORS, arguments, function_name
from dbt_lazyview.compiler.rewriting.context import Context

_OF_ARRAY, _OF_MAP = ["col"], ["key", "value"]
_GIVES_ARRAY = frozenset({"array", "filter", "flatten", "map_entries", "map_keys", "map_values", "sequence", "slice"})
_GIVES_ARRAY_TOO = frozenset({"sort_array", "split", "transform"})
_GIVES_MAP = frozenset({"map", "map_concat", "map_filter", "map_from_arrays", "map_from_entries", "str_to_map"})


def with_named_generators(query: exp.Query, context: Context) -> exp.Query:
    """Every generator says what its columns are called; where nobody knows, it stays as it is."""
    for select in list(query.find_all(exp.Select)):
        for relation in _relations(select):
            if isinstance(relation, exp.Table) and isinstance(relation.this, exp.Func):
                _replace_function(relation, select, context)
        for lateral in (each for each in _relations(select) if isinstance(each, exp.Lateral)):
            _name_lateral(lateral, select, context)
        for item in select.expressions:
            _name_item(item, select, context)
    return query


def _relations(select: exp.Select) -> list[exp.Expr]:
    first = [select.args["from_"].this] if select.args.get("from_") else []
    joined = [join.this for join in select.args.get("joins") or []]
    return [*first, *joined, *(select.args.get("laterals") or [])]


def _name_lateral(lateral: exp.Lateral, select: exp.Select, context: Context) -> None:
    alias = lateral.args.get("alias")
    if isinstance(lateral.this, exp.Subquery) or alias is None or alias.args.get("columns"):
        return
    alias.set("columns", _identifiers(_names(lateral.this, select, context, lateral)))


def _name_item(item: exp.Expr, select: exp.Select, context: Context) -> None:
    """A generator in the select list with one alias for all, or none."""
    call = item.unalias()
    if isinstance(item, exp.Aliases) or function_name(call) not in GENERATORS:
        return
    names = _names(call, select, context)
    if isinstance(item, exp.Alias) and len(names) == 1:
        names = [item.alias]
    if names:
        item.replace(exp.Aliases(this=call.copy(), expressions=_identifiers(names)))


def _replace_function(table: exp.Table, select: exp.Select, context: Context) -> None:
    """FROM generator(…) AS t(a, b)"""
    call, alias = table.this, table.args.get("alias")
    given = [each.name for each in (alias.args.get("columns") or [])] if alias is not None else []
    if function_name(call) == "range":
        names, call = given or ["id"], _range(arguments(call))
    elif function_name(call) in GENERATORS:
        names = given or _names(call, exp.select("1"), context)
    else:
        return
    if not names:
        return
    rows = exp.TableAlias(this=exp.to_identifier("lv_one"), columns=_identifiers(["lv_row"]))
    one = exp.Values(expressions=[exp.Tuple(expressions=[exp.Literal.number(1)])], alias=rows)
    columns = exp.TableAlias(this=exp.to_identifier("lv_generated"), columns=_identifiers(names))
    lateral = exp.Lateral(this=call.copy(), view=True, alias=columns)
    inner = exp.select(*(exp.column(each, table="lv_generated", quoted=True) for each in names))
    inner = inner.from_(one).lateral(lateral, append=True)
    name = table.alias or "lv_function"
    subquery = exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
    for part in ("joins", "laterals", "pivots", "sample"):
        subquery.set(part, table.args.get(part))
    table.replace(subquery)


def _range(given: list[exp.Expr]) -> exp.Expr:
    """RANGE(start, end, step) without its end, as an array; empty where the step leads away from the end."""
    start, end = (exp.Literal.number(0), given[0]) if len(given) == 1 else given[:2]
    step = given[2] if len(given) > 2 else exp.Literal.number(1)
    first, beyond, by = (exp.cast(exp.Paren(this=each.copy()), "bigint") for each in (start, end, step))
    distance = exp.Paren(this=exp.Sub(this=beyond.copy(), expression=first.copy()))
    leads_there = exp.GT(
        this=exp.Mul(this=distance, expression=exp.Anonymous(this="SIGN", expressions=[by.copy()])),
        expression=exp.Literal.number(0),
    )
    last = exp.Sub(this=beyond, expression=exp.cast(exp.Anonymous(this="SIGN", expressions=[by.copy()]), "bigint"))
    series = exp.Anonymous(this="SEQUENCE", expressions=[first, last, by])
    return exp.Explode(this=case_when(leads_there, series))


def _names(call: exp.Expr, select: exp.Select, context: Context, before: exp.Expr | None = None) -> list[str]:
    """The columns of a generator as Spark calls them."""
    name, given = function_name(call), arguments(call)
    if name == "json_tuple":
        return [f"c{number}" for number in range(len(given) - 1)]
    if name == "stack":
        return _names_of_stack(given)
    position = ["pos"] if name.startswith("posexplode") else []
    if name.removeprefix("pos").startswith("explode") and given:
        inner = function_name(given[0])
        if inner in _GIVES_MAP:
            return position + _OF_MAP
        if inner in _GIVES_ARRAY | _GIVES_ARRAY_TOO or inner.startswith("array"):
            return position + _OF_ARRAY
    found = [column.name for column in context.columns(select, call, before)]
    if "explode" in name and found:
        return position + (_OF_MAP if len(found) > len(position) + 1 else _OF_ARRAY)
    return found


def _names_of_stack(given: list[exp.Expr]) -> list[str]:
    if not given or not given[0].is_int:
        return []
    rows = int(given[0].name)
    return [f"col{number}" for number in range(-(-(len(given) - 1) // rows))]


def _identifiers(names: list[str]) -> list[exp.Identifier]:
    return [exp.to_identifier(name, quoted=True) for name in names]
