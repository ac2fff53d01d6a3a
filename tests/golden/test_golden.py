"""The tree and the maintenance SQL of every case, as reviewed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.plan import Window
from tests.macro_rendering import MacroRenderer
from tests.property.duck_lake import DuckLake

GOLDEN = Path(__file__).parent
CASES = sorted(path.parent for path in GOLDEN.glob("*/model.sql"))
LAKE = {
    "customers": [("c_custkey", "int"), ("c_name", "string"), ("c_nation", "string")],
    "orders": [("o_orderkey", "int"), ("o_custkey", "int"), ("o_status", "string"), ("o_price", "decimal(12,2)")],
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_compiles_to_the_reviewed_sql(case: Path, golden: Callable[[Path, str], None]) -> None:
    view = compile_view((case / "model.sql").read_text(), DuckLake(LAKE))
    windows = {each.name: Window(4, 7, changed=True, location=f"/lake/{each.alias}") for each in view.sources}
    plan = view.refresh(windows)
    macros = MacroRenderer()
    stages = [macros.render("stage_relation", stage=stage) for stage in plan.stages]
    statement = macros.render("refresh_state", plan=plan, state="`v__state`", strategy="merge", state_version=3)
    golden(case / "plan.txt", view.explain())
    golden(case / "refresh.sql", ";\n\n".join([*stages, statement]))
    golden(case / "public.sql", view.public("`v__state`").query)
