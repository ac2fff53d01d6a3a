"""How a state is stored, as the model's configs name it: partitions, clustering, properties, place, constraints."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot.errors import SqlglotError

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.reasons import ModelError, Problem, Reason
from dbt_lazyview.compiler.view import View
from dbt_lazyview.maintenance.definition import Definition, to_properties
from dbt_lazyview.maintenance.engine import Engine
from dbt_lazyview.maintenance.tables import sql_name
from dbt_lazyview.names import quoted

# Values of these types come back from the name of a partition as they were; '' would come back as NULL.
PARTITIONS = ("tinyint", "smallint", "int", "bigint", "date", "boolean")


@dataclass(frozen=True)
class Storage:
    """What the statement that creates a state says beside its rows; columns are quoted."""

    properties: dict[str, str]
    partitions: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()
    location: str = ""


def storage_of(definition: Definition, view: View, state: Name) -> Storage:
    """The storage that a view's state shall have."""
    root = definition.location_root
    return Storage(
        to_properties(definition, view.fingerprint),
        _columns(view, definition.partition_by),
        _columns(view, definition.clustered_by),
        "/".join([root.rstrip("/"), *state[-2:]]) if root else "",  # by schema too: environments may share the root
    )


def refuse_move(state: Name, stored: Definition | None, wanted: Definition) -> None:
    """Refuse what Delta does not do to a table that is there."""
    if stored is None:
        return
    moved = stored.location_root != wanted.location_root
    regrouped = bool(stored.clustered_by and wanted.partition_by)
    if moved or regrouped:
        raise ModelError((_immovable("location_root" if moved else "partition_by", sql_name(state)),))


def is_stored_elsewhere(stored: Definition | None, wanted: Definition) -> bool:
    """Whether only a new table can be stored as it is wanted."""
    return stored is not None and _place(stored) != _place(wanted)


def _place(definition: Definition) -> tuple[object, ...]:
    return definition.partition_by, definition.location_root


def alterations(engine: Engine, state: Name, stored: Definition, wanted: Definition, view: View) -> Iterator[str]:
    """The statements that let a state follow a definition of the same rows; it remembers the definition last."""
    relation, storage = sql_name(state), storage_of(wanted, view, state)
    if stored.clustered_by != wanted.clustered_by:
        yield engine.render("cluster_table", relation=relation, columns=storage.clusters)
    if gone := [key for key in stored.tblproperties if key not in storage.properties]:
        yield engine.render("unset_properties", relation=relation, keys=gone)
    yield engine.render("set_properties", relation=relation, properties=storage.properties)


def check_storage(definition: Definition, view: View) -> None:
    """Refuse partitions and clusters of columns that the state does not hold as they are."""
    asked = {"partition_by": definition.partition_by, "clustered_by": definition.clustered_by}
    problems = [_bad_columns(key, columns, view) for key, columns in asked.items()]
    if found := tuple(filter(None, [*problems, _bad_types(definition.partition_by, view), _both(definition)])):
        raise ModelError(found)
    checked_conditions(definition, view)


def checked_conditions(definition: Definition, view: View) -> dict[str, str]:
    """The constraints of a contract by name, as conditions on the rows of the state."""
    try:
        found = {name.lower(): view.checked(condition) for name, condition in definition.constraints.items()}
    except SqlglotError as error:
        raise ModelError((_unreadable(str(error)),)) from None
    if cut := [name for name, condition in found.items() if condition is None]:
        raise ModelError((_cut_off(cut),))
    return {name: condition for name, condition in found.items() if condition is not None}


def _columns(view: View, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(quoted(stored) for name in names if (stored := view.stored_as(name)))


def _bad_columns(key: str, names: Sequence[str], view: View) -> Problem | None:
    known = [column.name for column in view.columns if view.stored_as(column.name)]
    unknown = [name for name in names if name.lower() not in [each.lower() for each in known]]
    if not unknown:
        return None
    return Problem(
        Reason.INVALID_CONFIG, f"{key}: {', '.join(unknown)} is not stored as it is.",
        f"The state holds these columns of the view as they are: {', '.join(known) or 'none'}. Others are computed "
        "from what it holds.", f"Name some of these, or leave out {key}.",
    )  # fmt: skip


def _bad_types(names: Sequence[str], view: View) -> Problem | None:
    types = {column.name.lower(): column.type for column in view.columns}
    odd = [f"{name} {types[name.lower()]}" for name in names if types.get(name.lower(), "int") not in PARTITIONS]
    if not odd:
        return None
    return Problem(
        Reason.INVALID_CONFIG, f"partition_by: {', '.join(odd)}.",
        "Delta keeps the value of a partition as text: an empty string would come back as NULL, other types rounded.",
        f"Partition by columns of the types {', '.join(PARTITIONS)}, or set clustered_by instead.",
    )  # fmt: skip


def _immovable(key: str, state: str) -> Problem:
    return Problem(
        Reason.INVALID_CONFIG, f"{key} changed, and {state} cannot follow.",
        "Delta replaces a table where it is, and none that is clustered by one with partitions.",
        f"Drop {state}, and run the model again: it is built anew.",
    )  # fmt: skip


def _both(definition: Definition) -> Problem | None:
    if not (definition.partition_by and definition.clustered_by):
        return None
    return Problem(
        Reason.INVALID_CONFIG, "partition_by and clustered_by are both set.",
        "A Delta table has partitions, or it is clustered.", "Leave out one of them.",
    )  # fmt: skip


def _unreadable(words: str) -> Problem:
    return Problem(
        Reason.INVALID_CONFIG, "A constraint of the contract cannot be read.",
        words, "Write its expression as a condition of Spark SQL on columns of the view.",
    )  # fmt: skip


def _cut_off(names: list[str]) -> Problem:
    return Problem(
        Reason.INVALID_CONFIG, f"The constraints {', '.join(names)} cannot be kept: the view ends with a LIMIT.",
        "Which rows it shows is only known when it is read, and constraints are looked at when rows are written.",
        "Leave out the constraints, or test them with dbt test.",
    )  # fmt: skip
