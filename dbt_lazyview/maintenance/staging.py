"""Staging: what a plan reads several times is computed once, before the statement that commits."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from dbt_lazyview.compiler.plan import Stage
from dbt_lazyview.maintenance.engine import Engine, EngineError, during
from dbt_lazyview.maintenance.settings import having_set

# Where rows cannot simply be kept, they are cached. Spark finds a cached view again by comparing plans, and common
# table expressions that are not written out at once never compare equal: every stage would be computed again wherever
# it is read. Plans of stages over stages are still long, as each holds those of all stages before it.
WRITTEN_OUT = {"spark.sql.legacy.ctePrecedencePolicy": "LEGACY"}


@contextmanager
def staged(engine: Engine, stages: tuple[Stage, ...]) -> Iterator[None]:
    """Let the relations be there, and gone afterwards; each may read those before it."""
    with ExitStack() as undo:
        with having_set(engine, WRITTEN_OUT if stages else {}):
            for number, stage in enumerate(stages, 1):
                undo.callback(_unstage, engine, stage)
                with during(f"compute the changes, {number} of {len(stages)}"):
                    _stage(engine, stage)
        yield


def _stage(engine: Engine, stage: Stage) -> None:
    if engine.shortcuts:
        engine.shortcuts.keep(stage.relation, engine.render("staged_rows", stage=stage))
    else:
        engine.execute(engine.render("stage_relation", stage=stage))


def _unstage(engine: Engine, stage: Stage) -> None:
    with suppress(EngineError):  # a temporary view of a connection that is broken is gone as well
        engine.execute(engine.render("unstage_relation", stage=stage))
