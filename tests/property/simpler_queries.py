"""
Simpler variants of a query, for shrinking: parts left out, parts put in place of the whole, tables for subqueries.

Some variants are no valid queries, or mean something else: who asks tries them. What orders rows for LIMIT and for
window functions is left alone, because ties would make two right answers.
"""

from collections.abc import Callable, Iterator
from functools import partial

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.merge_subqueries import merge_subqueries
from sqlglot.optimizer.pushdown_projections import pushdown_projections
from sqlglot.optimizer.qualify import qualify

from tests.property.random_schema import Tables, kind_of

Change = Callable[[], object]

_CLAUSES = ("where", "having", "qualify", "distinct", "group", "laterals", "joins", "with_")
_OPERATIONS = (exp.Binary, exp.Unary, exp.Func, exp.Paren, exp.Case, exp.If, exp.Between, exp.In, exp.Filter, exp.Cast)
_NAMES = (exp.Identifier, exp.Alias, exp.TableAlias)


def simpler_queries(sql: str, tables: Tables) -> Iterator[str]:
    """Variants with fewer nodes, larger steps first; each is given as text in Spark's dialect."""
    tree = parse_one(sql, dialect="spark")
    size, seen = _size(tree), {sql}
    for variant in _variants(tree, tables):
        text = variant.sql("spark")
        if _size(variant) < size and text not in seen:
            seen.add(text)
            yield text


def _size(tree: exp.Expression) -> int:
    """Nodes that mean something; names do not."""
    return sum(1 for each in tree.walk() if not isinstance(each, _NAMES))


def _variants(tree: exp.Expression, tables: Tables) -> Iterator[exp.Expression]:
    """Flatter ones, then the tree with one node changed, from the top down."""
    try:
        qualified = _qualified(tree, tables)
        narrow = pushdown_projections(qualified.copy())
        yield narrow.copy()
        yield merge_subqueries(narrow)
    except SqlglotError:
        qualified = tree
    for number, node in enumerate(list(qualified.walk(bfs=True))):
        for change in range(len(_changes(node, tables))):
            copy = qualified.copy()
            twin = list(copy.walk(bfs=True))[number]
            _changes(twin, tables)[change]()
            yield copy


def _qualified(tree: exp.Expression, tables: Tables) -> exp.Expression:
    """With every column's table and type."""
    schema = {table: dict(columns) for table, columns in tables.items()}
    return annotate_types(qualify(tree.copy(), schema=schema, dialect="spark", quote_identifiers=False), schema=schema)


def _changes(node: exp.Expression, tables: Tables) -> list[Change]:
    """Ways to make a node simpler, in place."""
    if node.find_ancestor(exp.Order, exp.Window):
        return []
    if isinstance(node, exp.Select):
        return _select_changes(node, tables)
    if isinstance(node, exp.SetOperation):
        return [partial(_put, node, side) for side in (node.left, node.right)]
    is_comparison = isinstance(node, exp.Predicate) and not isinstance(node, exp.Connector)
    if isinstance(node, _OPERATIONS) and not is_comparison:
        parts = [each for each in node.iter_expressions() if not isinstance(each, exp.DataType)]
        return [partial(_put, node, part) for part in parts]
    return []


def _select_changes(select: exp.Select, tables: Tables) -> list[Change]:
    clause = select.args.get("from_")
    changes: list[Change] = []
    if clause is not None and isinstance(clause.this, exp.Subquery):
        changes.append(partial(_put, select, clause.this.this))
    changes += [partial(_put, select, each) for table in tables if (each := _projection(select, table, tables))]
    if select.args.get("limit"):
        changes.append(partial(_remove, select, "limit", "offset", "order"))
    for name in _CLAUSES:
        found = select.args.get(name)
        if isinstance(found, list):
            changes += [partial(_drop, select, name, position) for position in range(len(found))]
        elif found is not None:
            changes.append(partial(_remove, select, name))
    if len(select.expressions) > 1:
        changes += [partial(_drop, select, "expressions", position) for position in range(len(select.expressions))]
    return [*changes, *(partial(_remove, join, "side") for join in select.args.get("joins") or [] if join.side)]


def _projection(select: exp.Select, table: str, tables: Tables) -> exp.Select | None:
    """A select of a table's columns with the names and kinds that this one gives, where the table has them."""
    outputs = []
    for each in select.expressions:
        kind = kind_of(each.type.sql("spark").lower()) if each.type else ""
        own = next((name for name, column_type in tables[table] if kind_of(column_type) == kind), None)
        if own is None:
            return None
        outputs.append(exp.alias_(exp.column(own, table, quoted=not own.isalpha()), each.alias_or_name))
    return exp.select(*outputs).from_(table)


def _put(node: exp.Expression, other: exp.Expression) -> None:
    """One node in place of another; a root cannot be replaced, so it takes the other's parts."""
    copy = other.unnest().copy() if node.parent is None else other.copy()
    if node.parent is not None:
        node.replace(copy)
    elif type(copy) is type(node):
        _remove(node, *node.args)
        for name, value in copy.args.items():
            node.set(name, value)


def _remove(node: exp.Expression, *names: str) -> None:
    for name in names:
        node.set(name, None)


def _drop(node: exp.Expression, name: str, position: int) -> None:
    node.set(name, [each for i, each in enumerate(node.args[name]) if i != position])
