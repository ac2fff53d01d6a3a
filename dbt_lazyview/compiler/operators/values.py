"""Values: constant rows never change."""

from sqlglot import exp

from dbt_lazyview.compiler import block as sql
from dbt_lazyview.compiler.algebra import Values
from dbt_lazyview.compiler.block import Bag, Block
from dbt_lazyview.compiler.derivation import Derivation, When


class ValuesRule:
    is_linear = True

    def rows(self, node: Values, when: When, derivation: Derivation) -> Bag:
        if not node.names:
            return (Block((), {}),) * len(node.rows)
        tuples = [exp.Tuple(expressions=[each.copy() for each in row]) for row in node.rows]
        alias = exp.TableAlias(this=sql.identifier("v"), columns=[sql.identifier(name) for name in node.names])
        name = derivation.derive(exp.select("*").from_(exp.Values(expressions=tuples, alias=alias)), "constants")
        return (sql.read(name, name, [(each, each) for each in node.names]),)

    def delta(self, node: Values, derivation: Derivation) -> Bag:
        return ()
