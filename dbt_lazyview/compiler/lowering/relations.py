"""FROM and JOIN: tables, CTEs, subqueries and VALUES become the inputs of a join."""

from collections.abc import Callable, Mapping

from sqlglot import exp

from dbt_lazyview.compiler.algebra import Generate, Join, Node, Project, Scan, SemiJoin, Values
from dbt_lazyview.compiler.block import column
from dbt_lazyview.compiler.lowering.conditions import OuterCondition
from dbt_lazyview.compiler.lowering.decorrelation import lateral_join, semi_join
from dbt_lazyview.compiler.lowering.pivots import pivoted
from dbt_lazyview.compiler.lowering.scope import Environment, Lowered, Scope, Unsupported
from dbt_lazyview.compiler.lowering.subqueries import filter_where

LowerQuery = Callable[..., Lowered]


def lower_from(query: exp.Select, environment: Environment, lower_query: LowerQuery) -> tuple[Node, Scope]:
    """The join of everything in FROM, and the names it makes visible."""
    clause = query.args.get("from_")
    if clause is None:
        return Values((), ((),)), Scope({}, environment.outer)
    joined = _Joined(environment, lower_query)
    joined.add(clause.this)
    for join in query.args.get("joins") or []:
        joined.join(join)
    return joined.node(), Scope(joined.relations, environment.outer)


class _Joined:
    """A FROM clause read from left to right; inner joins in a row become one join of many inputs."""

    def __init__(self, environment: Environment, lower_query: LowerQuery) -> None:
        self.environment, self.lower_query = environment, lower_query
        self.relations: dict[str, Mapping[str, str]] = {}
        self.members: list[Node] = []
        self.conditions: list[exp.Expr] = []

    def add(self, relation: exp.Expr) -> Node:
        if isinstance(relation, exp.Subquery) and isinstance(relation.this, exp.Table) and not relation.alias:
            return self._add_parenthesis(relation.this)
        lowered = _relation(relation, self.environment, self.lower_query)
        self.relations[_visible_name(relation)] = lowered.named()
        self.members.append(lowered.node)
        return lowered.node

    def _add_parenthesis(self, table: exp.Table) -> Node:
        """(a JOIN b ON …) in FROM: joined by itself, its names visible outside."""
        inner = _Joined(self.environment, self.lower_query)
        plain = table.copy()
        plain.set("joins", None)
        inner.add(plain)
        for join in table.args.get("joins") or []:
            inner.join(join)
        self.relations.update(inner.relations)
        self.members.append(inner.node())
        return self.members[-1]

    def _lateral(self, lateral: exp.Lateral, on: exp.Expr | None, is_left: bool) -> None:
        """A subquery that reads the relations before it, or a generator over their columns."""
        left = self.node()
        condition = on if is_left and on != exp.true() else None
        if not isinstance(lateral.this, exp.Subquery) and condition is None:
            inner = self._generated(lateral, left, is_outer=is_left)
            node = inner.node
        else:
            inner = rows = self._lateral_rows(lateral)
            if condition is not None:
                scope = Scope({**self.relations, lateral.alias_or_name: inner.named()}, self.environment.outer)
                matching = filter_where(condition, inner.node, scope.flat, self.environment, self.lower_query)
                rows = Lowered(matching, inner.outputs)
            node = lateral_join(left, rows, is_left, self.environment)
        self.relations[lateral.alias_or_name] = inner.named()
        self.members, self.conditions = [node], []

    def _lateral_rows(self, lateral: exp.Lateral) -> Lowered:
        """What a lateral relation gives for one row before it."""
        if not isinstance(lateral.this, exp.Subquery):
            return self._generated(lateral, Values((), ((),)), is_outer=False)
        scope = Scope(self.relations, self.environment.outer)
        inner = self.lower_query(lateral.this.this, self.environment.inside(scope.flat))
        return inner.renamed(list(lateral.alias_column_names))

    def _generated(self, lateral: exp.Lateral, rows: Node, is_outer: bool) -> Lowered:
        names = list(lateral.alias_column_names)
        if not names:
            raise Unsupported(lateral, "a generator in FROM whose columns have no names")
        own = tuple(self.environment.names.column(name, lateral.alias_or_name) for name in names)
        scope = Scope(self.relations, self.environment.outer)
        return Lowered(Generate(rows, scope.flat(lateral.this), own, is_outer), tuple(zip(names, own, strict=True)))

    def node(self) -> Node:
        if len(self.members) == 1 and not self.conditions:
            return self.members[0]
        return Join(tuple(self.members), exp.and_(*self.conditions, copy=False) if self.conditions else None)

    def join(self, join: exp.Join) -> None:
        kind = " ".join(filter(None, [join.side, join.kind])).replace(" OUTER", "")
        if join.method:
            raise Unsupported(join, f"{join.method} JOIN")
        on = join.args.get("on")
        if isinstance(join.this, exp.Lateral):
            if kind not in ("", "INNER", "CROSS", "LEFT"):
                raise Unsupported(join, f"{kind} JOIN LATERAL")
            self._lateral(join.this, on, is_left=kind == "LEFT")
            if kind != "LEFT":
                self._restrict(join)
        elif kind in ("", "INNER", "CROSS"):
            self.add(join.this)
            self._restrict(join)
        elif kind in ("LEFT", "RIGHT", "FULL"):
            self._outer(join, kind)
        elif kind in ("LEFT SEMI", "LEFT ANTI", "SEMI", "ANTI"):
            self._semi(join, is_anti=kind.endswith("ANTI"))
        else:
            raise Unsupported(join, f"{kind} JOIN")

    def _restrict(self, join: exp.Join) -> None:
        """The condition of an inner join; with a subquery in it, it is the same as a WHERE."""
        on = join.args.get("on")
        if on is None or not on.find(exp.Query):
            self.conditions.extend(self._on(join))
            return
        scope = Scope(self.relations, self.environment.outer)
        self.members = [filter_where(on, self.node(), scope.flat, self.environment, self.lower_query)]
        self.conditions = []

    def _outer(self, join: exp.Join, kind: str) -> None:
        left, visible = self.node(), dict(self.relations)
        self.members, self.conditions = [left], []
        right = self.add(join.this)
        added = {name: columns for name, columns in self.relations.items() if name not in visible}
        on = join.args.get("on") or exp.true()
        sides = [(right, added), (left, visible)] if kind == "RIGHT" else [(left, visible), (right, added)]
        (one, of_one), (other, of_other) = sides
        condition = OuterCondition(on, one, other, of_one, of_other, self.environment, self.lower_query)
        node, renamed = condition.joined(is_full=kind == "FULL")
        self.members = [node]
        self._rename(renamed)

    def _rename(self, renamed: Mapping[str, str]) -> None:
        if renamed:
            self.relations = {
                relation: {name: renamed[own] for name, own in columns.items()}
                for relation, columns in self.relations.items()
            }

    def _semi(self, join: exp.Join, is_anti: bool) -> None:
        left, visible = self.node(), dict(self.relations)
        right = self.add(join.this)
        on = join.args.get("on") or exp.true()
        scope = Scope(self.relations, self.environment.outer)
        if on.find(exp.Query):
            matching = filter_where(on, right, scope.flat, self.environment, self.lower_query)
            node = semi_join(left, matching, [], is_anti, self.environment)
        else:
            node = SemiJoin(left, right, scope.flat(on), is_anti)
        self.members, self.conditions, self.relations = [node], [], visible

    def _on(self, join: exp.Join) -> list[exp.Expr]:
        on = join.args.get("on")
        if on is None:
            return []
        return [Scope(self.relations, self.environment.outer).flat(on)]


