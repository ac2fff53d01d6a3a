"""Views of another environment that a view reads: they stay as they are, and their tables are read where they stand."""

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.errors import RefreshError
from dbt_lazyview.maintenance.groups import Convoy
from dbt_lazyview.maintenance.probes import Cut
from dbt_lazyview.maintenance.public import load_shown_state
from dbt_lazyview.maintenance.record import Position
from dbt_lazyview.maintenance.tables import Tables, name_of, sql_name


def cut_elsewhere(tables: Tables, convoy: Convoy) -> Cut:
    """
    The versions for which the views of other environments stand, of the tables that are also read beside them: one
    that is read directly and through such a view is read at one version.
    """
    found: dict[Name, Position] = {}
    for node in convoy.read_elsewhere:
        record = load_shown_state(tables, node.target.state).record
        for table, position in (record.cut if record else {}).items():
            if name_of(table) in convoy.bases:
                _agree(name_of(table), found.setdefault(name_of(table), position), position)
    return found


def _agree(table: Name, one: Position, other: Position) -> None:
    if one.version != other.version:
        raise RefreshError(
            Reason.POLICY_CONFLICT,
            f"Views of another environment stand for versions {one.version} and {other.version} of {sql_name(table)}.\n"
            "  A view over both would belong to no one moment, and they are not refreshed from here.",
            "Refresh them there, or build or clone them here.",
        )
