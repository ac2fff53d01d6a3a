"""Runs over part of the data (`--empty`, `--sample`): nothing is stored, no watermark moves."""

from dbt_lazyview.compiler.catalog import CatalogError
from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.plan import PublicView
from dbt_lazyview.maintenance.decide import NOOP
from dbt_lazyview.maintenance.engine import Engine
from dbt_lazyview.maintenance.outcome import Outcome
from dbt_lazyview.maintenance.public import PREVIEW, Publication, run
from dbt_lazyview.maintenance.tables import sql_name
from dbt_lazyview.maintenance.tree import Target

REASON = "partial_run"


def preview(engine: Engine, target: Target) -> Outcome:
    """Check the query; where there is no relation yet, a plain view over it stands in, for dependents."""
    view = compile_view(target.definition.sql, engine.catalog())
    plain = Publication(target.name, PublicView(view.columns, target.definition.sql), target.definition)
    statements = 0 if exists(engine, target) else run(engine, plain.statement(engine, stands_in=PREVIEW))
    return Outcome(sql_name(target.name), NOOP, REASON, statements=statements)


def exists(engine: Engine, target: Target) -> bool:
    try:
        engine.catalog().relation(target.name, None)
    except CatalogError:
        return False
    return True
