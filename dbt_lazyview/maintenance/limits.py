"""The limit of a full refresh nobody asked for: rows or bytes of the sources."""

import re
from dataclasses import dataclass

from dbt_lazyview.maintenance.amounts import counted, size
from dbt_lazyview.maintenance.decide import ALLOWED_UNDER_INCREMENTAL, BUILD, FULL
from dbt_lazyview.maintenance.errors import too_large
from dbt_lazyview.maintenance.plan import Plan
from dbt_lazyview.maintenance.planning import Planner

BYTES = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
ROWS = ("row", "rows")
_LIMIT = re.compile(r"(\d[\d_]*(?:\.\d+)?)\s*([a-z]+)", re.IGNORECASE)


@dataclass(frozen=True)
class Limit:
    """So many rows or bytes."""

    amount: float
    is_of_rows: bool
    text: str


def limit_of(text: str) -> Limit:
    """
    A limit as people write it.

    Example:
        >>> limit_of("1.5 GB").amount, limit_of("2_000_000 rows").amount
        (1500000000.0, 2000000.0)
    """
    parts = _LIMIT.fullmatch(str(text).strip())
    unit = parts.group(2).lower() if parts else ""
    if parts is None or unit not in (*BYTES, *ROWS):
        raise ValueError(f"{text} is not a limit: write for example 50 GB or 10000000 rows.")
    return Limit(float(parts.group(1)) * BYTES.get(unit, 1), unit in ROWS, str(text).strip())


def check_limit(planner: Planner, plan: Plan) -> None:
    """Refuse a full refresh of more than the limit, unless somebody asked for it."""
    definition, decision = planner.node.target.definition, plan.decision
    if definition.full_refresh_limit is None or decision.kind not in (BUILD, FULL):
        return
    if decision.reason is None or decision.reason in ALLOWED_UNDER_INCREMENTAL:
        return
    limit = limit_of(definition.full_refresh_limit)
    found = planner.source_rows() if limit.is_of_rows else planner.source_bytes
    if found > limit.amount:
        told = counted(round(found), "row") if limit.is_of_rows else size(round(found))
        raise too_large(planner.node.target.name, decision.reason, decision.about, told, limit.text)
