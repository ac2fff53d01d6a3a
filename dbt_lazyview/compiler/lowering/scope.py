"""What lowering keeps in mind: unique column names, visible relations, the tables behind short names."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from dbt_lazyview.compiler.algebra import Node
from dbt_lazyview.compiler.block import column
from dbt_lazyview.compiler.catalog import Table
from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.names import RESERVED_PREFIX

Flatten = Callable[[exp.Expr], exp.Expr]

_LOWERED = "lv_lowered"  # qualifier of a column that is already one of the tree


class Unsupported(Exception):
    """A construct without a rule; becomes a problem of the model with its place in the text."""

    def __init__(self, node: exp.Expr, what: str, reason: Reason = Reason.UNSUPPORTED) -> None:
        self.node, self.what, self.reason = node, what, reason
        super().__init__(what)


@dataclass(frozen=True)
class Lowered:
    """A relation: its node, and which column of it carries which name, in order."""

    node: Node
    outputs: tuple[tuple[str, str], ...]  # (name in the query, unique column)

    def named(self) -> dict[str, str]:
        return dict(self.outputs)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(own for _, own in self.outputs)

    def renamed(self, names: list[str]) -> "Lowered":
        """Under the column names of an alias, if it gives any."""
        if not names:
            return self
        return Lowered(self.node, tuple((name, own) for name, (_, own) in zip(names, self.outputs, strict=True)))


@dataclass
class Names:
    """Hands out column names, each once in the whole tree."""

    taken: set[str] = field(default_factory=set)

    def column(self, wanted: str, qualifier: str = "") -> str:
        """
        A plain name that reminds of the wanted one.

        Example:
            >>> names = Names()
            >>> names.column("k"), names.column("k", "orders"), names.column("lv_count"), names.column("Total €")
            ('k', 'orders_k', 'c_lv_count', 'total')
        """
        plain = _plain(wanted)
        if plain in self.taken and qualifier:
            plain = f"{_plain(qualifier)}_{plain}"
        found, number = plain, 1
        while found in self.taken:
            number += 1
            found = f"{plain}_{number}"
        self.taken.add(found)
        return found


@dataclass(frozen=True)
class Environment:
    """Shared by the lowering of one query: tables, names, visible CTEs, and the query around a subquery."""

    tables: Mapping[str, Table]
    names: Names = field(default_factory=Names)
    ctes: Mapping[str, Lowered] = field(default_factory=dict)
    outer: Flatten | None = None

    def with_ctes(self, ctes: Mapping[str, Lowered]) -> "Environment":
        return replace(self, ctes=ctes)

    def inside(self, outer: Flatten) -> "Environment":
        return replace(self, outer=outer)


@dataclass(frozen=True)
class Scope:
    """The relations a SELECT's expressions may name: alias -> column -> unique column."""

    relations: Mapping[str, Mapping[str, str]]
    outer: Flatten | None = None

    def flat(self, expression: exp.Expr) -> exp.Expr:
        """The expression over unique columns."""
        result = expression.copy()
        if isinstance(result, exp.Column):
            return self._flat_column(result)
        for node in list(result.find_all(exp.Column)):
            node.replace(self._flat_column(node))
        return result

    def _flat_column(self, node: exp.Column) -> exp.Expr:
        if node.table == _LOWERED:
            return column(node.name)
        if node.table in self.relations:
            found = self.relations[node.table].get(node.name)
            if found is not None:
                return column(found)
        elif self.outer is not None:
            return self.outer(node)
        raise Unsupported(node, f"column {node.sql('spark').replace('`', '')}, which cannot be resolved")


def lowered_column(name: str) -> exp.Column:
    """A column of the tree, to stand inside an expression that is not lowered yet."""
    return column(name, _LOWERED)


def is_lowered(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column) and node.table == _LOWERED


def _plain(name: str) -> str:
    plain = "".join(each if each.isascii() and each.isalnum() else "_" for each in name.lower()).strip("_") or "c"
    if plain[0].isdigit():
        plain = f"c_{plain}"
    return f"c_{plain}" if plain.startswith(RESERVED_PREFIX) else plain
