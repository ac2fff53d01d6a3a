"""FROM and JOIN: tables, CTEs, subqueries and VALUES become the inputs of a join."""

from collections.abc import Callable, Mapping

from sqlglot import exp

from dbt_lazyview.compiler.algebra import Join, Node, Project, Scan, Values
from dbt_lazyview.compiler.block import column
from dbt_lazyview.compiler.lowering.scope import Context, Lowered, Scope, Unsupported

LowerQuery = Callable[..., Lowered]


def lower_from(
    query: exp.Select, context: Context, ctes: Mapping[str, Lowered], lower_query: LowerQuery
) -> tuple[Node, Scope]:
    """The join of everything in FROM, and the names it makes visible."""
    clause = query.args.get("from_")
    if clause is None:
        return Values((), ((),)), Scope({})
    relations: dict[str, Mapping[str, str]] = {}
    members: list[Node] = []
    conditions: list[exp.Expression] = []
    for item in (clause.this, *(query.args.get("joins") or [])):
        relation = item.this if isinstance(item, exp.Join) else item
        lowered = _relation(relation, context, ctes, lower_query)
        relations[relation.alias_or_name] = lowered.named()
        members.append(lowered.node)
        if isinstance(item, exp.Join):
            conditions.extend(_condition(item, Scope(relations)))
    return _join(members, conditions), Scope(relations)


def _join(members: list[Node], conditions: list[exp.Expression]) -> Node:
    if len(members) == 1:
        return members[0]
    return Join(tuple(members), exp.and_(*conditions, copy=False) if conditions else None)


def _condition(join: exp.Join, scope: Scope) -> list[exp.Expression]:
    if join.side or join.kind not in ("", "INNER", "CROSS") or join.method:
        raise Unsupported(join, f"{' '.join(filter(None, [join.method, join.side, join.kind]))} JOIN")
    on = join.args.get("on")
    if on is None:
        return []
    if on.find(exp.Query):
        raise Unsupported(on, "a subquery inside a join condition")
    return [scope.flat(on)]


def _relation(
    relation: exp.Expression, context: Context, ctes: Mapping[str, Lowered], lower_query: LowerQuery
) -> Lowered:
    _refuse(relation)
    if isinstance(relation, exp.Table) and isinstance(relation.this, exp.Identifier):
        if relation.name in ctes:
            return _again(ctes[relation.name], relation, context)
        return _scan(relation, context)
    if isinstance(relation, exp.Subquery):
        return _as_named(lower_query(relation.this, context, _with_of(relation, ctes)), relation)
    if isinstance(relation, exp.Values):
        return _values(relation, context)
    raise Unsupported(relation, f"{relation.sql('spark')[:60]} in FROM")


def _with_of(relation: exp.Expression, ctes: Mapping[str, Lowered]) -> Mapping[str, Lowered]:
    if relation.args.get("with_"):
        raise Unsupported(relation, "WITH on a parenthesis")
    return ctes


def _scan(table: exp.Table, context: Context) -> Lowered:
    found = context.tables[table.name]
    occurrence = table.alias_or_name
    reads = tuple((context.names.column(each.name, occurrence), each.name) for each in found.columns)
    names = _column_names(table) or [each.name.lower() for each in found.columns]
    return Lowered(Scan(table.name, occurrence, reads), tuple(zip(names, (own for own, _ in reads), strict=True)))


def _again(lowered: Lowered, relation: exp.Expression, context: Context) -> Lowered:
    """A further reference to a CTE: the same node under new column names."""
    copies = tuple((context.names.column(own, relation.alias_or_name), own) for _, own in lowered.outputs)
    node = Project(lowered.node, tuple((new, column(own)) for new, own in copies))
    names = _column_names(relation) or [name for name, _ in lowered.outputs]
    return Lowered(node, tuple(zip(names, (new for new, _ in copies), strict=True)))


def _as_named(lowered: Lowered, holder: exp.Expression) -> Lowered:
    names = _column_names(holder)
    if not names:
        return lowered
    return Lowered(lowered.node, tuple((name, own) for name, (_, own) in zip(names, lowered.outputs, strict=True)))


def _values(relation: exp.Values, context: Context) -> Lowered:
    rows = tuple(
        tuple(row.expressions) if isinstance(row, exp.Tuple) else (row,) for row in relation.expressions
    )
    names = _column_names(relation) or [f"col{i + 1}" for i in range(len(rows[0]))]
    own = tuple(context.names.column(name) for name in names)
    return Lowered(Values(own, rows), tuple(zip(names, own, strict=True)))


def _column_names(relation: exp.Expression) -> list[str]:
    return list(relation.alias_column_names)


def _refuse(relation: exp.Expression) -> None:
    for clause, what in (("pivots", "PIVOT"), ("sample", "TABLESAMPLE"), ("version", "time travel"), ("laterals", "LATERAL VIEW on a parenthesis"), ("joins", "a join inside parentheses")):  # fmt: skip
        if relation.args.get(clause):
            raise Unsupported(relation, what)