def _visible_name(relation: exp.Expr) -> str:
    pivots = relation.args.get("pivots") or []
    return pivots[-1].alias if pivots and pivots[-1].alias else relation.alias_or_name


def _relation(relation: exp.Expr, environment: Environment, lower_query: LowerQuery) -> Lowered:
    _refuse(relation)
    lowered = _plain_relation(relation, environment, lower_query)
    for pivot in relation.args.get("pivots") or []:
        lowered = pivoted(lowered, relation.alias_or_name, pivot, environment)
    return lowered


def _plain_relation(relation: exp.Expr, environment: Environment, lower_query: LowerQuery) -> Lowered:
    if isinstance(relation, exp.Table) and isinstance(relation.this, exp.Identifier):
        if relation.name in environment.ctes:
            return _again(environment.ctes[relation.name], relation, environment)
        return _scan(relation, environment)
    if isinstance(relation, exp.Subquery):
        return lower_query(relation.this, environment).renamed(list(relation.alias_column_names))
    if isinstance(relation, exp.Values):
        return constant_rows(relation, environment)
    raise Unsupported(relation, f"{relation.sql('spark')[:60]} in FROM")


def _scan(table: exp.Table, environment: Environment) -> Lowered:
    found = environment.tables[table.name]
    occurrence = table.alias_or_name
    reads = tuple((environment.names.column(each.name, occurrence), each.name) for each in found.columns)
    lowered = Lowered(Scan(table.name, occurrence, reads), tuple((name.lower(), own) for own, name in reads))
    return lowered.renamed(list(table.alias_column_names))


def _again(lowered: Lowered, relation: exp.Expr, environment: Environment) -> Lowered:
    """A reference to a CTE: the same node under column names of its own."""
    copies = tuple((name, environment.names.column(own, relation.alias_or_name), own) for name, own in lowered.outputs)
    node = Project(lowered.node, tuple((new, column(own)) for _, new, own in copies))
    return Lowered(node, tuple((name, new) for name, new, _ in copies)).renamed(list(relation.alias_column_names))


def constant_rows(relation: exp.Values, environment: Environment) -> Lowered:
    rows = tuple(tuple(row.expressions) if isinstance(row, exp.Tuple) else (row,) for row in relation.expressions)
    names = list(relation.alias_column_names) or [f"col{i + 1}" for i in range(len(rows[0]))]
    own = tuple(environment.names.column(name) for name in names)
    return Lowered(Values(own, rows), tuple(zip(names, own, strict=True)))


def _refuse(relation: exp.Expr) -> None:
    for clause, what in (
        ("version", "time travel to a moment that is not written out"),
        ("laterals", "LATERAL VIEW on a parenthesis"),
        ("joins", "a join inside parentheses"),
        ("with_", "WITH on a parenthesis"),
    ):
        if relation.args.get(clause):
            raise Unsupported(relation, what)
