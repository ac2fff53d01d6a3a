"""Generators: LATERAL VIEW, and explode and its kin in the select list."""

from sqlglot import exp

from dbt_lazyview.compiler.algebra import Generate, Node
from dbt_lazyview.compiler.functions import GENERATORS, function_name
from dbt_lazyview.compiler.lowering.scope import Environment, Flatten, Scope, Unsupported, lowered_column


def lateral_view(lateral: exp.Lateral, node: Node, scope: Scope, environment: Environment) -> tuple[Node, Scope]:
    """LATERAL VIEW generator alias AS names: its columns join the names in scope."""
    alias = lateral.args["alias"]
    names = _given([each.name for each in alias.args.get("columns") or []], lateral.this)
    own = tuple(environment.names.column(name, alias.name) for name in names)
    generated = Generate(node, scope.flat(lateral.this), own, bool(lateral.args.get("outer")))
    relations = {**scope.relations, alias.name: dict(zip(names, own, strict=True))}
    return generated, Scope(relations, scope.outer)


def generate_in_select(query: exp.Select, node: Node, flatten: Flatten, environment: Environment) -> Node:
    """A generator in the select list multiplies the rows; its columns take its place there."""
    select: list[exp.Expr] = []
    for each in query.expressions:
        call = each.this if isinstance(each, exp.Aliases) else each.unalias()
        if function_name(call) not in GENERATORS:
            select.append(each)
            continue
        names = _given([name.name for name in each.expressions] if isinstance(each, exp.Aliases) else [], call)
        own = tuple(environment.names.column(name) for name in names)
        node = Generate(node, flatten(call), own, outer=False)
        select += [exp.alias_(lowered_column(column), name) for name, column in zip(names, own, strict=True)]
    query.set("expressions", select)
    return node


def _given(names: list[str], call: exp.Expr) -> list[str]:
    """The names that the query, or the stage before, gave to the columns of a generator."""
    if not names:
        raise Unsupported(call, f"{function_name(call).upper()} without column names")
    return names
