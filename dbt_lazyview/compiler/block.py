"""
Rows as SQL under construction: a select block that filters and projections fold into.

A `Bag` is a sum of blocks. A block without a weight counts each row once; with one, that many times, and a negative one
takes rows away.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache

from sqlglot import exp

from dbt_lazyview.names import WEIGHT

_ATOMS = (exp.Column, exp.Literal, exp.Func, exp.Paren, exp.Null, exp.Boolean, exp.Dot, exp.Bracket)


@dataclass(frozen=True)
class Item:
    """A named relation in FROM, under an alias."""

    relation: str
    alias: str


@dataclass(frozen=True)
class Lateral:
    """A generator over the block's rows: LATERAL VIEW generator alias AS names."""

    generator: exp.Expr
    alias: str
    names: tuple[str, ...]
    outer: bool


@dataclass(frozen=True)
class Block:
    """SELECT columns, weight FROM items [LATERAL VIEW …] WHERE …"""

    items: tuple[Item, ...]
    columns: Mapping[str, exp.Expr]
    where: tuple[exp.Expr, ...] = ()
    weight: exp.Expr | None = None
    laterals: tuple[Lateral, ...] = ()
    label: str = ""  # the occurrence read as delta

    def filter(self, *predicates: exp.Expr) -> "Block":
        """
        Keep the rows for which all predicates hold.

        Example:
            >>> from sqlglot import parse_one
            >>> rows = read("new_t", "t", [("a", "a")])
            >>> rows.filter(parse_one("a > 1")).query().sql("spark")
            'SELECT `t`.`a` AS `a` FROM `new_t` AS `t` WHERE `t`.`a` > 1'
        """
        return replace(self, where=(*self.where, *(substitute(each, self.columns) for each in predicates)))

    def project(self, outputs: Iterable[tuple[str, exp.Expr]]) -> "Block":
        return replace(self, columns={name: substitute(each, self.columns) for name, each in outputs})

    def weighted(self, factor: exp.Expr | None) -> "Block":
        return replace(self, weight=_product(self.weight, factor))

    def negated(self) -> "Block":
        return replace(self, weight=_negative(self.weight))

    def expression(self, name: str) -> exp.Expr:
        return self.columns[name].copy()

    def query(self, *, weight: bool | None = None) -> exp.Select:
        """The block as a SELECT; `weight` says whether to print the weight (default: if there is one)."""
        select = exp.Select()
        for name, each in self.columns.items():
            select = select.select(named(each.copy(), name), copy=False)
        if weight or (weight is None and self.weight is not None):
            select = select.select(named(weight_of(self), WEIGHT), copy=False)
        return _with_rows(select, self)


Bag = tuple[Block, ...]


def read(relation: str, alias: str, columns: Iterable[tuple[str, str]], **more: object) -> Block:
    """A block that reads `columns` (result name, relation's own name) of a named relation."""
    return Block((Item(relation, alias),), {name: column(own, alias) for name, own in columns}, **more)  # type: ignore[arg-type]


def product(blocks: Iterable[Block], label: str = "") -> Block:
    """
    The cross product of blocks; aliases that clash are renamed.

    Example:
        >>> product([read("new_a", "t", [("x", "k")]), read("new_b", "t", [("y", "k")])]).query().sql("spark")
        'SELECT `t`.`k` AS `x`, `t_2`.`k` AS `y` FROM `new_a` AS `t`, `new_b` AS `t_2`'
    """
    result = Block((), {})
    for block in blocks:
        apart = with_fresh_aliases(block, aliases(result))
        result = Block(
            items=(*result.items, *apart.items),
            columns={**result.columns, **apart.columns},
            where=(*result.where, *apart.where),
            weight=_product(result.weight, apart.weight),
            laterals=(*result.laterals, *apart.laterals),
        )
    return replace(result, label=label)


def weight_of(block: Block) -> exp.Expr:
    return block.weight.copy() if block.weight is not None else exp.Literal.number(1)


def identifier(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=True)


def named(expression: exp.Expr, name: str) -> exp.Alias:
    """An expression that is nobody else's, under a name: nothing is copied."""
    return exp.Alias(this=expression, alias=identifier(name))


def cast(expression: exp.Expr, kind: str) -> exp.Cast:
    """
    An expression that is nobody else's, as another type.

    Example:
        >>> cast(column("a"), "decimal(9, 0)").sql("spark")
        'CAST(`a` AS DECIMAL(9, 0))'
    """
    return exp.Cast(this=expression, to=_type(kind).copy())


@cache
def finished(expression: exp.Expr, kind: str) -> exp.Expr:
    """A finished value with the type that the query's own column has, in the engine's words."""
    names_fields = "struct" in kind  # identifiers were lowered, names of fields with them
    if not kind or (isinstance(expression, exp.Column) and not names_fields):
        return expression
    return exp.Cast(this=expression, to=exp.DataType(this=exp.DType.USERDEFINED, kind=kind))


def _type(kind: str) -> exp.DataType:
    return exp.DataType.build(kind, dialect="spark")


def column(name: str, table: str | None = None) -> exp.Column:
    return exp.Column(this=identifier(name), table=identifier(table) if table else None)


