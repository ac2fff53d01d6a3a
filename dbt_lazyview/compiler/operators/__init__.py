"""One delta rule per operator; to add an operator, add its node class, its file here and its line below."""

from typing import Any

from dbt_lazyview.compiler import algebra
from dbt_lazyview.compiler.derivation import Rule
from dbt_lazyview.compiler.operators.aggregate import AggregateRule
from dbt_lazyview.compiler.operators.filter import FilterRule
from dbt_lazyview.compiler.operators.generate import GenerateRule
from dbt_lazyview.compiler.operators.join import JoinRule
from dbt_lazyview.compiler.operators.outer_join import OuterJoinRule
from dbt_lazyview.compiler.operators.project import ProjectRule
from dbt_lazyview.compiler.operators.scan import ScanRule
from dbt_lazyview.compiler.operators.semi_join import SemiJoinRule
from dbt_lazyview.compiler.operators.union_all import UnionAllRule
from dbt_lazyview.compiler.operators.values import ValuesRule
from dbt_lazyview.compiler.operators.window import WindowRule

RULES: dict[type[algebra.Node], Rule[Any]] = {
    algebra.Aggregate: AggregateRule(),
    algebra.Filter: FilterRule(),
    algebra.Generate: GenerateRule(),
    algebra.Join: JoinRule(),
    algebra.OuterJoin: OuterJoinRule(),
    algebra.Project: ProjectRule(),
    algebra.Scan: ScanRule(),
    algebra.SemiJoin: SemiJoinRule(),
    algebra.UnionAll: UnionAllRule(),
    algebra.Values: ValuesRule(),
    algebra.Window: WindowRule(),
}
