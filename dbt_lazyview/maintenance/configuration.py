"""Configs of a model that changed since its state was written: dbt's `on_configuration_change`."""

from dataclasses import replace

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.definition import Definition
from dbt_lazyview.maintenance.errors import RefreshError
from dbt_lazyview.maintenance.tables import sql_name

APPLY, CONTINUE, FAIL = "apply", "continue", "fail"
# What a state is kept by. The query is no configuration, nor are descriptions; policy and view_group belong to the
# project as a whole, and are followed in any case.
CONFIGS = (
    "refresh_mode", "max_changes", "exact", "read", "unique_key", "capture", "compact_every", "vacuum_every",
    "full_refresh_limit", "partition_by", "clustered_by", "tblproperties", "location_root", "constraints",
)  # fmt: skip


def changed_configs(stored: Definition, wanted: Definition) -> tuple[str, ...]:
    """
    The configs that differ.

    Example:
        >>> changed_configs(Definition("select 1"), Definition("select 2", exact=True))
        ('exact',)
    """
    return tuple(name for name in CONFIGS if getattr(stored, name) != getattr(wanted, name))


def with_configs_of(stored: Definition, wanted: Definition) -> Definition:
    """The query that is wanted now, kept by the configs there were."""
    return replace(wanted, **{name: getattr(stored, name) for name in CONFIGS})


def not_allowed(view: Name, changed: tuple[str, ...], told: str) -> RefreshError:
    """The model says that a change of its configs is an error."""
    return RefreshError(
        Reason.CONFIGURATION_CHANGED,
        f"{sql_name(view)} was not refreshed. {told}\n  Changed since its state was written: {', '.join(changed)}.",
        "Take the change back, set on_configuration_change: apply, or run it once with --full-refresh.",
    )