def substitute(expression: exp.Expr, columns: Mapping[str, exp.Expr]) -> exp.Expr:
    """Replace every unqualified column by the expression that stands for it, with parentheses where they are needed."""

    if isinstance(expression, exp.Column):
        return columns.get(expression.name, expression).copy() if not expression.table else expression.copy()
    result = expression.copy()
    for node in list(result.find_all(exp.Column)):
        if not node.table and node.name in columns:
            found = columns[node.name].copy()
            node.replace(found if isinstance(found, _ATOMS) else exp.Paren(this=found))
    return result


def case_when(condition: exp.Expr, then: exp.Expr, otherwise: exp.Expr | None = None) -> exp.Case:
    """CASE WHEN condition THEN … ELSE … END."""
    return exp.Case(ifs=[exp.If(this=condition, true=then)], default=otherwise)


def is_null(expression: exp.Expr) -> exp.Expr:
    return exp.Is(this=expression.copy(), expression=exp.Null())


def conjuncts(predicate: exp.Expr | None) -> tuple[exp.Expr, ...]:
    """
    Split a predicate at its ANDs.

    Example:
        >>> from sqlglot import parse_one
        >>> [each.sql() for each in conjuncts(parse_one("a = 1 and (b = 2 or c) and d"))]
        ['a = 1', 'b = 2 OR c', 'd']
    """
    if predicate is None:
        return ()
    if isinstance(predicate, exp.And):
        return (*conjuncts(predicate.left), *conjuncts(predicate.right))
    if isinstance(predicate, exp.Paren):
        return conjuncts(predicate.this)
    return (predicate,)


def _with_rows(select: exp.Select, block: Block) -> exp.Select:
    for position, item in enumerate(block.items):
        table = exp.Table(this=identifier(item.relation), alias=exp.TableAlias(this=identifier(item.alias)))
        select = select.from_(table, copy=False) if position == 0 else select.join(table, copy=False)
    for lateral in block.laterals:
        select.append("laterals", _lateral_view(lateral))
    for predicate in block.where:
        select = select.where(_as_operand(predicate), copy=False)
    return select


def _lateral_view(lateral: Lateral) -> exp.Lateral:
    alias = exp.TableAlias(this=identifier(lateral.alias), columns=[identifier(name) for name in lateral.names])
    return exp.Lateral(this=lateral.generator.copy(), view=True, outer=lateral.outer or None, alias=alias)


def aliases(block: Block) -> set[str]:
    return set(_all_aliases(block))


def with_fresh_aliases(block: Block, taken: set[str]) -> Block:
    """The same block under aliases that clash with none of those taken."""
    renamed: dict[str, str] = {}
    used = set(taken)
    inside = {table.alias_or_name for each in block.where for table in each.find_all(exp.Table)}  # would capture
    for alias in _all_aliases(block):
        renamed[alias] = alias if alias not in used else fresh(alias, used | inside)
        used.add(renamed[alias])
    if all(old == new for old, new in renamed.items()):
        return block
    return Block(
        items=tuple(replace(item, alias=renamed[item.alias]) for item in block.items),
        columns={name: _requalified(each, renamed) for name, each in block.columns.items()},
        where=tuple(_requalified(each, renamed) for each in block.where),
        weight=_requalified(block.weight, renamed) if block.weight is not None else None,
        laterals=tuple(
            replace(each, alias=renamed[each.alias], generator=_requalified(each.generator, renamed))
            for each in block.laterals
        ),
        label=block.label,
    )


def requalified_like(expression: exp.Expr, before: Block, after: Block) -> exp.Expr:
    """An expression over one block's aliases, over those of its renamed twin."""
    return _requalified(expression, dict(zip(_all_aliases(before), _all_aliases(after), strict=True)))


def _all_aliases(block: Block) -> list[str]:
    return [item.alias for item in block.items] + [lateral.alias for lateral in block.laterals]


def fresh(name: str, taken: Iterable[str]) -> str:
    """
    A name like this one that is not taken.

    Example:
        >>> fresh("t", {"t", "t_2"})
        't_3'
    """
    lowered = {each.lower() for each in taken}
    candidate, number = name, 1
    while candidate.lower() in lowered:
        number += 1
        candidate = f"{name}_{number}"
    return candidate


def _requalified(expression: exp.Expr, renamed: Mapping[str, str]) -> exp.Expr:
    result = expression.copy()
    for node in result.find_all(exp.Column):
        if node.table in renamed:
            node.set("table", identifier(renamed[node.table]))
    return result


def _product(left: exp.Expr | None, right: exp.Expr | None) -> exp.Expr | None:
    if left is None or right is None:
        return left if right is None else right
    return exp.Mul(this=as_factor(left), expression=as_factor(right))


def _negative(weight: exp.Expr | None) -> exp.Expr:
    return exp.Neg(this=as_factor(weight) if weight is not None else exp.Literal.number(1))


def as_factor(expression: exp.Expr) -> exp.Expr:
    return expression.copy() if isinstance(expression, _ATOMS) else exp.Paren(this=expression.copy())


def _as_operand(predicate: exp.Expr) -> exp.Expr:
    return exp.Paren(this=predicate.copy()) if isinstance(predicate, exp.Or) else predicate.copy()
